// Reduced dims as one axis.
#pragma once
#include "core/op/define.h"

namespace luth {

/// The dims in `mask` as one axis: in place where they are neighbours, else moved to the end by a copy. `x` is dense.
inline Axis reduced_axis(Tensor& x, uint32_t mask) {
  int first = 0, last = x.dim() - 1;
  while (first <= last && !(mask >> first & 1)) ++first;
  while (last >= first && !(mask >> last & 1)) --last;
  bool neighbours = true;
  for (int i = first; i <= last; ++i) neighbours = neighbours && (mask >> i & 1);
  if (!neighbours) {
    Shape shape, strides;
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < x.dim(); ++i)
        if (int(mask >> i & 1) == pass) shape.push_back(x.shape()[i]), strides.push_back(x.strides()[i]);
    x = dense_copy(Tensor::alias(x.storage(), shape, strides, x.offset(), x.dtype()));
    last = x.dim() - 1;
    first = x.dim() - __builtin_popcount(mask);
  }
  Axis a{1, 1, 1};
  for (int i = 0; i < x.dim(); ++i) (i < first ? a.outer : i <= last ? a.n : a.inner) *= x.shape()[i];
  return a;
}

}  // namespace luth
