// Rows written, added, multiplied or compared to places of a tensor, several of which may be one: always with the same
// result.
#pragma once
#include "core/ops/index/index.h"
#include "devices/cuda/kernels/common/index_offsets.cuh"

namespace luth::cuda {

/// Row j of the source goes to place keys[j] of the target. All offsets are in bytes.
struct RowPlaces {
  Offsets<1> target;   // of places, 0 to `places` - 1, in the target
  Offsets<1> source;   // of rows in the source
  Offsets<2> columns;  // of a row's elements, in target and source
  int64_t places = 1, rows = 0, columns_numel = 1;

  /// The dims of t, all of them, are places.
  void add_places(const Tensor& t) {
    for (int d = 0; d < t.dim(); ++d) add_place(t, d);
  }
  void add_place(const Tensor& t, int dim) {
    target.add(t.shape()[dim], stride_bytes(t, dim));
    places *= t.shape()[dim];
  }
  void add_row(int64_t n, int64_t stride_bytes) { source.add(n, stride_bytes); }
  void add_column(int64_t n, int64_t target_bytes, int64_t source_bytes) {
    columns.add(n, target_bytes, source_bytes);
    columns_numel *= n;
  }
};

/// y at places `keys` (int64, row-major; those of `places` or more are left out) = (or +=, *=, …) alpha * source, of
/// y's dtype; of several writes to one place that of the last row stays, and sums are made in an order that shapes and
/// keys fix. `alpha` counts for sums. `source` shares no memory with y.
void put_rows(Tensor& y, const Tensor& source, const Tensor& keys, RowPlaces at, ops::Join join,
              const Scalar& alpha = 1);

/// The value of an operator that takes a number or a tensor of one element, as one element of the dtype on the device.
Tensor one_element(const Value& v, const Tensor& like);

}  // namespace luth::cuda
