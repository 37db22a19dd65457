// Copies between layouts, for kernels that prepare their operands.
#pragma once
#include "core/op/op.h"

namespace luth::cuda {

/// out = in, converted, for tensors of one shape and CUDA device, of any layouts, or a number; in the current stream.
void copy_elements(Tensor& out, const Value& in);

/// `t` row-major; a copy only where it is not. Empty dims and extents of 1 may have any stride.
Tensor row_major(const Tensor& t);

/// `t`, or a row-major copy of it where it shares memory with `out`, which is about to be written.
Tensor apart(const Tensor& t, const Tensor& out);

}  // namespace luth::cuda
