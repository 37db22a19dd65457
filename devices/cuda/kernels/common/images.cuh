// Images [N, C, H, W] or [C, H, W] of any layout, for the kernels of pooling.
#pragma once
#include "core/op/memory_order.h"
#include "devices/cuda/kernels/common/classes.cuh"
#include "devices/cuda/kernels/common/divisor.h"

namespace luth::cuda {

/// An element by what it is rather than where it lies.
struct Pixel {
  int64_t n, c;
  int y, x;
};

/// Distances of neighbours in memory, in elements, and extents.
struct Images {
  int64_t n, c, row, column, channels;
  int h, w;

  explicit Images(const Tensor& t) {
    const int d = t.dim();
    const Strides& st = t.strides();
    if (t.shape()[d - 2] * t.shape()[d - 1] > INT32_MAX)
      throw Error("planes of {} elements are too large", t.shape()[d - 2] * t.shape()[d - 1]);
    n = d == 4 ? st[0] : 0, c = st[d - 3], row = st[d - 2], column = st[d - 1], channels = t.shape()[d - 3];
    h = int(t.shape()[d - 2]), w = int(t.shape()[d - 1]);
  }
  __device__ int64_t at(const Pixel& p) const { return p.n * n + p.c * c + p.y * row + p.x * column; }
  /// Its number in row-major order.
  __device__ int64_t number(const Pixel& p) const { return ((p.n * channels + p.c) * h + p.y) * w + p.x; }
};

/// The elements of a dense result, NCHW or NHWC, in the order of its memory.
struct Pixels {
  int64_t numel, extent[3];
  Divisor divisor[3];
  bool last;

  explicit Pixels(const Tensor& t) : numel(t.numel()), last(only_channels_last(t)) {
    const int64_t c = t.shape()[t.dim() - 3], h = t.shape()[t.dim() - 2], w = t.shape()[t.dim() - 1];
    const int64_t order[3] = {last ? c : w, last ? w : h, last ? h : c};
    for (int k = 0; k < 3; ++k) {
      extent[k] = order[k];
      if (numel <= INT32_MAX) divisor[k] = Divisor(order[k]);
    }
  }
  __device__ Pixel at(int64_t i) const {
    int64_t digit[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int64_t rest = numel <= INT32_MAX ? int64_t(divisor[k].divide(uint32_t(i))) : i / extent[k];
      digit[k] = i - rest * extent[k];
      i = rest;
    }
    return last ? Pixel{i, digit[0], int(digit[2]), int(digit[1])} : Pixel{i, digit[2], int(digit[1]), int(digit[0])};
  }
};

}  // namespace luth::cuda
