// Tensors of the CPU in pinned memory: copies between them and a GPU need not wait.
#pragma once
#include "core/tensor/tensor.h"

namespace luth {

/// A copy of a CPU tensor in memory that `device` has pinned, dense in row-major order; the tensor itself where it is
/// pinned already. Throws for tensors of other devices, and where the device pins none. Not recorded.
Tensor pin_memory(const Tensor& t, Device& device);
/// Uninitialised.
Tensor empty_pinned(const Shape& shape, Dtype dtype, Device& device);
/// Whether what lies at `p` was pinned by this.
bool is_pinned(const void* p);

}  // namespace luth
