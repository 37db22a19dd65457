// A convolution and its gradients as one product of matrices that are never written out: the description that the
// kernels of conv.cu share.
//
// With `position` for a sample and a place in its image, and `digit` for a channel and a place in a filter,
//   images[m, position] = sum over digits of filters[m, digit] * window[position, digit]
//   filters[m, digit]   = sum over positions of images[m, position] * window[position, digit]
// where `window` is the element of the other images that the filter's element meets at this position: an offset in
// memory, a row and a column are each the sum of a part that the position gives and one that the digit gives. conv2d is
// the first line with images = y and windows of x; the gradient of the input is the first with images = dx, windows of
// dy and filters turned; the gradient of the filters is the second. So a kernel knows a sum over one list (`summed`)
// for each m and each member of the other (`free`).
#pragma once
#include "devices/cuda/kernels/common/classes.cuh"
#include "devices/cuda/kernels/common/divisor.h"

namespace luth::cuda {

/// What a position or a digit gives: offsets in the windowed images and in the operand that it indexes by itself, and
/// a row and a column of the windowed images.
struct alignas(16) Place {
  int window, own, row, column;
};
inline constexpr int outside = -(1 << 30);  // a row that no other part brings back inside

/// All positions, or all digits: three numbers that count like a clock, of which the first runs fastest.
struct PlaceList {
  uint32_t count;
  Divisor fast, middle;
  Place start, step[3];

  __device__ Place at(uint32_t i) const {
    if (i >= count) return {0, 0, outside, outside};
    const uint32_t rest = fast.divide(i), slow = middle.divide(rest);
    const int c[3] = {int(i - rest * fast.d), int(rest - slow * middle.d), int(slow)};
    Place p = start;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      p.window += c[k] * step[k].window;
      p.own += c[k] * step[k].own;
      p.row += c[k] * step[k].row;
      p.column += c[k] * step[k].column;
    }
    return p;
  }
};

/// out[m, free] = sum over summed of left[m, summed] * window[summed, free], for each group. Offsets are in elements;
/// the host sees to it that they fit.
struct ConvProduct {
  PlaceList summed, free;
  int m;                          // per group
  int left_m, out_m;              // distances of neighbours in m
  int window_row, window_column;  // of the windowed images: distances
  int rows, columns;              // and extents
  Divisor row_step, column_step;  // only multiples meet an element: the stride of a gradient, otherwise 1
  int window_group, left_group, out_group;
  int groups, splits;
  uint32_t per_split;  // members of `summed` in one part of the sum

  /// The offset of the window's element, or -1 for padding.
  __device__ int find(const Place& a, const Place& b) const {
    int row = a.row + b.row, column = a.column + b.column;
    if (row_step.d != 1 || column_step.d != 1) {
      const int r = int(row_step.divide(uint32_t(max(row, 0)))), c = int(column_step.divide(uint32_t(max(column, 0))));
      if (r * int(row_step.d) != row || c * int(column_step.d) != column) return -1;
      row = r, column = c;
    }
    if (uint32_t(row) >= uint32_t(rows) || uint32_t(column) >= uint32_t(columns)) return -1;
    return a.window + b.window + row * window_row + column * window_column;
  }
};

}  // namespace luth::cuda
