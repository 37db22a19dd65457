// What is checked of a tensor that a call writes, in place or as out=. Each such call passes here, so the functions are
// inline.
#pragma once
#include <algorithm>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "core/op/op.h"
#include "core/tensor/batched_device.h"

namespace luth {

enum class Overlap { none, exact, partial, unclear };

/// PyTorch's rule: certain only where both fill their range of memory.
inline Overlap overlap(const Tensor& a, const Tensor& b) {
  if (!(a.storage() == b.storage()) || a.numel() == 0 || b.numel() == 0) return Overlap::none;
  if (a.offset() == b.offset() && a.strides() == b.strides() && a.shape() == b.shape() && a.dtype() == b.dtype())
    return Overlap::exact;
  auto begin = [](const Tensor& t) { return t.offset() * int64_t(size_of(t.dtype())); };
  auto end = [](const Tensor& t) { return reach(t.shape(), t.strides(), t.offset()) * int64_t(size_of(t.dtype())); };
  if (end(a) <= begin(b) || end(b) <= begin(a)) return Overlap::none;
  return is_dense(a.shape(), a.strides()) && is_dense(b.shape(), b.strides()) ? Overlap::partial : Overlap::unclear;
}

/// PyTorch's rule: `fill_` and `zero_` with a number may write an expanded tensor, no other operator.
inline bool may_write_expanded(const Call& call) {
  return call.inplace && call.info->traits.fills && (call.in.size() == 1 || call.in[1].is_scalar());
}

/// No input may change while `self` is written: one that shares its memory in a way that is not clear is copied first.
[[gnu::always_inline]] inline void separate(Call& call, const Tensor& self) {
  if (is_expanded(self.shape(), self.strides()) && !may_write_expanded(call))
    throw Error("the tensor to write has several elements in one place (it was expanded); clone() it first");
  for (auto& v : call.in) {
    Overlap found = v.is_tensor() ? overlap(self, v.tensor()) : Overlap::none;
    if (found == Overlap::partial)
      throw Error("the tensor to write overlaps an input in part; clone() the input first");
    if (found == Overlap::unclear) v = basic::clone(v.tensor());
  }
}

/// Within vmap: the history of a tensor from outside would not tell of a write into its samples.
[[gnu::always_inline]] inline void check_samples(const Tensor& self, const Inputs& in) {
  if (!current_batch() || !grad_enabled() || !as_batched(self.device()) || !shares_samples(self)) return;
  for (auto& v : in)
    if (v.is_tensor() && v.tensor().requires_grad())
      throw Error("writes into a sample of a tensor from outside of vmap, whose gradient would not see it; clone() it");
}

/// Whether `target` is what would be allocated for the one result, and shares memory with no input.
inline bool stands_for_new(const Tensor& target, const Specs& specs, const Inputs& in) {
  if (specs.size() != 1 || !(specs[0].shape == target.shape())) return false;
  if (!(specs[0].strides.empty() ? target.is_contiguous() : target.strides() == specs[0].strides)) return false;
  return std::ranges::none_of(
      in, [&](const Value& v) { return v.is_tensor() && v.tensor().storage() == target.storage(); });
}

/// The tensors of out=, before anything is computed.
[[gnu::always_inline]] inline void check_out(const Inputs& in, const Tensors& out) {
  bool recorded = false;
  for (auto& v : in) recorded = recorded || (v.is_tensor() && v.tensor().requires_grad());
  for (size_t i = 0; i < out.size(); ++i) {
    if (!out[i]) throw Error("out= expects a tensor");
    check_writable(*out[i].storage());
    recorded = recorded || out[i].requires_grad();
    for (size_t k = 0; k < i; ++k)
      if (overlap(out[i], out[k]) != Overlap::none) throw Error("two tensors of out= share memory");
  }
  if (recorded && grad_enabled()) throw Error("out= does not record gradients; drop it or use torch.no_grad()");
}

}  // namespace luth
