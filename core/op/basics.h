// Operators that are needed below the rooms which define them: by apply() and autograd, and by rules of families that
// those of higher rooms are made of. They are declared here as plain functions and defined beside their operators in
// core/ops; all others call the operators themselves. See also cast_to() and expand_to() in op.h.
#pragma once
#include "core/op/op.h"

namespace luth {

Tensor full(const Shape& shape, const Scalar& value, Dtype dtype, Device& device);
/// Sums out what broadcasting added: the result has `shape`.
Tensor sum_to(const Tensor& t, const Shape& shape);

namespace basic {
Tensor clone(const Tensor& t);
/// Writes `from`, which may be of another dtype and device and is broadcast, into `to`.
Tensor copy_into(const Tensor& to, const Tensor& from);
Tensor fill_into(const Tensor& to, const Scalar& value);
Tensor to_device(const Tensor& t, Device& device, bool non_blocking = false);
/// A tensor on a batched device (core/tensor/batched_device.h) whose samples are all `t`.
Tensor share_samples(const Tensor& t, Device& device);
Tensor add(const Tensor& a, const Tensor& b);
Tensor add_into(const Tensor& sum, const Tensor& more);
Tensor neg(const Value& v);
Tensor square(const Value& v);
Tensor log(const Value& v);
/// A view of the storage; strides and offset in elements.
Tensor as_strided(const Tensor& t, const Shape& size, const Strides& stride, int64_t offset);
Tensor index_select(const Tensor& t, const Tensor& index, int64_t dim);
/// Adds the elements of `source` to those of a vector that `index` lists.
Tensor index_add_into(const Tensor& t, const Tensor& index, const Tensor& source);
bool any_nan(const Tensor& t);
}  // namespace basic

/// `copy` is the one operator whose inputs may lie on different devices. Moves in[1] to the device of in[0], to be
/// written there; or copies it straight, where both have the same layout and nothing is recorded, and returns true.
/// Does nothing for other operators.
bool copy_from_elsewhere(const OpInfo& info, const void* op, Inputs& in);

}  // namespace luth
