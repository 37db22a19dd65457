// Scatter of rows: each row is written, added, multiplied or compared to a slot of a tensor. Several rows may have one
// slot; the result is always the same.
#pragma once
#include "core/ops/index/index.h"
#include "devices/cuda/kernels/common/index_offsets.cuh"

namespace luth::cuda {

/// Row j of the source goes to slot keys[j] of the target. All offsets are in bytes.
struct RowSlots {
  Offsets<1> target;   // of slots 0 to `slots` - 1 in the target
  Offsets<1> source;   // of rows in the source
  Offsets<2> columns;  // of a row's elements, in target and source
  int64_t slots = 1, rows = 0, columns_numel = 1;

  /// Every element of t is a slot.
  void add_slots(const Tensor& t) {
    for (int d = 0; d < t.dim(); ++d) add_slot(t, d);
  }
  void add_slot(const Tensor& t, int dim) {
    target.add(t.shape()[dim], stride_bytes(t, dim));
    slots *= t.shape()[dim];
  }
  void add_row(int64_t n, int64_t stride_bytes) { source.add(n, stride_bytes); }
  void add_column(int64_t n, int64_t target_bytes, int64_t source_bytes) {
    columns.add(n, target_bytes, source_bytes);
    columns_numel *= n;
  }
};

/// slot keys[j] of y = (or +=, *=, …) alpha * row j of source, which has y's dtype and shares no memory with y. `keys`:
/// int64, row-major; rows with keys of `slots` or more are left out. Of several writes to one slot the last row's
/// stays. Shapes and keys fix the order of sums. `alpha` counts for sums alone.
void put_rows(Tensor& y, const Tensor& source, const Tensor& keys, RowSlots at, ops::Join join,
              const Scalar& alpha = 1);

/// The value of an operator that takes a number or a tensor of one element, as one element of the dtype on the device.
Tensor one_element(const Value& v, const Tensor& like);

}  // namespace luth::cuda
