// Elementwise functions of one tensor. See elementwise.h for the recipe.
#pragma once
#include <algorithm>

#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

// clang-format off
struct Abs : Elementwise {
  static constexpr Doc doc{"abs", "input", "Absolute value of each element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "absolute"});
  using Dtypes = Numbers;
  template <class T> LUTH_HD T f(T x) const { if constexpr (std::is_unsigned_v<T>) return x; else if constexpr (is_float<T>) return std::fabs(x); else return x < T(0) ? T(-x) : x; }
  static uint16_t bits(uint16_t half) { return half & 0x7fff; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Abs> samples() { return unary_samples<Abs>(0.5, 2); }
};
struct Neg : Elementwise {
  static constexpr Doc doc{"neg", "input", "Each element with its sign changed."};
  static constexpr Traits traits = family.with({.aliases = "negative"});
  using Dtypes = Numbers;
  Spec infer(const Inputs& in) const;
  template <class T> LUTH_HD T f(T x) const { return T(-x); }
  static uint16_t bits(uint16_t half) { return half ^ 0x8000; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Neg> samples() { return unary_samples<Neg>(-2, 2); }
};
struct Positive : Elementwise {
  static constexpr Doc doc{"positive", "input", "The elements themselves."};
  using Dtypes = Numbers;
  template <class T> LUTH_HD T f(T x) const { return x; }
  Tensors vjp(const Call&, const Tensor& dy) const { return {dy}; }
  static Cases<Positive> samples() { return unary_samples<Positive>(-2, 2); }
};
struct Sign : Elementwise {
  static constexpr Doc doc{"sign", "input", "-1, 0 or 1 by the sign of each element."};
  static constexpr Traits traits = family.with({.aliases = "sgn"});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD T f(T x) const { return T(int(x > T(0)) - int(x < T(0))); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Sign> samples() { return unary_samples<Sign>(0.5, 2); }
};
struct Square : Elementwise {
  static constexpr Doc doc{"square", "input", "Each element times itself."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  using Dtypes = AllTypes;
  Spec infer(const Inputs& in) const;
  template <class T> LUTH_HD T f(T x) const { return T(x * x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Square> samples() { return unary_samples<Square>(-2, 2); }
};
struct Exp : FloatElementwise {
  static constexpr Doc doc{"exp", "input", "e to the power of each element."};
  static constexpr Traits traits = family.with({.saves = "input: result", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::exp(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Exp> samples() { return unary_samples<Exp>(-2, 2); }
};
struct Exp2 : FloatElementwise {
  static constexpr Doc doc{"exp2", "input", "2 to the power of each element."};
  static constexpr Traits traits = family.with({.saves = "input: result", .aliases = "special.exp2"});
  template <class T> LUTH_HD T f(T x) const { return math::exp2(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Exp2> samples() { return unary_samples<Exp2>(-2, 2); }
};
struct Expm1 : FloatElementwise {
  static constexpr Doc doc{"expm1", "input", "exp(x) - 1, accurate near 0."};
  static constexpr Traits traits = family.with({.saves = "input: result", .aliases = "special.expm1", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::expm1(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Expm1> samples() { return unary_samples<Expm1>(-2, 2); }
};
struct Log : FloatElementwise {
  static constexpr Doc doc{"log", "input", "Natural logarithm of each element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::log(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Log> samples() { return unary_samples<Log>(0.5, 3); }
};
struct Log2 : FloatElementwise {
  static constexpr Doc doc{"log2", "input", "Logarithm to base 2 of each element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::log2(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Log2> samples() { return unary_samples<Log2>(0.5, 3); }
};
struct Log10 : FloatElementwise {
  static constexpr Doc doc{"log10", "input", "Logarithm to base 10 of each element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::log10(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Log10> samples() { return unary_samples<Log10>(0.5, 3); }
};
struct Log1p : FloatElementwise {
  static constexpr Doc doc{"log1p", "input", "log(1 + x), accurate near 0."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.log1p", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::log1p(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Log1p> samples() { return unary_samples<Log1p>(-0.5, 2); }
};
struct Sqrt : FloatElementwise {
  static constexpr Doc doc{"sqrt", "input", "Square root of each element."};
  static constexpr Traits traits = family.with({.saves = "input: result"});
  template <class T> LUTH_HD T f(T x) const { return math::sqrt(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Sqrt> samples() { return unary_samples<Sqrt>(0.5, 3); }
};
struct Rsqrt : FloatElementwise {
  static constexpr Doc doc{"rsqrt", "input", "1 over the square root of each element."};
  static constexpr Traits traits = family.with({.saves = "input: result", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return T(1) / math::sqrt(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Rsqrt> samples() { return unary_samples<Rsqrt>(0.5, 3); }
};
struct Reciprocal : FloatElementwise {
  static constexpr Doc doc{"reciprocal", "input", "1 over each element."};
  static constexpr Traits traits = family.with({.saves = "input: result", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return T(1) / x; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Reciprocal> samples() { return unary_samples<Reciprocal>(0.5, 3); }
};
/// Of double it has a quick form, see HasQuick of the CPU's loops.
struct OfAngle : FloatElementwise {
  template <math::HasQuickSine T> LUTH_HD bool is_quick(T x) const { return math::is_sine_quick(x); }
};
struct Sin : OfAngle {
  static constexpr Doc doc{"sin", "input", "Sine of each element, in radians."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  template <class T> LUTH_HD T f(T x) const { return math::sin(x); }
  template <math::HasQuickSine T> LUTH_HD T quick(T x) const { return math::own::sin(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Sin> samples() { return unary_samples<Sin>(-3, 3); }
};
struct Cos : OfAngle {
  static constexpr Doc doc{"cos", "input", "Cosine of each element, in radians."};
  static constexpr Traits traits = family.with({.saves = "input: input"});
  template <class T> LUTH_HD T f(T x) const { return math::cos(x); }
  template <math::HasQuickSine T> LUTH_HD T quick(T x) const { return math::own::cos(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Cos> samples() { return unary_samples<Cos>(-3, 3); }
};
struct Tan : OfAngle {
  static constexpr Doc doc{"tan", "input", "Tangent of each element, in radians."};
  static constexpr Traits traits = family.with({.saves = "input: result", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::tan(x); }
  template <math::HasQuickSine T> LUTH_HD T quick(T x) const { return math::own::tan(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Tan> samples() { return unary_samples<Tan>(-1, 1); }
};
struct Erf : FloatElementwise {
  static constexpr Doc doc{"erf", "input", "Error function of each element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.erf"});
  template <class T> LUTH_HD T f(T x) const { return math::erf(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Erf> samples() { return unary_samples<Erf>(-2, 2); }
};

// Rounding: integers stay as they are; the gradient is zero.
struct Rounding : Elementwise {
  using Dtypes = Numbers;
  Tensors vjp(const Call&, const Tensor& dy) const;
};
struct Floor : Rounding {
  static constexpr Doc doc{"floor", "input", "The largest integer not above each element."};
  template <class T> LUTH_HD T f(T x) const { if constexpr (is_float<T>) return math::floor(x); else return x; }
  static Cases<Floor> samples() { return unary_samples<Floor>(0.1, 0.9); }
};
struct Ceil : Rounding {
  static constexpr Doc doc{"ceil", "input", "The smallest integer not below each element."};
  template <class T> LUTH_HD T f(T x) const { if constexpr (is_float<T>) return math::ceil(x); else return x; }
  static Cases<Ceil> samples() { return unary_samples<Ceil>(0.1, 0.9); }
};
struct Trunc : Rounding {
  static constexpr Doc doc{"trunc", "input", "Each element without its fraction."};
  static constexpr Traits traits = family.with({.aliases = "fix"});
  template <class T> LUTH_HD T f(T x) const { if constexpr (is_float<T>) return math::trunc(x); else return x; }
  static Cases<Trunc> samples() { return unary_samples<Trunc>(0.1, 0.9); }
};
struct Round : Rounding {
  static constexpr Doc doc{"round", "input", "The nearest integer to each element, halves to even; to `decimals` places."};
  static constexpr Traits traits = family.with({.aliases = "special.round"});
  int64_t decimals = 0;
  void describe(auto& field) { field("decimals", decimals, "places after the point; negative: before it", as::named); }
  template <class C, class Plain = bool, class Up = bool> struct F {
    C scale; Plain plain; Up up;
    void choose(auto&& run) const {
      plain ? run(F<C, std::true_type, std::true_type>{scale, {}, {}})
            : up ? run(F<C, std::false_type, std::true_type>{scale, {}, {}}) : run(F<C, std::false_type, std::false_type>{scale, {}, {}});
    }
    LUTH_HD C operator()(C x) const {
      if constexpr (!is_float<C>) return x;
      else if (plain) return math::nearbyint(x);
      else return up ? math::nearbyint(x * scale) / scale : math::nearbyint(x / scale) * scale;
    }
  };
  template <class C> auto functor() const {
    const int64_t places = std::clamp<int64_t>(decimals, -400, 400);  // beyond the range of any dtype
    double s = 1;
    for (int64_t i = 0; i < (places < 0 ? -places : places); ++i) s *= 10;
    return F<C>{cast<C>(s), decimals == 0, decimals > 0};
  }
  static Cases<Round> samples() { return {{{}, {{3, 4}}, 0.6, 0.9}, {{.decimals = 1}, {{5}}, 0.06, 0.09}}; }
};
struct Frac : Elementwise {
  static constexpr Doc doc{"frac", "input", "The fraction of each element, with its sign."};
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T x) const { return x - math::trunc(x); }
  Tensors vjp(const Call&, const Tensor& dy) const { return {dy}; }
  static Cases<Frac> samples() { return unary_samples<Frac>(0.1, 0.9); }
};

struct LogicalNot : Predicate {
  static constexpr Doc doc{"logical_not", "input", "Whether each element is 0."};
  using Dtypes = AllTypes;
  template <class T> LUTH_HD bool f(T x) const { return x == T(0); }
  static Cases<LogicalNot> samples() { return unary_samples<LogicalNot>(-2, 2); }
};
struct IsNan : Predicate {
  static constexpr Doc doc{"isnan", "input", "Whether each element is nan."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD bool f(T x) const { return x != x; }
  static Cases<IsNan> samples() { return unary_samples<IsNan>(-2, 2); }
};
struct IsInf : Predicate {
  static constexpr Doc doc{"isinf", "input", "Whether each element is infinite."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD bool f(T x) const { if constexpr (is_float<T>) return std::fabs(x) == std::numeric_limits<T>::infinity(); else return false; }
  static Cases<IsInf> samples() { return unary_samples<IsInf>(-2, 2); }
};
struct IsFinite : Predicate {
  static constexpr Doc doc{"isfinite", "input", "Whether each element is neither infinite nor nan."};
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD bool f(T x) const { if constexpr (is_float<T>) return std::fabs(x) <= std::numeric_limits<T>::max(); else return true; }
  static Cases<IsFinite> samples() { return unary_samples<IsFinite>(-2, 2); }
};
struct BitwiseNot : Elementwise {
  static constexpr Doc doc{"bitwise_not", "input", "Each element with its bits inverted; the opposite of a bool."};
  static constexpr Traits traits = family.with({.not_differentiable = "it works on bits"});
  using Dtypes = IntegersAndBool;
  template <class T> LUTH_HD T f(T x) const { if constexpr (std::is_same_v<T, bool>) return !x; else return T(~x); }
  static Cases<BitwiseNot> samples();
};
// clang-format on

using UnaryOps =
    Types<Abs, Neg, Positive, Sign, Square, Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Sqrt, Rsqrt, Reciprocal, Sin,
          Cos, Tan, Erf, Floor, Ceil, Trunc, Round, Frac, LogicalNot, IsNan, IsInf, IsFinite, BitwiseNot>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Abs> abs;
inline constexpr Fn<ops::Neg> neg;
inline constexpr Fn<ops::Sign> sign;
inline constexpr Fn<ops::Square> square;
inline constexpr Fn<ops::Exp> exp;
inline constexpr Fn<ops::Expm1> expm1;
inline constexpr Fn<ops::Log> log;
inline constexpr Fn<ops::Log1p> log1p;
inline constexpr Fn<ops::Sqrt> sqrt;
inline constexpr Fn<ops::Rsqrt> rsqrt;
inline constexpr Fn<ops::Reciprocal> reciprocal;
inline constexpr Fn<ops::Sin> sin;
inline constexpr Fn<ops::Cos> cos;
inline constexpr Fn<ops::Erf> erf;
inline constexpr Fn<ops::Floor> floor;
inline constexpr Fn<ops::Ceil> ceil;
inline constexpr Fn<ops::Round> round;
inline constexpr Fn<ops::LogicalNot> logical_not;
inline constexpr Fn<ops::IsNan> isnan;
}  // namespace luth
