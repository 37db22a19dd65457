// Numbers beside tensors of 16-bit floats, as PyTorch takes them on the CPU. Kernels compute such tensors in float32,
// so a number may count as it is, or as an element of the dtype holds it. Kernels get what this file decides.
//
//   A number is rounded to the dtype, unless the operator's Traits::exact_numbers names its input.
//   A 0-dimensional tensor of another dtype is rounded too, unless it is input 1 and bit 1 is set there: then it counts
//   as a number, and keeps its gradient.
//   Attributes are not rounded, but for those that a `functor<C>(Dtype)` rounds: alpha of add.
#pragma once
#include "core/op/op.h"

namespace luth {

/// Inputs are about to become `d`: whether input 1 stays out of that, as the 0-dimensional tensor that counts as a
/// number. On the CPU it becomes float32. Elsewhere, where it cannot be read, it becomes a number, and is rounded where
/// it wants a gradient.
bool keep_number(const OpInfo& info, Dtype d, Inputs& in);
/// Whether a composite leaves a 0-dimensional input 1 on the CPU, for its parts to keep.
inline bool hands_number_on(const OpInfo& info) { return !info.infer && info.traits.exact_numbers & 0b10; }

/// The inputs that the kernel of an elementwise operator gets as other numbers, as bits, beside a 16-bit float.
uint32_t numbers_beside_half(const Call& call);
inline uint32_t half_numbers(const Call& call) {
  for (auto& v : call.in)
    if (v.is_tensor() && is_half_float(v.tensor().dtype())) return numbers_beside_half(call);
  return 0;
}
/// The call with those inputs replaced.
Call with_half_numbers(const Call& call, uint32_t numbers);

}  // namespace luth
