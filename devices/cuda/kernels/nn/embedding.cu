// Rows of a table by index on CUDA, their gradient, and one_hot.
#include "core/ops/nn/embedding.h"

#include "devices/cuda/kernels/common/put_rows.h"

namespace luth::cuda {
namespace {

void embedding(const ops::Embedding& op, Tensor& y, const Strided& input, const Strided& weight) {
  PickedRows at;
  at.add_after(weight, 1);
  pick_rows(y, weight, PickList(input, weight.shape()[0], stride_bytes(weight, 0), op.base, false, "input"), at);
}

void embedding_backward(const ops::EmbeddingBackward& op, Tensor& y, const Dense& grad, const Strided& input) {
  if (!is_floating(y.dtype())) throw_unsupported(y.dtype());
  if (y.numel()) y.device().fill_zero(y.raw(), y.bytes());
  const int64_t n = y.shape()[1], size = int64_t(size_of(y.dtype()));
  RowSlots at;
  at.add_slot(y, 0);
  at.add_row(input.numel(), n * size);
  at.add_column(n, size, size);
  const PickList picks(input, op.rows, 1, op.forward.base, false, "input");
  if (!picks.report_all(y))
    put_rows(y, grad, pick_keys(picks, y, {}, op.forward.padding_idx.value_or(-1), op.rows), at, ops::Join::add);
}

__global__ void one_hot_kernel(int64_t* y, int64_t classes, Picks picks) {
  for (int64_t r = first_row(); r < picks.numel; r += row_step()) {
    const int64_t at = picks.offset(r);
    for (int64_t c = first_column(); c < classes; c += column_step()) y[r * classes + c] = c == at;
  }
}
void one_hot(const ops::OneHot& op, Tensor& y, const Strided& input) {
  if (y.numel() == 0) return;
  const int64_t classes = y.shape().back();
  const PickList picks(input, classes, 1, op.base, false, "input");
  const RowGrid g(picks.numel(), classes);
  start(y, one_hot_kernel, g.grid, g.block, 0, y.data<int64_t>(), classes, picks.picks());
}

const Kernel<embedding> embedding_;
const Kernel<embedding_backward> embedding_backward_;
const Kernel<one_hot> one_hot_;

}  // namespace
}  // namespace luth::cuda
