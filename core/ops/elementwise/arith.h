// Elementwise arithmetic, comparison and logic of two tensors or a tensor and a number. See elementwise.h for the
// recipe.
#pragma once
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

// clang-format off
struct Add : Elementwise {
  static constexpr Doc doc{"add", "input|number, other|number", "Sum of input and alpha times other."};
  using Dtypes = AllTypes;
  Scalar alpha = 1;
  void describe(auto& field) { field("alpha", alpha, "multiplies other", as::named); }
  Spec infer(const Inputs& in) const;
  template <class C> struct F { C a; LUTH_HD auto operator()(C x, C y) const { return x + a * y; } };
  template <class C> auto functor(Dtype d) const { return F<C>{rounded_to(d, alpha).to<C>()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Add> samples();
};
struct Sub : Elementwise {
  static constexpr Doc doc{"sub", "input|number, other|number", "Input less alpha times other."};
  static void refuse_bool(const Inputs& in);
  static constexpr Traits traits = family.with({.aliases = "subtract", .check_bool = refuse_bool});
  using Dtypes = Numbers;
  Scalar alpha = 1;
  void describe(auto& field) { field("alpha", alpha, "multiplies other", as::named); }
  Spec infer(const Inputs& in) const;
  template <class C> struct F { C a; LUTH_HD auto operator()(C x, C y) const { return x - a * y; } };
  template <class C> auto functor(Dtype d) const { return F<C>{rounded_to(d, alpha).to<C>()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Sub> samples();
};
struct Mul : Elementwise {
  static constexpr Doc doc{"mul", "input|number, other|number", "Product of input and other."};
  static constexpr Traits traits = family.with({.saves = "input: other; other: input", .aliases = "multiply", .exact_numbers = 0b11});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD auto f(T x, T y) const { return x * y; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Mul> samples() { return binary_samples<Mul>(-2, 2); }
};
struct Div : FloatElementwise {
  static constexpr Doc doc{"div", "input|number, other|number", "Input divided by other: a float, whatever they are."};
  static constexpr Traits traits = family.with({.saves = "input: other; other: other, result", .aliases = "divide true_divide", .second_names = "input: dividend; other: divisor", .exact_numbers = 0b11});
  template <class T> LUTH_HD T f(T x, T y) const { return x / y; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Div> samples() { return binary_samples<Div>(0.5, 2); }
};
template <class T> concept HasFmodQuick = is_float<T> && math::has_fma;
/// Quotients have a quick form, see HasQuick of the CPU's loops: those of integers by doubles, those of floats by fmod's.
struct Quotient : Elementwise {
  template <std::integral T> LUTH_HD bool is_quick(T x, T y) const { return math::is_quotient_quick(x, y); }
  template <HasFmodQuick T> LUTH_HD bool is_quick(T x, T y) const { return math::is_fmod_quick(x, y); }
};
struct FloorDivide : Quotient {
  static constexpr Doc doc{"floor_divide", "input|number, other|number", "The largest integer not above input / other."};
  static constexpr Traits traits = family.with({.exact_numbers = 0b10, .divides = true});
  using Dtypes = Numbers;
  template <class T> LUTH_HD T f(T x, T y) const {
    if constexpr (is_float<T>) {
      return y == T(0) ? x / y : from_rest(x, y, math::fmod(x, y));
    } else {
      if (y == T(0)) return T(0);  // the kernel refuses zeros before it comes here
      if constexpr (std::is_signed_v<T>) if (y == T(-1)) return T(-x);
      T q = T(x / y);
      return T(x % y) != T(0) && (x < T(0)) != (y < T(0)) ? T(q - 1) : q;
    }
  }
  template <class T> LUTH_HD static T from_rest(T x, T y, T rest) {
    T q = (x - rest) / y;
    q = rest != T(0) && (y < T(0)) != (rest < T(0)) ? q - T(1) : q;
    const T down = math::floor(q), near = q - down > T(0.5) ? down + T(1) : down;
    return q == T(0) ? std::copysign(T(0), x / y) : near;
  }
  template <HasFmodQuick T> LUTH_HD T quick(T x, T y) const { return from_rest(x, y, math::fmod_quick(x, y)); }
  template <std::integral T> LUTH_HD T quick(T x, T y) const { return math::floor_quotient_quick(x, y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<FloorDivide> samples();
};
struct TruncDivide : Quotient {  // div with rounding_mode = 'trunc'
  static constexpr Doc doc{"trunc_divide", "input|number, other|number", "Input / other without its fraction."};
  static constexpr Traits traits = family.with({.internal = true, .exact_numbers = 0b10, .divides = true});
  using Dtypes = Numbers;
  template <class T> LUTH_HD T f(T x, T y) const {
    if constexpr (is_float<T>) return math::trunc(x / y);
    else { if (y == T(0)) return T(0); if constexpr (std::is_signed_v<T>) if (y == T(-1)) return T(-x); return T(x / y); }
  }
  template <std::integral T> LUTH_HD T quick(T x, T y) const { return math::trunc_quotient_quick(x, y); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<TruncDivide> samples();
};
struct DivMode {  // the form of div that rounds
  static constexpr Doc doc{"div.rounded", "input|number, other|number", "Input divided by other, rounded: 'floor', 'trunc', or nil for not."};
  static constexpr Traits traits{.aliases = "divide", .second_names = "input: dividend; other: divisor", .inplace = Inplace::also, .exact_numbers = 0b10};
  std::optional<std::string> rounding_mode;
  void describe(auto& field) { field("rounding_mode", rounding_mode, "'floor', 'trunc' or nil", as::named | as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<DivMode> samples();
};
struct Remainder : Quotient {
  static constexpr Doc doc{"remainder", "input|number, other|number", "input - other * floor(input / other): the sign is other's."};
  static constexpr Traits traits = family.with({.saves = "other: input, other", .divides = true});
  using Dtypes = Numbers;
  template <class T> LUTH_HD T f(T x, T y) const {
    if constexpr (is_float<T>) return signed_as(y, math::fmod(x, y));
    else { if (y == T(0)) return T(0); if constexpr (std::is_signed_v<T>) if (y == T(-1)) return T(0); return signed_as(y, T(x % y)); }
  }
  template <class T> LUTH_HD static T signed_as(T y, T rest) { return rest != T(0) && (y < T(0)) != (rest < T(0)) ? T(rest + y) : rest; }
  template <HasFmodQuick T> LUTH_HD T quick(T x, T y) const { return signed_as(y, math::fmod_quick(x, y)); }
  template <std::integral T> LUTH_HD T quick(T x, T y) const { return T(x - y * math::floor_quotient_quick(x, y)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Remainder> samples();
};
struct Fmod : Quotient {
  static constexpr Doc doc{"fmod", "input, other|number", "What division leaves: the sign is input's."};
  static constexpr Traits traits = family.with({.saves = "other: input, other", .divides = true});
  using Dtypes = Numbers;
  template <class T> LUTH_HD T f(T x, T y) const {
    if constexpr (is_float<T>) return math::fmod(x, y);
    else { if (y == T(0)) return T(0); if constexpr (std::is_signed_v<T>) if (y == T(-1)) return T(0); return T(x % y); }
  }
  template <HasFmodQuick T> LUTH_HD T quick(T x, T y) const { return math::fmod_quick(x, y); }
  template <std::integral T> LUTH_HD T quick(T x, T y) const { return T(x - y * math::trunc_quotient_quick(x, y)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Fmod> samples();
};
struct Pow : Elementwise {
  static constexpr Doc doc{"pow", "input|number, exponent|number", "Input to the power of exponent."};
  static constexpr Traits traits = family.with({.saves = "input: input, exponent; exponent: input, exponent, result", .autocast = Autocast::f32});
  using Dtypes = Numbers;
  Spec infer(const Inputs& in) const;
  template <class T> LUTH_HD T f(T x, T y) const {
    if constexpr (is_float<T>) return math::pow(x, y);
    else {
      if (y < T(0)) return x == T(1) ? T(1) : x == T(-1) ? T(y % 2 == 0 ? 1 : -1) : T(0);
      T r = 1;
      for (T e = y; e; e = T(e >> 1), x = T(x * x)) if (e & 1) r = T(r * x);
      return r;
    }
  }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Pow> samples();
};
struct Maximum : Elementwise {
  static constexpr Doc doc{"maximum", "input, other|number", "The larger of each pair; nan where one is nan."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD T f(T x, T y) const { return larger_of(x, y, x > y || x != x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Maximum> samples() { return binary_samples<Maximum>(-2, 2); }
};
struct Minimum : Elementwise {
  static constexpr Doc doc{"minimum", "input, other|number", "The smaller of each pair; nan where one is nan."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .inplace = Inplace::none});
  using Dtypes = AllTypes;
  template <class T> LUTH_HD T f(T x, T y) const { return smaller_of(x, y, x < y || x != x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Minimum> samples() { return binary_samples<Minimum>(-2, 2); }
};
struct Atan2 : FloatElementwise {
  static constexpr Doc doc{"atan2", "input, other", "The angle of the point (other, input), in radians from -pi to pi."};
  static constexpr Traits traits = family.with({.saves = "*: input, other", .aliases = "arctan2"});
  template <class T> LUTH_HD T f(T y, T x) const { return math::atan2(y, x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Atan2> samples() { return binary_samples<Atan2>(0.5, 2); }
};

struct Comparison : Predicate { using Dtypes = AllTypes; };
struct Eq : Comparison {
  static constexpr Doc doc{"eq", "input, other|number", "Whether the elements are equal."};
  template <class T> LUTH_HD bool f(T x, T y) const { return x == y; }
  static Cases<Eq> samples() { return binary_samples<Eq>(-2, 2); }
};
struct Ne : Comparison {
  static constexpr Doc doc{"ne", "input, other|number", "Whether the elements differ."};
  static constexpr Traits traits = family.with({.aliases = "not_equal"});
  template <class T> LUTH_HD bool f(T x, T y) const { return x != y; }
  static Cases<Ne> samples() { return binary_samples<Ne>(-2, 2); }
};
struct Lt : Comparison {
  static constexpr Doc doc{"lt", "input, other|number", "Whether input is less than other."};
  static constexpr Traits traits = family.with({.aliases = "less"});
  template <class T> LUTH_HD bool f(T x, T y) const { return x < y; }
  static Cases<Lt> samples() { return binary_samples<Lt>(-2, 2); }
};
struct Le : Comparison {
  static constexpr Doc doc{"le", "input, other|number", "Whether input is at most other."};
  static constexpr Traits traits = family.with({.aliases = "less_equal"});
  template <class T> LUTH_HD bool f(T x, T y) const { return x <= y; }
  static Cases<Le> samples() { return binary_samples<Le>(-2, 2); }
};
struct Gt : Comparison {
  static constexpr Doc doc{"gt", "input, other|number", "Whether input is greater than other."};
  static constexpr Traits traits = family.with({.aliases = "greater"});
  template <class T> LUTH_HD bool f(T x, T y) const { return x > y; }
  static Cases<Gt> samples() { return binary_samples<Gt>(-2, 2); }
};
struct Ge : Comparison {
  static constexpr Doc doc{"ge", "input, other|number", "Whether input is at least other."};
  static constexpr Traits traits = family.with({.aliases = "greater_equal"});
  template <class T> LUTH_HD bool f(T x, T y) const { return x >= y; }
  static Cases<Ge> samples() { return binary_samples<Ge>(-2, 2); }
};
struct LogicalAnd : Comparison {
  static constexpr Doc doc{"logical_and", "input, other", "Whether both elements are not 0."};
  template <class T> LUTH_HD bool f(T x, T y) const { return (x != T(0)) & (y != T(0)); }
  static Cases<LogicalAnd> samples() { return binary_samples<LogicalAnd>(-2, 2); }
};
struct LogicalOr : Comparison {
  static constexpr Doc doc{"logical_or", "input, other", "Whether one of the elements is not 0."};
  template <class T> LUTH_HD bool f(T x, T y) const { return (x != T(0)) | (y != T(0)); }
  static Cases<LogicalOr> samples() { return binary_samples<LogicalOr>(-2, 2); }
};
struct LogicalXor : Comparison {
  static constexpr Doc doc{"logical_xor", "input, other", "Whether just one of the elements is not 0."};
  template <class T> LUTH_HD bool f(T x, T y) const { return (x != T(0)) != (y != T(0)); }
  static Cases<LogicalXor> samples() { return binary_samples<LogicalXor>(-2, 2); }
};

struct Bitwise : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.not_differentiable = "it works on bits"}), traits = family;
  using Dtypes = IntegersAndBool;
};
template <class Op> Cases<Op> integer_pairs();
struct BitwiseAnd : Bitwise {
  static constexpr Doc doc{"bitwise_and", "input|number, other|number", "Bits that both have; `and` of masks."};
  template <class T> LUTH_HD T f(T x, T y) const { return T(x & y); }
  static Cases<BitwiseAnd> samples() { return integer_pairs<BitwiseAnd>(); }
};
struct BitwiseOr : Bitwise {
  static constexpr Doc doc{"bitwise_or", "input|number, other|number", "Bits that one of them has; `or` of masks."};
  template <class T> LUTH_HD T f(T x, T y) const { return T(x | y); }
  static Cases<BitwiseOr> samples() { return integer_pairs<BitwiseOr>(); }
};
struct BitwiseXor : Bitwise {
  static constexpr Doc doc{"bitwise_xor", "input|number, other|number", "Bits that just one of them has."};
  template <class T> LUTH_HD T f(T x, T y) const { return T(x ^ y); }
  static Cases<BitwiseXor> samples() { return integer_pairs<BitwiseXor>(); }
};
struct Shift : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.not_differentiable = "it works on bits"}), traits = family;
  using Dtypes = Integers;
};
struct BitwiseLeftShift : Shift {
  static constexpr Doc doc{"bitwise_left_shift", "input|number, other|number", "Bits moved up by other places."};
  template <class T> LUTH_HD T f(T x, T y) const { return y < T(0) || y >= T(sizeof(T) * 8) ? T(0) : T(std::make_unsigned_t<T>(x) << y); }
  static Cases<BitwiseLeftShift> samples() { return integer_pairs<BitwiseLeftShift>(); }
};
struct BitwiseRightShift : Shift {
  static constexpr Doc doc{"bitwise_right_shift", "input|number, other|number", "Bits moved down by other places; the sign stays."};
  template <class T> LUTH_HD T f(T x, T y) const { return y < T(0) || y >= T(sizeof(T) * 8) ? T(x < T(0) ? -1 : 0) : T(x >> y); }
  static Cases<BitwiseRightShift> samples() { return integer_pairs<BitwiseRightShift>(); }
};
// clang-format on

using ArithOps = Types<Add, Sub, Mul, Div, FloorDivide, TruncDivide, Remainder, Fmod, Pow, Maximum, Minimum, Atan2, Eq,
                       Ne, Lt, Le, Gt, Ge, LogicalAnd, LogicalOr, LogicalXor, BitwiseAnd, BitwiseOr, BitwiseXor,
                       BitwiseLeftShift, BitwiseRightShift>;

struct Where : Elementwise {
  static constexpr Doc doc{"where", "condition, input|number, other|number",
                           "Elements of input where condition is true, of other elsewhere."};
  static constexpr Traits traits = family.with({.saves = "*: condition", .inplace = Inplace::none, .promote_from = 1});
  using Dtypes = AllTypes;
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Where> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Add> add;
inline constexpr Fn<ops::Sub> sub;
inline constexpr Fn<ops::Mul> mul;
inline constexpr Fn<ops::Div> div;
inline constexpr Fn<ops::FloorDivide> floor_divide;
inline constexpr Fn<ops::TruncDivide> trunc_divide;
inline constexpr Fn<ops::Remainder> remainder;
inline constexpr Fn<ops::Fmod> fmod;
inline constexpr Fn<ops::Pow> pow;
inline constexpr Fn<ops::Maximum> maximum;
inline constexpr Fn<ops::Minimum> minimum;
inline constexpr Fn<ops::Eq> eq;
inline constexpr Fn<ops::Ne> ne;
inline constexpr Fn<ops::Lt> lt;
inline constexpr Fn<ops::Le> le;
inline constexpr Fn<ops::Gt> gt;
inline constexpr Fn<ops::Ge> ge;
inline constexpr Fn<ops::LogicalAnd> logical_and;
inline constexpr Fn<ops::LogicalOr> logical_or;
inline constexpr Fn<ops::BitwiseAnd> bitwise_and;
inline constexpr Fn<ops::BitwiseOr> bitwise_or;
inline constexpr Fn<ops::Where> where;
}  // namespace luth
