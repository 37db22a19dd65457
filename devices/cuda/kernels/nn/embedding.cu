// Rows of a table by index on CUDA, their gradient, their sums, and one_hot.
#include "core/ops/nn/embedding.h"

#include "devices/cuda/kernels/common/classes.cuh"
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

/// Where the positions of each bag begin: every k, or as `begins` say.
struct Bags {
  int64_t count, k, positions;
  bool even;
  Picks begins;
  __device__ int64_t begin(int64_t r) const { return even ? r * k : r < begins.numel ? begins.offset(r) : positions; }
};
template <class T>
__global__ void row_sums_kernel(Elements<T> y, Elements<T> table, Elements<T> weights, int64_t n, Bags bags,
                                int64_t skip, Picks picks) {
  for (int64_t r = first_row(); r < bags.count; r += row_step())
    for (int64_t c = first_column(); c < n; c += column_step()) {
      typename Elements<T>::Compute sum = 0;
      const int64_t end = bags.begin(r + 1);
      for (int64_t i = bags.begin(r); i < end; ++i) {
        const int64_t row = picks.offset(i);
        const auto x = table[row + c];
        if (row != skip) sum += weights ? weights[i] * x : x;
      }
      y.set(r * n + c, sum);
    }
}
void row_sums(const ops::RowSums& op, Tensor& y, const Dense& table, const Strided& input, const Dense& weights,
              const Strided& offsets) {
  if (y.numel() == 0) return;
  const int64_t n = y.shape()[1], k = offsets ? 0 : input.shape()[1];
  const PickList picks(input, table.shape()[0], n, op.base, false, "input");
  if (input.numel() == 0) return y.device().fill_zero(y.raw(), y.bytes());
  if (picks.report_all(y)) return;
  PickList begins;
  if (offsets) begins.add(offsets, input.numel() + 1, 1, op.base, false, "offsets");
  const Bags bags{y.shape()[0], k, input.numel(), !offsets, begins.picks()};
  const RowGrid g(y.shape()[0], n);
  dispatch_class(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, row_sums_kernel<T>, g.grid, g.block, 0, Elements<T>(y), Elements<T>(table), Elements<T>(weights), n, bags,
          op.skip ? *op.skip * n : int64_t(-1), picks.picks());
  });
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
const Kernel<row_sums> row_sums_;
const Kernel<one_hot> one_hot_;

}  // namespace
}  // namespace luth::cuda
