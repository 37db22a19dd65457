// The dims of several operands that are walked together.
#pragma once
#include <algorithm>

#include "core/tensor/tensor.h"

namespace luth {

/// Operands over one shape: dims merged where every operand's strides allow it, and ordered so that the first operand's
/// memory is walked forwards. Strides are in bytes; at least one dim, the innermost last.
template <int most>
struct Nest {
  int count, dims = 0;
  int64_t extent[max_dims], stride[max_dims][most];

  /// `tensors[k]` null: a number, which has stride 0. `sizes`: of an element, in bytes.
  Nest(const Shape& shape, int operands, const Tensor* const* tensors, const size_t* sizes) : count(operands) {
    bool contiguous = true;
    for (int k = 0; k < count; ++k) contiguous = contiguous && (!tensors[k] || tensors[k]->is_contiguous());
    if (contiguous) {
      one_dim(shape.numel(), tensors, sizes);
      return;
    }
    int order[max_dims];
    sort_dims(shape, tensors[0]->strides(), order);
    for (int i = 0; i < shape.size(); ++i) add(shape[order[i]], order[i], tensors, sizes);
    if (dims == 0) one_dim(1, tensors, sizes);  // all extents are 1
  }
  int64_t inner() const { return extent[dims - 1]; }
  const int64_t* inner_stride() const { return stride[dims - 1]; }

 private:
  void one_dim(int64_t n, const Tensor* const* tensors, const size_t* sizes) {
    dims = 1;
    extent[0] = n;
    for (int k = 0; k < count; ++k) stride[0][k] = tensors[k] ? int64_t(sizes[k]) : 0;
  }
  static void sort_dims(const Shape& shape, const Strides& st, int* order) {
    for (int i = 0; i < shape.size(); ++i) order[i] = i;
    for (int i = 1; i < shape.size(); ++i)
      for (int j = i; j > 0 && st[order[j - 1]] < st[order[j]]; --j) std::swap(order[j - 1], order[j]);
  }
  void add(int64_t n, int dim, const Tensor* const* tensors, const size_t* sizes) {
    if (n == 1) return;
    int64_t st[most];
    bool merge = dims > 0;
    for (int k = 0; k < count; ++k) {
      st[k] = tensors[k] ? tensors[k]->strides()[dim] * int64_t(sizes[k]) : 0;
      merge = merge && stride[dims - 1][k] == st[k] * n;
    }
    if (merge)
      extent[dims - 1] *= n;
    else
      extent[dims++] = n;
    std::copy(st, st + count, stride[dims - 1]);
  }
};

}  // namespace luth
