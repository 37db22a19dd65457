// Numbers beside tensors of 16-bit floats, which are computed in float: which ones count as they are, and which are
// rounded to the dtype first, as PyTorch does it on the CPU. For kernels.
#pragma once
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

struct Add;
struct Sub;
struct Mul;
struct Div;
struct FloorDivide;
struct TruncDivide;
struct Ldexp;
struct Lerp;
struct Hardshrink;
struct Softshrink;

/// Bit k: a number as input k is not rounded. For all other operators it is; so are 0-dimensional tensors, but for
/// second operands of those that have bit 1 (see KeepsNumber in given.h).
template <class Op>
inline constexpr unsigned exact_numbers = 0;
template <>
inline constexpr unsigned exact_numbers<Mul> = 0b11;
template <>
inline constexpr unsigned exact_numbers<Div> = 0b11;
template <>
inline constexpr unsigned exact_numbers<FloorDivide> = 0b10;
template <>
inline constexpr unsigned exact_numbers<TruncDivide> = 0b10;
template <>
inline constexpr unsigned exact_numbers<Ldexp> = 0b10;
template <>
inline constexpr unsigned exact_numbers<Lerp> = 0b100;

/// The number as elements of `d` hold it where that is a 16-bit float, and itself otherwise.
inline Scalar rounded_to(Dtype d, const Scalar& v) {
  if (d == Dtype::f16) return double(float(v.to<half>()));
  return d == Dtype::bf16 ? Scalar(double(float(v.to<bfloat16>()))) : v;
}
/// The operator for elements of dtype `d`: attributes of a few are rounded to it, those of all others are not.
template <class Op>
Op for_elements_of(Dtype d, Op op) {
  if constexpr (requires { op.forward; })
    op.forward = for_elements_of(d, op.forward);
  else if constexpr (std::is_same_v<Op, Add> || std::is_same_v<Op, Sub>)
    op.alpha = rounded_to(d, op.alpha);
  else if constexpr (std::is_same_v<Op, Hardshrink> || std::is_same_v<Op, Softshrink>)
    op.lambd = rounded_to(d, op.lambd).value();
  return op;
}

}  // namespace luth::ops
