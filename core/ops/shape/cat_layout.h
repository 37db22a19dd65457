// The memory order in which kernels join tensors.
#pragma once
#include "core/ops/shape/cat.h"

namespace luth::ops {

/// cat in row-major memory. A channels-last result is joined through views whose dims have the order of its memory: N,
/// spatial dims, C.
struct CatLayout {
  bool channels_last;
  Tensor y;   // the result, row-major
  int dim;    // of y, along which tensors are joined
  Axis axis;  // that dim

  CatLayout(const CatFew& op, const Tensor& result)
      : channels_last(!result.is_contiguous()), y(view(result)), dim(wrap_dim(op.dim, result.dim())) {
    if (channels_last && dim > 0) dim = dim == 1 ? result.dim() - 1 : dim - 1;
    axis = axis_of(y.shape(), dim);
  }
  /// The view of an input that belongs to y.
  Tensor view(const Tensor& t) const {
    if (!channels_last) return t;
    Shape shape{t.shape()[0]}, strides{t.strides()[0]};
    for (int i = 2; i < t.dim(); ++i) shape.push_back(t.shape()[i]), strides.push_back(t.strides()[i]);
    shape.push_back(t.shape()[1]), strides.push_back(t.strides()[1]);
    return Tensor::alias(t.storage(), shape, strides, t.offset(), t.dtype());
  }
};

}  // namespace luth::ops
