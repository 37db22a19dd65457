// A convolution and its gradients as one product of matrices that are never written out: the description that the
// kernels of conv.cu share.
//
// With `position` for a sample and a pixel of its image, and `digit` for a channel and a pixel of a filter,
//   images[m, position] = sum over digits of filters[m, digit] * window[position, digit]
//   filters[m, digit]   = sum over positions of images[m, position] * window[position, digit]
// where `window` is the element of the other images that the filter's element meets at this position: an offset in
// memory and three coordinates (plane, row, column) are each the sum of a part that the position gives and one that the
// digit gives. Convolution is the first line with images = y and windows of x; the gradient of the input is the first
// with images = dx, windows of dy and filters turned; the gradient of the filters is the second. So a kernel knows a
// sum over one list (`summed`) for each m and each member of the other (`free`). Where there are fewer than three
// spatial dims, the first ones have one element.
#pragma once
#include "devices/cuda/kernels/common/classes.cuh"
#include "devices/cuda/kernels/common/divisor.h"

namespace luth::cuda {

/// The part of a position or of a digit: an offset and a plane, row and column in the windowed images, and an offset in
/// the operand that it indexes by itself.
struct alignas(16) Coordinates {
  int window, at[3];  // find() reads these in one load
  int own;
};
inline constexpr int outside = -(1 << 30);  // a column that no other part brings back inside

/// All positions, or all digits: four numbers that count like a clock, of which the first runs fastest.
struct CoordinateList {
  uint32_t count;
  Divisor by[3];
  Coordinates start, step[4];

  __device__ Coordinates at(uint32_t i) const {
    if (i >= count) return {0, {0, 0, outside}, 0};
    int c[4];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const uint32_t rest = by[k].divide(i);
      c[k] = int(i - rest * by[k].d);
      i = rest;
    }
    c[3] = int(i);
    Coordinates p = start;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      p.window += c[k] * step[k].window;
      p.own += c[k] * step[k].own;
#pragma unroll
      for (int d = 0; d < 3; ++d) p.at[d] += c[k] * step[k].at[d];
    }
    return p;
  }
};

/// out[m, free] = sum over summed of left[m, summed] * window[summed, free], for each group. Offsets are in elements;
/// the host sees to it that they fit.
struct ConvProduct {
  CoordinateList summed, free;
  int m;                       // per group
  int left_m, out_m;           // distances of neighbours in m
  int extent[3], distance[3];  // of the windowed images
  Divisor step[3];             // only multiples meet an element: the stride of a gradient, otherwise 1
  bool steps;                  // one of them is not 1
  int window_group, left_group, out_group;
  int groups, splits;
  uint32_t per_split;  // members of `summed` in one part of the sum

  /// The offset of the window's element, or -1 for padding.
  __device__ int find(const Coordinates& a, const Coordinates& b) const {
    int offset = a.window + b.window;
    bool inside = true;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      int at = a.at[d] + b.at[d];
      if (steps) {
        const int whole = int(step[d].divide(uint32_t(max(at, 0))));
        inside = inside && whole * int(step[d].d) == at;
        at = whole;
      }
      inside = inside && uint32_t(at) < uint32_t(extent[d]);
      offset += at * distance[d];
    }
    return inside ? offset : -1;
  }
};

}  // namespace luth::cuda
