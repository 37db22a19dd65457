// Orthogonal polynomials: torch.special. See elementwise.h for the recipe.
#pragma once
#include "core/math/polynomial.h"
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

// clang-format off
/// The polynomial of degree n (cut to an integer) at x.
struct Polynomial : FloatElementwise {
  static constexpr Traits family = FloatElementwise::family.with({.not_differentiable = "PyTorch has no gradient of it"}), traits = family;
  using Dtypes = Types<float, double>;
};
template <class Op> Cases<Op> degree_samples();
struct ChebyshevT : Polynomial {
  static constexpr Doc doc{"special_chebyshev_polynomial_t", "x|number, n|number", "The Chebyshev polynomial of the first kind."};
  template <class T> LUTH_HD T f(T x, T n) const { return T(math::chebyshev_t(double(x), cast<int64_t>(n))); }
  static Cases<ChebyshevT> samples() { return degree_samples<ChebyshevT>(); }
};
struct ChebyshevU : Polynomial {
  static constexpr Doc doc{"special_chebyshev_polynomial_u", "x|number, n|number", "The Chebyshev polynomial of the second kind."};
  template <class T> LUTH_HD T f(T x, T n) const { return T(math::chebyshev_u(double(x), cast<int64_t>(n))); }
  static Cases<ChebyshevU> samples() { return degree_samples<ChebyshevU>(); }
};
struct HermiteH : Polynomial {
  static constexpr Doc doc{"special_hermite_polynomial_h", "x|number, n|number", "The physicist's Hermite polynomial."};
  template <class T> LUTH_HD T f(T x, T n) const { return T(math::hermite_h(double(x), cast<int64_t>(n))); }
  static Cases<HermiteH> samples() { return degree_samples<HermiteH>(); }
};
struct HermiteHe : Polynomial {
  static constexpr Doc doc{"special_hermite_polynomial_he", "x|number, n|number", "The probabilist's Hermite polynomial."};
  template <class T> LUTH_HD T f(T x, T n) const { return T(math::hermite_he(double(x), cast<int64_t>(n))); }
  static Cases<HermiteHe> samples() { return degree_samples<HermiteHe>(); }
};
struct LaguerreL : Polynomial {
  static constexpr Doc doc{"special_laguerre_polynomial_l", "x|number, n|number", "The Laguerre polynomial."};
  template <class T> LUTH_HD T f(T x, T n) const { return T(math::laguerre_l(double(x), cast<int64_t>(n))); }
  static Cases<LaguerreL> samples() { return degree_samples<LaguerreL>(); }
};
struct LegendreP : Polynomial {
  static constexpr Doc doc{"special_legendre_polynomial_p", "x|number, n|number", "The Legendre polynomial."};
  template <class T> LUTH_HD T f(T x, T n) const { return T(math::legendre_p(double(x), cast<int64_t>(n))); }
  static Cases<LegendreP> samples() { return degree_samples<LegendreP>(); }
};
// clang-format on

/// Those that are sums of the others (DLMF 18.7.17) or the others of 2 x - 1. The dtype is that of x and n together.
struct ComposedPolynomial {
  static constexpr Traits family{.not_differentiable = "PyTorch has no gradient of it"}, traits = family;
};
struct ChebyshevV : ComposedPolynomial {
  static constexpr Doc doc{"special_chebyshev_polynomial_v", "x|number, n|number",
                           "The Chebyshev polynomial of the third kind."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ChebyshevV> samples() { return degree_samples<ChebyshevV>(); }
};
struct ChebyshevW : ComposedPolynomial {
  static constexpr Doc doc{"special_chebyshev_polynomial_w", "x|number, n|number",
                           "The Chebyshev polynomial of the fourth kind."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ChebyshevW> samples() { return degree_samples<ChebyshevW>(); }
};
struct ShiftedChebyshevT : ComposedPolynomial {
  static constexpr Doc doc{"special_shifted_chebyshev_polynomial_t", "x|number, n|number",
                           "The Chebyshev polynomial of the first kind at 2 x - 1."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ShiftedChebyshevT> samples() { return degree_samples<ShiftedChebyshevT>(); }
};
struct ShiftedChebyshevU : ComposedPolynomial {
  static constexpr Doc doc{"special_shifted_chebyshev_polynomial_u", "x|number, n|number",
                           "The Chebyshev polynomial of the second kind at 2 x - 1."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ShiftedChebyshevU> samples() { return degree_samples<ShiftedChebyshevU>(); }
};
struct ShiftedChebyshevV : ComposedPolynomial {
  static constexpr Doc doc{"special_shifted_chebyshev_polynomial_v", "x|number, n|number",
                           "The Chebyshev polynomial of the third kind at 2 x - 1."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ShiftedChebyshevV> samples() { return degree_samples<ShiftedChebyshevV>(); }
};
struct ShiftedChebyshevW : ComposedPolynomial {
  static constexpr Doc doc{"special_shifted_chebyshev_polynomial_w", "x|number, n|number",
                           "The Chebyshev polynomial of the fourth kind at 2 x - 1."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ShiftedChebyshevW> samples() { return degree_samples<ShiftedChebyshevW>(); }
};

using PolynomialOps = Types<ChebyshevT, ChebyshevU, HermiteH, HermiteHe, LaguerreL, LegendreP>;

}  // namespace luth::ops
