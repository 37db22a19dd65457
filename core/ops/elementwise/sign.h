// Signs and the parts of floats: signbit, infinities, angle, nan_to_num, frexp. See elementwise.h for the recipe.
#pragma once
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

/// As std::frexp has them, by bits; the exponent of what is not finite is 0. The exponent's bits become a number as the
/// last ones of `scale`'s: AVX2 converts no int64.
template <class T>
struct Parts {
  T mantissa, exponent;
};
template <class T>
LUTH_HD Parts<T> parts_of(T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr int digits = std::numeric_limits<T>::digits;
  constexpr T scale = T(uint64_t(1) << (digits - 1));
  constexpr Bits field = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  const bool tiny = std::fabs(x) < std::numeric_limits<T>::min(), usual = (x != T(0)) & (x - x == T(0));
  const Bits bits = std::bit_cast<Bits>(tiny ? x * scale : x);
  const T biased = std::bit_cast<T>((bits & field) >> (digits - 1) | std::bit_cast<Bits>(scale)) - scale;
  const T exponent = biased - T(std::numeric_limits<T>::max_exponent - 2 + (tiny ? digits - 1 : 0));
  const T mantissa = std::bit_cast<T>((bits & ~field) | std::bit_cast<Bits>(T(0.5)));
  return {usual ? mantissa : x, usual ? exponent : T(0)};
}

// clang-format off
struct Signbit : Predicate {
  static constexpr Doc doc{"signbit", "input", "Whether the sign of each element is minus; -0 has it too."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD bool f(T x) const { if constexpr (is_float<T>) return std::copysign(T(1), x) < T(0); else return x < T(0); }
  static Cases<Signbit> samples() { return unary_samples<Signbit>(-2, 2); }
};
struct IsPosInf : Predicate {
  static constexpr Doc doc{"isposinf", "input", "Whether each element is infinity."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD bool f(T x) const { if constexpr (is_float<T>) return x == std::numeric_limits<T>::infinity(); else return false; }
  static Cases<IsPosInf> samples() { return unary_samples<IsPosInf>(-2, 2); }
};
struct IsNegInf : Predicate {
  static constexpr Doc doc{"isneginf", "input", "Whether each element is minus infinity."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD bool f(T x) const { if constexpr (is_float<T>) return x == -std::numeric_limits<T>::infinity(); else return false; }
  static Cases<IsNegInf> samples() { return unary_samples<IsNegInf>(-2, 2); }
};
struct IsReal : Predicate {
  static constexpr Doc doc{"isreal", "input", "Whether each element has no imaginary part: true."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD bool f(T) const { return true; }
  static Cases<IsReal> samples() { return unary_samples<IsReal>(-2, 2); }
};
struct Angle : FloatElementwise {
  static constexpr Doc doc{"angle", "input", "The angle in the complex plane: pi where an element is negative, else 0."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  template <class T> LUTH_HD T f(T x) const { return x < T(0) ? T(3.141592653589793) : x != x ? x : T(0); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Angle> samples() { return unary_samples<Angle>(-2, -0.2); }
};

struct NanToNum {
  static constexpr Doc doc{"nan_to_num", "input", "Numbers in place of nan and infinities."};
  static constexpr Traits traits{.inplace = Inplace::also};
  std::optional<double> nan, posinf, neginf;
  void describe(auto& field) {
    field("nan", nan, "in place of nan; nil: 0");
    field("posinf", posinf, "in place of infinity; nil: the greatest number of the dtype");
    field("neginf", neginf, "in place of minus infinity; nil: the least number of the dtype");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<NanToNum> samples();
};
struct ReplaceNonFinite : Elementwise {
  static constexpr Doc doc{"nan_to_num.given", "input", "Given numbers in place of nan and infinities."};
  static constexpr Traits traits = family.with({.saves = "input: input", .internal = true});
  using Dtypes = Floats;
  double nan = 0, posinf = 0, neginf = 0;
  void describe(auto& field) {
    field("nan", nan, "in place of nan");
    field("posinf", posinf, "in place of infinity");
    field("neginf", neginf, "in place of minus infinity");
  }
  template <class C> struct F {
    C nan, posinf, neginf;
    LUTH_HD C operator()(C x) const {
      constexpr C inf = std::numeric_limits<C>::infinity();
      return x != x ? nan : x == inf ? posinf : x == -inf ? neginf : x;
    }
  };
  template <class C> auto functor() const { return F<C>{C(nan), C(posinf), C(neginf)}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ReplaceNonFinite> samples() { return unary_samples<ReplaceNonFinite>(-2, 2); }
};

struct Frexp {
  static constexpr Doc doc{"frexp", "input", "mantissa and exponent with input = mantissa 2^exponent, 1/2 <= |mantissa| < 1.", "mantissa, exponent"};
  Tensors decompose(const Inputs& in) const;
  static Cases<Frexp> samples() { return {{{}, {{3, 4}}, 0.6, 0.9}, {{}, {{2, 0}}}, {{}, {{}}, -3.9, -2.2}}; }
};
struct FrexpMantissa : Elementwise {
  static constexpr Doc doc{"frexp.mantissa", "input", "The mantissa alone."};
  static constexpr Traits traits = family.with({.saves = "input: input", .internal = true, .inplace = Inplace::none});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T x) const { return parts_of(x).mantissa; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<FrexpMantissa> samples() { return unary_samples<FrexpMantissa>(2.1, 3.9); }
};
struct FrexpExponent : Elementwise {
  static constexpr Doc doc{"frexp.exponent", "input", "The exponent alone, in the dtype of input."};
  static constexpr Traits traits = family.with({.not_differentiable = "its result is a whole number", .internal = true, .inplace = Inplace::none});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T x) const { return parts_of(x).exponent; }
  static Cases<FrexpExponent> samples() { return unary_samples<FrexpExponent>(2.1, 3.9); }
};
// clang-format on

using SignOps = Types<Signbit, IsPosInf, IsNegInf, IsReal, Angle, ReplaceNonFinite, FrexpMantissa, FrexpExponent>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Signbit> signbit;
inline constexpr Fn<ops::NanToNum> nan_to_num;
inline constexpr Fn<ops::ReplaceNonFinite> replace_non_finite;
inline constexpr Fn<ops::Frexp> frexp;
inline constexpr Fn<ops::FrexpMantissa> frexp_mantissa;
inline constexpr Fn<ops::FrexpExponent> frexp_exponent;
}  // namespace luth
