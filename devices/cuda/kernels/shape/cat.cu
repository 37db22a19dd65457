// Joining tensors along a dim on CUDA, all in one launch.
#include "core/ops/shape/cat_layout.h"

#include "devices/cuda/kernels/common/index_offsets.cuh"

namespace luth::cuda {
namespace {

constexpr int most = 32;  // tensors, as CatFew promises

/// Parts of the result's rows. All numbers count units of the type that is moved.
struct Parts {
  int count = 0;
  const void* data[most];
  int64_t start[most], columns[most];
};

// blockIdx.z is the tensor.
template <class U>
__global__ void cat_kernel(U* y, int64_t rows, int64_t row, Parts parts) {
  const int p = int(blockIdx.z);
  const U* in = static_cast<const U*>(parts.data[p]);
  const int64_t columns = parts.columns[p];
  U* out = y + parts.start[p];
  for (int64_t r = first_row(); r < rows; r += row_step())
    for (int64_t c = first_column(); c < columns; c += column_step()) out[r * row + c] = in[r * columns + c];
}

void cat(const ops::CatFew& op, Tensor& result, const List tensors) {
  if (result.numel() == 0) return;
  const ops::CatLayout all(op, result);
  const int64_t size = int64_t(size_of(all.y.dtype())), row = all.axis.n * all.axis.inner * size;
  Parts parts;
  std::vector<Tensor> kept;
  int64_t start_byte = 0, bits = row | address(all.y.raw()), longest = 0;
  for (auto& v : tensors) {
    if (v.numel() == 0) continue;
    kept.push_back(row_major(all.view(v.tensor())));
    const int64_t bytes = kept.back().shape()[all.dim] * all.axis.inner * size;
    parts.data[parts.count] = kept.back().raw();
    parts.start[parts.count] = start_byte;
    parts.columns[parts.count++] = bytes;
    bits |= bytes | address(kept.back().raw());
    longest = std::max(longest, bytes);
    start_byte += bytes;
  }
  const int64_t unit = unit_of(bits);
  for (int p = 0; p < parts.count; ++p) parts.start[p] /= unit, parts.columns[p] /= unit;
  RowGrid g(all.axis.outer, longest / unit);
  g.grid.z = unsigned(parts.count);
  by_unit(unit, [&]<class U>(Type<U>) {
    start(all.y, cat_kernel<U>, g.grid, g.block, 0, all.y.data<U>(), all.axis.outer, row / unit, parts);
  });
}

const Kernel<cat> cat_;

}  // namespace
}  // namespace luth::cuda
