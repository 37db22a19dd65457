// Lists of positions along a dim on CUDA: index_select, index_add, index_copy, index_fill; and flat positions: take,
// put.
#include "core/ops/index/index.h"

#include "devices/cuda/kernels/common/put_rows.h"

namespace luth::cuda {
namespace {

using ops::Join;

void index_select(const ops::IndexSelect& op, Tensor& y, const Strided& input, const Strided& index) {
  const Tensor x = with_dims(input);
  const int dim = wrap_dim(op.dim, x.dim());
  PickedRows at;
  for (int i = 0; i < dim; ++i) at.add_before(x, i);
  for (int i = dim + 1; i < x.dim(); ++i) at.add_after(x, i);
  pick_rows(y, x, PickList(index, x.shape()[dim], stride_bytes(x, dim), op.base), at);
}

// y = x, with source written or added at positions along a dim. A source of one element stands for all. `wrap`:
// negative positions count from the end.
void join_along(const auto& op, Tensor& y, const Tensor& x, const Tensor& index, const Tensor& source, Join join,
                const Scalar& alpha = 1, bool wrap = false) {
  const Tensor src = with_dims(apart(source, y));
  if (y.raw() != x.raw()) copy_elements(y, x);
  const Tensor target = with_dims(y);
  const int dim = wrap_dim(op.dim, target.dim());
  const bool one = src.numel() == 1;
  RowSlots at;
  at.add_slot(target, dim);
  at.add_row(index.numel(), one ? 0 : stride_bytes(src, dim));
  for (int i = 0; i < target.dim(); ++i)
    if (i != dim) at.add_column(target.shape()[i], stride_bytes(target, i), one ? 0 : stride_bytes(src, i));
  const PickList picks(index, target.shape()[dim], 1, op.base, wrap);
  if (!picks.report_all(y)) put_rows(y, src, pick_keys(picks, y), at, join, alpha);
}

void index_add(const ops::IndexAdd& op, Tensor& y, const Strided& x, const Strided& index, const Strided& source) {
  join_along(op, y, x, index, source, Join::add, rounded_to(y.dtype(), op.alpha));
}
void index_copy(const ops::IndexCopy& op, Tensor& y, const Strided& x, const Strided& index, const Strided& source) {
  join_along(op, y, x, index, source, Join::write);
}
void index_fill(const ops::IndexFill& op, Tensor& y, const Strided& x, const Strided& index, const Value& value) {
  join_along(op, y, x, index, one_element(value, y), Join::write, 1, true);
}

void take(const ops::Take& op, Tensor& y, const Dense& x, const Strided& index) {
  pick_rows(y, x, PickList(index, x.numel(), int64_t(size_of(x.dtype())), op.base, true), {});
}

void put(const ops::Put& op, Tensor& y, const Strided& x, const Strided& index, const Strided& source) {
  const Tensor src = apart(source, y);
  if (y.raw() != x.raw()) copy_elements(y, x);
  RowSlots at;
  at.add_slots(y);
  for (int i = 0; i < src.dim(); ++i) at.add_row(src.shape()[i], stride_bytes(src, i));
  const PickList picks(index, y.numel(), 1, op.base, true);
  if (!picks.report_all(y)) put_rows(y, src, pick_keys(picks, y), at, op.accumulate ? Join::add : Join::write);
}

const Kernel<index_select> index_select_;
const Kernel<index_add> index_add_;
const Kernel<index_copy> index_copy_;
const Kernel<index_fill> index_fill_;
const Kernel<take> take_;
const Kernel<put> put_;

}  // namespace
}  // namespace luth::cuda
