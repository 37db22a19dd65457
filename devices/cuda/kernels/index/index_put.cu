// Several index tensors at once on CUDA: index and index_put.
#include "core/ops/common/expanded.h"
#include "core/ops/index/index.h"
#include "core/ops/index/index_plan.h"
#include "devices/cuda/kernels/common/put_rows.h"

namespace luth::cuda {
namespace {

void index(const ops::Index& op, Tensor& y, const Value& input, const List indices) {
  const Tensor& x = input.tensor();
  const IndexPlan plan = plan_index(x.shape(), indices, op.base);
  PickedRows at;
  PickList picks;
  for (int64_t d : plan.before) at.add_before(x, int(d));
  for (int64_t d : plan.after) at.add_after(x, int(d));
  for (auto& p : plan.picks) picks.add(p.index, x.shape()[p.dim], stride_bytes(x, p.dim), op.base, true);
  pick_rows(y, x, picks, at);
}

// The values with the shape that the indices pick.
Tensor expanded_values(const Value& values, const IndexPlan& plan, const Tensor& y) {
  const Tensor v = values.is_scalar() ? one_element(values, y) : apart(values.tensor(), y);
  const Shape shape = values.shape();
  if (shape.size() > plan.result.size() || !(broadcast(shape, plan.result) == plan.result))
    throw Error("values of shape {} do not fit the shape {} that the indices pick", to_string(shape),
                to_string(plan.result));
  return expanded(v, plan.result);
}

void index_put(const ops::IndexPut& op, Tensor& y, const Value& input, const Value& values, const List indices) {
  const Tensor& x = input.tensor();
  const IndexPlan plan = plan_index(x.shape(), indices, op.base);
  const Tensor v = expanded_values(values, plan, y);
  if (y.raw() != x.raw()) copy_elements(y, x);
  RowSlots at;
  int from = 0;  // the dim of v
  for (int64_t d : plan.before) at.add_column(y.shape()[d], stride_bytes(y, int(d)), stride_bytes(v, from++));
  for (int64_t n : plan.shape) at.add_row(n, stride_bytes(v, from++));
  for (int64_t d : plan.after) at.add_column(y.shape()[d], stride_bytes(y, int(d)), stride_bytes(v, from++));
  for (auto& p : plan.picks) at.add_slot(y, p.dim);
  PickList picks;
  int64_t stride = at.slots;
  for (auto& p : plan.picks) {
    const int64_t n = y.shape()[p.dim];
    stride = n ? stride / n : 0;
    picks.add(p.index, n, stride, op.base, true);
  }
  if (!picks.report_all(y)) put_rows(y, v, pick_keys(picks, y), at, op.accumulate ? ops::Join::add : ops::Join::write);
}

const Kernel<index> index_;
const Kernel<index_put> index_put_;

}  // namespace
}  // namespace luth::cuda
