// Gradients of operators that pick elements.
#pragma once
#include "core/op/basics.h"

namespace luth::ops {

/// Zeros to write dy into, the gradient of elements picked from `t`. They lie where dy does, which may be within more
/// vmaps than `t`.
inline Tensor zeros_beside(const Tensor& dy, const Tensor& t) { return full(t.shape(), 0, t.dtype(), dy.device()); }

}  // namespace luth::ops
