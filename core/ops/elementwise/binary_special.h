// The less common functions of two tensors: maxima that pass over nan, clamps to one side, sums in logarithms, gcd,
// isclose, … See elementwise.h for the recipe.
#pragma once
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

// clang-format off
struct Fmax : Elementwise {
  static constexpr Doc doc{"fmax", "input, other", "The larger of each pair, and the other one where one is nan."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD T f(T x, T y) const { return larger_of(x, y, x > y || y != y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Fmax> samples() { return binary_samples<Fmax>(-2, 2); }
};
struct Fmin : Elementwise {
  static constexpr Doc doc{"fmin", "input, other", "The smaller of each pair, and the other one where one is nan."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD T f(T x, T y) const { return smaller_of(x, y, x < y || y != y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Fmin> samples() { return binary_samples<Fmin>(-2, 2); }
};
/// Its kernels, and those of clamp_max, see bounds that lie beyond an integer dtype: they are not made from the list.
struct ClampMin : Elementwise {
  static constexpr Doc doc{"clamp_min", "input, min|number", "Each element, not below min."};
  Spec infer(const Inputs& in) const;
  static constexpr Traits traits = family.with({.saves = "*: input, min"});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD T f(T x, T y) const { return larger_of(y, x, x < y || y != y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ClampMin> samples() { return binary_samples<ClampMin>(-2, 2); }
};
struct ClampMax : Elementwise {
  static constexpr Doc doc{"clamp_max", "input, max|number", "Each element, not above max."};
  Spec infer(const Inputs& in) const;
  static constexpr Traits traits = family.with({.saves = "*: input, max"});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD T f(T x, T y) const { return smaller_of(y, x, x > y || y != y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ClampMax> samples() { return binary_samples<ClampMax>(-2, 2); }
};
struct Copysign : FloatElementwise {
  static constexpr Doc doc{"copysign", "input, other|number", "Input with the sign of other."};
  static constexpr Traits traits = family.with({.saves = "input: input, result"});
  template <class T> LUTH_HD T f(T x, T y) const { return std::copysign(x, y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Copysign> samples() { return binary_samples<Copysign>(0.5, 2); }
};
struct Hypot : Elementwise {
  static constexpr Doc doc{"hypot", "input, other", "The square root of input² + other², without overflow."};
  static constexpr Traits traits = family.with({.saves = "input: input, result; other: other, result"});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T x, T y) const { return math::hypot(x, y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Hypot> samples() { return binary_samples<Hypot>(0.5, 2); }
};
struct Heaviside : Elementwise {
  static constexpr Doc doc{"heaviside", "input, values", "0 where input is negative, values where it is 0, else 1."};
  static constexpr Traits traits = family.with({.not_differentiable = "its result is a step", .promote = Promote::none});
  using Dtypes = AllTypes;
  Spec infer(const Inputs& in) const;
  template <class T> LUTH_HD T f(T x, T v) const { return x == T(0) ? v : T(x > T(0)); }
  static Cases<Heaviside> samples() { return binary_samples<Heaviside>(-2, 2); }
};
struct Xlogy : FloatElementwise {
  static constexpr Doc doc{"xlogy", "input|number, other|number", "Input times the logarithm of other; 0 where input is 0."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .aliases = "special.xlogy"});
  template <class T> LUTH_HD T f(T x, T y) const { return y != y ? y : x == T(0) ? T(0) : x * math::log(y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Xlogy> samples() { return binary_samples<Xlogy>(0.5, 2); }
};
struct Xlog1py : FloatElementwise {
  static constexpr Doc doc{"special_xlog1py", "input|number, other|number", "Input times log(1 + other); 0 where input is 0."};
  static constexpr Traits traits = family.with({.saves = "*: input, other"});
  template <class T> LUTH_HD T f(T x, T y) const { return y != y ? y : x == T(0) ? T(0) : x * math::log1p(y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Xlog1py> samples() { return binary_samples<Xlog1py>(0.5, 2); }
};
struct Logaddexp : Elementwise {
  static constexpr Doc doc{"logaddexp", "input, other", "The logarithm of exp(input) + exp(other), without overflow."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .inplace = Inplace::none});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T x, T y) const {
    const T most = x > y || x != x ? x : y;
    return x == y && x - x != T(0) ? x : most + math::log1p(math::exp(-std::fabs(x - y)));
  }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Logaddexp> samples() { return binary_samples<Logaddexp>(-2, 2); }
};
struct Logaddexp2 : Elementwise {
  static constexpr Doc doc{"logaddexp2", "input, other", "The logarithm to base 2 of 2^input + 2^other, without overflow."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .inplace = Inplace::none});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T x, T y) const {
    const T most = x > y || x != x ? x : y;
    return x == y && x - x != T(0) ? x : most + math::log1p(math::exp2(-std::fabs(x - y))) * T(1.4426950408889634);
  }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Logaddexp2> samples() { return binary_samples<Logaddexp2>(-2, 2); }
};
struct Ldexp : FloatElementwise {
  static constexpr Doc doc{"ldexp", "input, other", "Input times 2^other."};
  static constexpr Traits traits = family.with({.saves = "input: other; other: other, result", .exact_numbers = 0b10});
  // a whole exponent may be beyond what 2^other holds, where the product is not
  template <class T> LUTH_HD T f(T x, T y) const {
    if (y != math::trunc(y) || std::fabs(y) > std::numeric_limits<T>::max()) return x * math::exp2(y);
    return std::ldexp(x, int(y < T(-9999) ? T(-9999) : y > T(9999) ? T(9999) : y));
  }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Ldexp> samples() { return binary_samples<Ldexp>(-2, 2); }
};

/// Euclid's algorithm, on magnitudes: the least integer has one too as an unsigned number.
template <class T> LUTH_HD auto greatest_divisor(T x, T y) {
  using U = std::make_unsigned_t<T>;
  U a = x < T(0) ? U(U(0) - U(x)) : U(x), b = y < T(0) ? U(U(0) - U(y)) : U(y);
  while (b) { const U rest = U(a % b); a = b; b = rest; }
  return a;
}
template <class Op> Cases<Op> divisor_samples();
struct Gcd : Elementwise {
  static constexpr Doc doc{"gcd", "input, other", "The greatest common divisor of each pair; of two zeros 0."};
  static constexpr Traits traits = family.with({.not_differentiable = "its result is an integer"});
  using Dtypes = Integers;
  template <class T> LUTH_HD T f(T x, T y) const { return T(greatest_divisor(x, y)); }
  static Cases<Gcd> samples() { return divisor_samples<Gcd>(); }
};
struct Lcm : Elementwise {
  static constexpr Doc doc{"lcm", "input, other", "The least common multiple of each pair; 0 where one is 0."};
  static constexpr Traits traits = family.with({.not_differentiable = "its result is an integer"});
  using Dtypes = Integers;
  template <class T> LUTH_HD T f(T x, T y) const {
    // in 64 bits, so that what does not fit wraps once, at the end, on every device
    const auto d = uint64_t(greatest_divisor(x, y));
    if (!d) return T(0);
    const uint64_t a = x < T(0) ? 0 - uint64_t(int64_t(x)) : uint64_t(x);
    const auto m = int64_t(a / d * uint64_t(int64_t(y)));
    return T(m < 0 ? 0 - uint64_t(m) : uint64_t(m));
  }
  static Cases<Lcm> samples() { return divisor_samples<Lcm>(); }
};

/// |input - other| <= atol + rtol |other|, or both are the same infinity. Integers are compared in float64.
struct IsClose : Predicate {
  static constexpr Doc doc{"isclose", "input, other", "Whether input is within atol + rtol |other| of other."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none, .promote = Promote::none});
  using Dtypes = AllTypes;
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
  void describe(auto& field) {
    field("rtol", rtol, "tolerance relative to other");
    field("atol", atol, "absolute tolerance");
    field("equal_nan", equal_nan, "nan is close to nan");
  }
  Spec infer(const Inputs& in) const;
  template <class C> struct F {
    using W = std::conditional_t<is_float<C>, C, double>;
    W rtol, atol; bool equal_nan;
    LUTH_HD bool operator()(C x, C y) const {
      if (x == y) return true;
      if (x != x || y != y) return equal_nan && x != x && y != y;
      const W error = std::fabs(W(x) - W(y));
      return error <= std::numeric_limits<W>::max() && error <= atol + std::fabs(rtol * W(y));
    }
  };
  template <class C> auto functor() const { using W = typename F<C>::W; return F<C>{W(rtol), W(atol), equal_nan}; }
  static Cases<IsClose> samples();
};

/// Its step depends on the dtype: its kernels are not made from the list.
struct Nextafter : Elementwise {
  static constexpr Doc doc{"nextafter", "input, other", "The next number of the dtype from input towards other."};
  static constexpr Traits traits = family.with({.saves = "*: input, other"});
  using Dtypes = Floats;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Nextafter> samples() { return {{{}, {{2, 3}, {2, 3}}}, {{}, {{2, 1, 3}, {4, 1}}}}; }
};
/// Half: the type of the elements, whose values come as floats.
template <class Half> LUTH_HD float next_half(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0f) return std::copysign(float(Half::raw(1)), y);
  const Half h(x);
  return float(Half::raw(uint16_t((y > x) == (x > 0.0f) ? h.bits + 1 : h.bits - 1)));
}
struct NextHalf {
  Dtype dtype;
  LUTH_HD float operator()(float x, float y) const { return dtype == Dtype::f16 ? next_half<half>(x, y) : next_half<bfloat16>(x, y); }
};
/// nextafter without branches: it vectorises.
template <class T> struct NextNumber {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  LUTH_HD T operator()(T x, T y) const {
    const Bits step = (y > x) == (x > T(0)) ? Bits(1) : ~Bits(0);
    const T other = std::bit_cast<T>(Bits(std::bit_cast<Bits>(x) + step));
    const T next = x == T(0) ? std::copysign(std::numeric_limits<T>::denorm_min(), y) : other;
    return (x != x) | (y != y) ? x + y : x == y ? y : next;
  }
};
template <class T> auto next_number(Dtype d) {
  if constexpr (std::is_floating_point_v<T>) return NextNumber<T>();
  else return NextHalf{d};
}

// ---- composites
struct Rsub {
  static constexpr Doc doc{"rsub", "input, other|number", "Other less alpha times input."};
  static constexpr Traits traits{.offered = Offered::function};
  Scalar alpha = 1;
  void describe(auto& field) { field("alpha", alpha, "multiplies input"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Rsub> samples() { return {{{}, {{2, 3}, {3}}}, {{.alpha = 2.5}, {{2}, {2}}}}; }
};
struct FloatPower {
  static constexpr Doc doc{"float_power", "input|number, exponent|number", "Input to the power of exponent, in float64."};
  static void check_inplace(const void* op, const Inputs& in);
  static constexpr Traits traits{.inplace = Inplace::also, .check_inplace = check_inplace};
  Tensor decompose(const Inputs& in) const;
  static Cases<FloatPower> samples() { return binary_samples<FloatPower>(0.5, 2); }
};
// clang-format on

using BinarySpecialOps =
    Types<Fmax, Fmin, Copysign, Hypot, Heaviside, Xlogy, Xlog1py, Logaddexp, Logaddexp2, Ldexp, Gcd, Lcm, IsClose>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Fmax> fmax;
inline constexpr Fn<ops::Fmin> fmin;
inline constexpr Fn<ops::ClampMin> clamp_min;
inline constexpr Fn<ops::ClampMax> clamp_max;
inline constexpr Fn<ops::Copysign> copysign;
inline constexpr Fn<ops::Hypot> hypot;
inline constexpr Fn<ops::Xlogy> xlogy;
inline constexpr Fn<ops::Xlog1py> xlog1py;
inline constexpr Fn<ops::Logaddexp> logaddexp;
inline constexpr Fn<ops::Logaddexp2> logaddexp2;
inline constexpr Fn<ops::Ldexp> ldexp;
inline constexpr Fn<ops::IsClose> isclose;
inline constexpr Fn<ops::Nextafter> nextafter;
inline constexpr Fn<ops::FloatPower> float_power;
}  // namespace luth
