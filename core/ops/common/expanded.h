// Broadcasting inside of kernels, where expand() would be a call of an operator.
#pragma once
#include "core/tensor/tensor.h"

namespace luth {

/// t with a shape to which it broadcasts, on the same memory: a dim that is new, or has one element, gets stride 0.
inline Tensor expanded(const Tensor& t, const Shape& shape) {
  Strides strides(size_t(shape.size()), 0);
  const int lead = shape.size() - t.dim();
  for (int i = 0; i < t.dim(); ++i)
    if (t.shape()[i] != 1) strides[lead + i] = t.strides()[i];
  return Tensor::alias(t.storage(), shape, strides, t.offset(), t.dtype());
}

}  // namespace luth
