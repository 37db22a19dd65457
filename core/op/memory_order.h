// Memory orders of images, for the kernels that have code for NCHW and for NHWC.
#pragma once
#include "core/op/define.h"

namespace luth {

/// True for memory in NHWC order that is not NCHW as well.
inline bool only_channels_last(const Tensor& t) { return t.dim() == 4 && t.is_channels_last() && !t.is_contiguous(); }

/// Dense memory in NCHW or NHWC order: the tensor's own where it lies so, else a copy. Not recorded.
inline Tensor laid(const Tensor& t, bool channels_last) {
  if (!channels_last || t.dim() != 4) return t.is_contiguous() ? t : dense_copy(t);
  if (t.is_channels_last()) return t;
  const Shape& s = t.shape();
  const Strides& st = t.strides();
  Tensor copy = dense_copy(
      Tensor::alias(t.storage(), {s[0], s[2], s[3], s[1]}, {st[0], st[2], st[3], st[1]}, t.offset(), t.dtype()));
  return Tensor::alias(copy.storage(), s, channels_last_strides(s), 0, t.dtype());
}

}  // namespace luth
