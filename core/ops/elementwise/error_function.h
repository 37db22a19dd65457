// The error function's family, the normal distribution, logit and entropy. See elementwise.h for the recipe.
#pragma once
#include <concepts>

#include "core/math/normal.h"
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

// clang-format off
struct Erfc : FloatElementwise {
  static constexpr Doc doc{"erfc", "input", "1 - erf(x), accurate where erf is near 1."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.erfc"});
  template <class T> LUTH_HD T f(T x) const { return math::complement(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Erfc> samples() { return unary_samples<Erfc>(-2, 2); }
};
struct Erfinv : FloatElementwise {
  static constexpr Doc doc{"erfinv", "input", "The number whose erf is the element."};
  static constexpr Traits traits = family.with({.saves = "input: result", .aliases = "special.erfinv", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return T(math::erfinv(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::erfinv_quick(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return std::fabs(x) < T(1); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Erfinv> samples() { return unary_samples<Erfinv>(-0.9, 0.9); }
};
struct Ndtr : FloatElementwise {
  static constexpr Doc doc{"special_ndtr", "input", "The normal distribution function."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  template <class T> LUTH_HD T f(T x) const { if constexpr (std::same_as<T, float>) return T(math::ndtr_quick(double(x))); else return T(math::ndtr(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Ndtr> samples() { return unary_samples<Ndtr>(-2, 2); }
};
struct Ndtri : FloatElementwise {
  static constexpr Doc doc{"special_ndtri", "input", "The number at which the normal distribution function is the element."};
  static constexpr Traits traits = family.with({.saves = "input: result"});
  using Dtypes = Types<float, double>;
  template <class T> LUTH_HD T f(T x) const { return T(math::ndtri(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Ndtri> samples() { return unary_samples<Ndtri>(0.1, 0.9); }
};
struct LogNdtr : FloatElementwise {
  static constexpr Doc doc{"special_log_ndtr", "input", "The logarithm of the normal distribution function, accurate far to the left."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  using Dtypes = Types<float, double>;
  template <class T> LUTH_HD T f(T x) const { return T(math::log_ndtr(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LogNdtr> samples() { return unary_samples<LogNdtr>(-3, 3); }
};
struct Erfcx : FloatElementwise {
  static constexpr Doc doc{"special_erfcx", "input", "exp(x²) erfc(x), without overflow to the right."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  using Dtypes = Types<float, double>;
  template <class T> LUTH_HD T f(T x) const { return T(math::erfcx(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Erfcx> samples() { return unary_samples<Erfcx>(-2, 2); }
};
struct Entr : FloatElementwise {
  static constexpr Doc doc{"special_entr", "input", "-x log(x): 0 at 0, minus infinity below."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  template <class T> LUTH_HD T f(T x) const { return x != x ? x : x > T(0) ? -x * math::log(x) : x == T(0) ? T(0) : -std::numeric_limits<T>::infinity(); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Entr> samples() { return unary_samples<Entr>(0.3, 2); }
};
struct Logit : FloatElementwise {
  static constexpr Doc doc{"logit", "input", "log(x / (1 - x)), of x clamped to [eps, 1 - eps] if eps is given."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.logit"});
  std::optional<double> eps;
  void describe(auto& field) { field("eps", eps, "clamp elements to [eps, 1 - eps]; nil: do not clamp"); }
  template <class C> struct F {
    C low, high;
    LUTH_HD C operator()(C x) const { const C z = x < low ? low : x > high ? high : x; return math::log(z / (C(1) - z)); }
  };
  template <class C> auto functor() const {
    constexpr C all = std::numeric_limits<C>::infinity();
    return eps ? F<C>{C(*eps), C(1) - C(*eps)} : F<C>{-all, all};
  }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Logit> samples() { return {{{}, {{3, 4}}, 0.1, 0.9}, {{.eps = 0.2}, {{3}}, 0.25, 0.75}, {{.eps = 0.2}, {{}}, 0.05, 0.15}}; }
};
// clang-format on

using ErrorFunctionOps = Types<Erfc, Erfinv, Ndtr, Ndtri, LogNdtr, Erfcx, Entr, Logit>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Erfc> erfc;
inline constexpr Fn<ops::Erfinv> erfinv;
inline constexpr Fn<ops::Ndtr> ndtr;
inline constexpr Fn<ops::Ndtri> ndtri;
inline constexpr Fn<ops::LogNdtr> log_ndtr;
inline constexpr Fn<ops::Erfcx> erfcx;
inline constexpr Fn<ops::Entr> entr;
inline constexpr Fn<ops::Logit> logit;
}  // namespace luth
