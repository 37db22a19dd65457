// A position for each element on CUDA: gather, scatter, scatter_add.
#include "core/ops/index/index.h"
#include "devices/cuda/kernels/common/put_rows.h"

namespace luth::cuda {
namespace {

void gather(const ops::Gather& op, Tensor& y, const Strided& input, const Strided& index) {
  if (index.numel() == 0) return;
  const Tensor x = with_dims(input), positions = with_dims(index);
  const int dim = wrap_dim(op.dim, x.dim());
  PickedRows at;
  for (int i = 0; i < x.dim(); ++i) at.beside.add(positions.shape()[i], i == dim ? 0 : stride_bytes(x, i));
  pick_rows(y, x, PickList(index, x.shape()[dim], stride_bytes(x, dim), op.base), at);
}

// `src` has at least one element for each of index, or a single one that stands for all.
void join_elements(const auto& op, Tensor& y, const Tensor& x, const Tensor& index, const Tensor& source, bool one,
                   ops::Join join) {
  const Tensor src = with_dims(apart(source, y));
  if (y.raw() != x.raw()) copy_elements(y, x);
  if (index.numel() == 0) return;
  const Tensor target = with_dims(y);
  const Shape shape = with_dims(index).shape();
  const Strides keys = contiguous_strides(target.shape());
  const int dim = wrap_dim(op.dim, target.dim());
  RowSlots at;
  Offsets<1> beside;
  at.add_slots(target);
  for (int i = 0; i < target.dim(); ++i) {
    beside.add(shape[i], i == dim ? 0 : keys[i]);
    at.add_row(shape[i], one ? 0 : stride_bytes(src, i));
  }
  const PickList picks(index, target.shape()[dim], keys[dim], op.base);
  if (!picks.report_all(y)) put_rows(y, src, pick_keys(picks, y, beside), at, join);
}

void scatter(const ops::Scatter& op, Tensor& y, const Strided& x, const Strided& index, const Strided& src) {
  join_elements(op, y, x, index, src, false, op.join());
}
void scatter_add(const ops::ScatterAdd& op, Tensor& y, const Strided& x, const Strided& index, const Strided& src) {
  join_elements(op, y, x, index, src, false, ops::Join::add);
}
void scatter_value(const ops::ScatterValue& op, Tensor& y, const Strided& x, const Strided& index, const Value& value) {
  join_elements(op, y, x, index, one_element(value, y), true, op.join());
}

const Kernel<gather> gather_;
const Kernel<scatter> scatter_;
const Kernel<scatter_add> scatter_add_;
const Kernel<scatter_value> scatter_value_;

}  // namespace
}  // namespace luth::cuda
