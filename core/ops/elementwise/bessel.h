// Bessel functions of order 0 and 1, and Airy's: torch.i0, torch.special. See elementwise.h for the recipe.
#pragma once
#include <concepts>

#include "core/math/bessel.h"
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

/// PyTorch has these for float32 and float64 alone.
using WideFloats = Types<float, double>;

// clang-format off
struct I0 : FloatElementwise {
  static constexpr Doc doc{"i0", "input", "The modified Bessel function of the first kind, of order 0."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.i0"});
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_i<0>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<I0> samples() { return unary_samples<I0>(-3, 3); }
};
struct I0e : FloatElementwise {
  static constexpr Doc doc{"special_i0e", "input", "exp(-|x|) i0(x)."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_ie<0>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<I0e> samples() { return unary_samples<I0e>(0.3, 3); }
};
struct I1 : FloatElementwise {
  static constexpr Doc doc{"special_i1", "input", "The modified Bessel function of the first kind, of order 1."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_i<1>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<I1> samples() { return unary_samples<I1>(0.3, 3); }
};
struct I1e : FloatElementwise {
  static constexpr Doc doc{"special_i1e", "input", "exp(-|x|) i1(x)."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_ie<1>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<I1e> samples() { return unary_samples<I1e>(0.3, 3); }
};
struct ModifiedBesselI0 : FloatElementwise {
  static constexpr Doc doc{"special_modified_bessel_i0", "input", "The modified Bessel function of the first kind, of order 0."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  using Dtypes = WideFloats;
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_i<0>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ModifiedBesselI0> samples() { return unary_samples<ModifiedBesselI0>(-3, 3); }
};
struct ModifiedBesselI1 : FloatElementwise {
  static constexpr Doc doc{"special_modified_bessel_i1", "input", "The modified Bessel function of the first kind, of order 1."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  using Dtypes = WideFloats;
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_i<1>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ModifiedBesselI1> samples() { return unary_samples<ModifiedBesselI1>(0.3, 3); }
};
struct ModifiedBesselK0 : FloatElementwise {
  static constexpr Doc doc{"special_modified_bessel_k0", "input", "The modified Bessel function of the second kind, of order 0."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  using Dtypes = WideFloats;
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_k<0>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ModifiedBesselK0> samples() { return unary_samples<ModifiedBesselK0>(0.5, 3); }
};
struct ModifiedBesselK1 : FloatElementwise {
  static constexpr Doc doc{"special_modified_bessel_k1", "input", "The modified Bessel function of the second kind, of order 1."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  using Dtypes = WideFloats;
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_k<1>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ModifiedBesselK1> samples() { return unary_samples<ModifiedBesselK1>(0.5, 3); }
};
struct ScaledModifiedBesselK0 : FloatElementwise {
  static constexpr Doc doc{"special_scaled_modified_bessel_k0", "x", "exp(x) modified_bessel_k0(x)."};
  using Dtypes = WideFloats;
  static constexpr Traits traits = family.with({.not_differentiable = "PyTorch has no gradient of it"});
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_ke<0>(double(x))); }
  static Cases<ScaledModifiedBesselK0> samples() { return unary_samples<ScaledModifiedBesselK0>(0.5, 3); }
};
struct ScaledModifiedBesselK1 : FloatElementwise {
  static constexpr Doc doc{"special_scaled_modified_bessel_k1", "x", "exp(x) modified_bessel_k1(x)."};
  using Dtypes = WideFloats;
  static constexpr Traits traits = family.with({.not_differentiable = "PyTorch has no gradient of it"});
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_ke<1>(double(x))); }
  static Cases<ScaledModifiedBesselK1> samples() { return unary_samples<ScaledModifiedBesselK1>(0.5, 3); }
};
struct BesselJ0 : FloatElementwise {
  static constexpr Doc doc{"special_bessel_j0", "input", "The Bessel function of the first kind, of order 0."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  using Dtypes = WideFloats;
  template <class T> LUTH_HD T f(T x) const { return T(::j0(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::quick_bessel_j<0>(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return math::is_bessel_quick(std::fabs(double(x)), math::quick_bessel_j<0>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<BesselJ0> samples() { return unary_samples<BesselJ0>(-3, 3); }
};
struct BesselJ1 : FloatElementwise {
  static constexpr Doc doc{"special_bessel_j1", "input", "The Bessel function of the first kind, of order 1."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  using Dtypes = WideFloats;
  template <class T> LUTH_HD T f(T x) const { return T(::j1(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::quick_bessel_j<1>(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return math::is_bessel_quick(std::fabs(double(x)), math::quick_bessel_j<1>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<BesselJ1> samples() { return unary_samples<BesselJ1>(0.3, 3); }
};
struct BesselY0 : FloatElementwise {
  static constexpr Doc doc{"special_bessel_y0", "input", "The Bessel function of the second kind, of order 0."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  using Dtypes = WideFloats;
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_y0(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::quick_bessel_y<0>(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return (x > T(0)) & math::is_bessel_quick(double(x), math::quick_bessel_y<0>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<BesselY0> samples() { return unary_samples<BesselY0>(0.5, 3); }
};
struct BesselY1 : FloatElementwise {
  static constexpr Doc doc{"special_bessel_y1", "input", "The Bessel function of the second kind, of order 1."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  using Dtypes = WideFloats;
  template <class T> LUTH_HD T f(T x) const { return T(math::bessel_y1(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::quick_bessel_y<1>(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return (x > T(0)) & math::is_bessel_quick(double(x), math::quick_bessel_y<1>(double(x))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<BesselY1> samples() { return unary_samples<BesselY1>(0.5, 3); }
};
struct SphericalBesselJ0 : FloatElementwise {
  static constexpr Doc doc{"special_spherical_bessel_j0", "x", "sin(x) / x, and 1 at 0."};
  using Dtypes = WideFloats;
  static constexpr Traits traits = family.with({.not_differentiable = "PyTorch has no gradient of it"});
  template <class T> LUTH_HD T f(T x) const { return T(math::spherical_bessel_j0(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::quick_sine(std::fabs(double(x)), 0, 0) / std::fabs(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return (std::fabs(x) < T(math::bessel_quick_end)) & (x != T(0)); }
  static Cases<SphericalBesselJ0> samples() { return unary_samples<SphericalBesselJ0>(-3, 3); }
};
struct AiryAi : FloatElementwise {
  static constexpr Doc doc{"special_airy_ai", "x", "Airy's function of the first kind."};
  using Dtypes = WideFloats;
  static constexpr Traits traits = family.with({.not_differentiable = "PyTorch has no gradient of it"});
  template <class T> LUTH_HD T f(T x) const { return T(math::airy_ai(double(x))); }
  template <std::same_as<float> T> LUTH_HD T quick(T x) const { return T(math::quick_airy_ai(double(x))); }
  template <std::same_as<float> T> LUTH_HD bool is_quick(T x) const { return math::is_airy_quick(double(x), math::quick_airy_ai(double(x))); }
  static Cases<AiryAi> samples() { return unary_samples<AiryAi>(-3, 3); }
};
// clang-format on

using BesselOps = Types<I0, I0e, I1, I1e, ModifiedBesselI0, ModifiedBesselI1, ModifiedBesselK0, ModifiedBesselK1,
                        ScaledModifiedBesselK0, ScaledModifiedBesselK1, BesselJ0, BesselJ1, BesselY0, BesselY1,
                        SphericalBesselJ0, AiryAi>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::I0> i0;
inline constexpr Fn<ops::I0e> i0e;
inline constexpr Fn<ops::I1> i1;
inline constexpr Fn<ops::I1e> i1e;
inline constexpr Fn<ops::ModifiedBesselI0> modified_bessel_i0;
inline constexpr Fn<ops::ModifiedBesselI1> modified_bessel_i1;
inline constexpr Fn<ops::ModifiedBesselK0> modified_bessel_k0;
inline constexpr Fn<ops::ModifiedBesselK1> modified_bessel_k1;
inline constexpr Fn<ops::ScaledModifiedBesselK0> scaled_modified_bessel_k0;
inline constexpr Fn<ops::ScaledModifiedBesselK1> scaled_modified_bessel_k1;
inline constexpr Fn<ops::BesselJ0> bessel_j0;
inline constexpr Fn<ops::BesselJ1> bessel_j1;
inline constexpr Fn<ops::BesselY0> bessel_y0;
inline constexpr Fn<ops::BesselY1> bessel_y1;
}  // namespace luth
