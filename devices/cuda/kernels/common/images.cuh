// Sequences, images and volumes [N, C, …] or [C, …] of any layout, for the kernels of pooling.
#pragma once
#include "core/op/memory_order.h"
#include "devices/cuda/kernels/common/classes.cuh"
#include "devices/cuda/kernels/common/divisor.h"

namespace luth::cuda {

/// The coordinates of an element: sample, channel, and plane, row and column (`at`).
struct Pixel {
  int64_t n, c;
  int at[3];
};

/// Strides, in elements, and extents. Where there are fewer than three spatial dims, the
/// first ones have one element.
struct Images {
  int64_t n, c, step[3], channels;
  int extent[3];

  Images(const Tensor& t, int dims) {
    const int lead = t.dim() - dims;
    n = lead == 2 ? t.strides()[0] : 0, c = t.strides()[lead - 1], channels = t.shape()[lead - 1];
    for (int d = 0; d < 3; ++d) {
      const int k = lead + d - (3 - dims);
      step[d] = k < lead ? 0 : t.strides()[k], extent[d] = k < lead ? 1 : int(t.shape()[k]);
    }
  }
  __device__ int64_t at(const Pixel& p) const {
    return p.n * n + p.c * c + p.at[0] * step[0] + p.at[1] * step[1] + p.at[2] * step[2];
  }
  /// The position of an element in its channel, row by row, and back.
  __device__ int position(const int (&p)[3]) const { return (p[0] * extent[1] + p[1]) * extent[2] + p[2]; }
  __device__ Pixel pixel(int64_t n, int64_t c, int64_t position) const {
    const int row = int(position) / extent[2], plane = row / extent[1];
    return {n, c, {plane, row - plane * extent[1], int(position) - row * extent[2]}};
  }
};

/// The elements of a dense result, NC… or NHWC, in the order of its memory.
struct Pixels {
  int64_t numel, extent[4];
  Divisor divisor[4];
  bool last;

  Pixels(const Tensor& t, int dims) : numel(t.numel()), last(dims == 2 && only_channels_last(t)) {
    const Images i(t, dims);
    const int64_t rows[4] = {i.extent[2], i.extent[1], i.extent[0], i.channels},
                  pixels[4] = {i.channels, i.extent[2], i.extent[1], i.extent[0]};
    for (int k = 0; k < 4; ++k) {
      extent[k] = last ? pixels[k] : rows[k];
      if (numel <= INT32_MAX) divisor[k] = Divisor(extent[k]);
    }
  }
  __device__ Pixel at(int64_t i) const {
    int64_t digit[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int64_t rest = numel <= INT32_MAX ? int64_t(divisor[k].divide(uint32_t(i))) : i / extent[k];
      digit[k] = i - rest * extent[k];
      i = rest;
    }
    return last ? Pixel{i, digit[0], {int(digit[3]), int(digit[2]), int(digit[1])}}
                : Pixel{i, digit[3], {int(digit[2]), int(digit[1]), int(digit[0])}};
  }
};

}  // namespace luth::cuda
