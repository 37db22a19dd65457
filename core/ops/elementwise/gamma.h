// The gamma function's family: lgamma, digamma, polygamma, zeta, incomplete gamma functions. See elementwise.h for the
// recipe.
#pragma once
#include <concepts>

#include "core/math/gamma.h"
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

// clang-format off
struct Lgamma : FloatElementwise {
  static constexpr Doc doc{"lgamma", "input", "The logarithm of the absolute value of the gamma function."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.gammaln"});
  template <class T> LUTH_HD T f(T x) const { return T(math::lgamma(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::lgamma_quick(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return math::is_gamma_quick(double(x)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Lgamma> samples() { return unary_samples<Lgamma>(0.5, 3); }
};
struct Digamma : FloatElementwise {
  static constexpr Doc doc{"digamma", "input", "The derivative of lgamma."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.digamma special.psi"});
  template <class T> LUTH_HD T f(T x) const { return T(math::digamma(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::digamma_quick(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return math::is_gamma_quick(double(x)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Digamma> samples() { return unary_samples<Digamma>(0.5, 3); }
};
struct Polygamma : FloatElementwise {
  static constexpr Doc doc{"polygamma", "input", "The n-th derivative of digamma."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.polygamma", .order = "n, input"});
  int64_t n = 0;
  void describe(auto& field) { field("n", n, "which derivative; not negative", as::required); }
  Spec infer(const Inputs& in) const;
  /// `first`: n is 1, whose function vectorises.
  template <class C, bool first = false> struct F {
    int n;
    LUTH_HD C operator()(C x) const { return C(first ? math::trigamma(double(x)) : math::polygamma(n, double(x))); }
    void choose(auto&& run) const { n == 1 ? run(F<C, true>{n}) : run(*this); }
  };
  template <class C> auto functor() const { return F<C>{int(n)}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Polygamma> samples() { return {{{.n = 0}, {{3}}, 0.5, 3}, {{.n = 1}, {{3, 4}}, 0.5, 3}, {{.n = 2}, {{}}, 1, 3}}; }
};
struct PolygammaOf {  // with the tensor first: x:polygamma(1)
  static constexpr Doc doc{"polygamma.of", "input", "The n-th derivative of digamma."};
  static constexpr Traits traits{.aliases = "special.polygamma", .inplace = Inplace::also};
  int64_t n = 0;
  void describe(auto& field) { field("n", n, "which derivative; not negative", as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<PolygammaOf> samples() { return {{{.n = 2}, {{3}}, 0.5, 3}}; }
};
struct Zeta : FloatElementwise {
  static constexpr Doc doc{"special_zeta", "input|number, other|number", "Hurwitz's zeta function: the sum of (other + k)^-input over k from 0."};
  static constexpr Traits traits = family.with({.saves = "*: input, other"});
  using Dtypes = Types<float, double>;
  template <class T> LUTH_HD T f(T s, T q) const { return T(math::zeta(double(s), double(q))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Zeta> samples() { return binary_samples<Zeta>(1.5, 3); }
};
/// P(input, other); no gradient by input, as in PyTorch.
struct Igamma : Elementwise {
  static constexpr Doc doc{"igamma", "input, other", "The regularised lower incomplete gamma function."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .aliases = "special.gammainc"});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T a, T x) const { return T(math::igamma(double(a), double(x), false)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Igamma> samples() { return binary_samples<Igamma>(0.5, 3); }
};
struct Igammac : Elementwise {
  static constexpr Doc doc{"igammac", "input, other", "The regularised upper incomplete gamma function."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .aliases = "special.gammaincc"});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T a, T x) const { return T(math::igamma(double(a), double(x), true)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Igammac> samples() { return binary_samples<Igammac>(0.5, 3); }
};
struct Mvlgamma {
  static constexpr Doc doc{"mvlgamma", "input", "The logarithm of the multivariate gamma function of dimension p."};
  static constexpr Traits traits{.aliases = "special.multigammaln", .inplace = Inplace::also};
  int64_t p = 1;
  void describe(auto& field) { field("p", p, "the dimension, at least 1", as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Mvlgamma> samples() { return {{{.p = 1}, {{3}}, 0.5, 3}, {{.p = 3}, {{2, 2}}, 1.5, 3}}; }
};
// clang-format on

using GammaOps = Types<Lgamma, Digamma, Polygamma, Zeta, Igamma, Igammac>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Lgamma> lgamma;
inline constexpr Fn<ops::Digamma> digamma;
inline constexpr Fn<ops::Polygamma> polygamma;
inline constexpr Fn<ops::Mvlgamma> mvlgamma;
inline constexpr Fn<ops::Zeta> zeta;
}  // namespace luth
