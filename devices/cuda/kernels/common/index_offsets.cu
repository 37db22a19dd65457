// Picking by index tensors on CUDA: see index_offsets.cuh.
#include "devices/cuda/kernels/common/index_offsets.cuh"

namespace luth::cuda {
namespace {

__global__ void keys_kernel(int64_t* out, Picks picks, Offsets<1> from, int64_t skip, int64_t none) {
  for (const int64_t j : grid_stride(picks.numel)) {
    const int64_t at = picks.offset(j);
    out[j] = at == skip ? none : from.find(j) + at;
  }
}

template <class U>
__global__ void rows_kernel(U* out, const char* in, int64_t rows, int64_t columns, Picks picks, PickedRows at) {
  for (int64_t r = first_row(); r < rows; r += row_step()) {
    const int64_t b = at.before.dims ? divide(r, picks.numel) : 0, j = r - b * picks.numel;
    const char* from = in + at.before.find(b) + at.beside.find(j) + picks.offset(j);
    U* to = out + r * columns;
    for (int64_t c = first_column(); c < columns; c += column_step())
      to[c] = *reinterpret_cast<const U*>(from + at.after.find(c));
  }
}

}  // namespace

Tensor pick_keys(const PickList& picks, const Tensor& y, const Offsets<1>& from, int64_t skip, int64_t none) {
  Tensor keys = Tensor::empty({picks.numel()}, Dtype::i64, y.device());
  if (picks.numel())
    start(y, keys_kernel, blocks_for(picks.numel(), 256), 256, 0, keys.data<int64_t>(), picks.picks(), from, skip,
          none);
  return keys;
}

bool PickList::report_all(const Tensor& y) const {
  if (nothing_) pick_keys(*this, y);
  return nothing_;
}

void pick_rows(Tensor& y, const Tensor& x, const PickList& picks, PickedRows at) {
  if (y.numel() == 0) return void(picks.report_all(y));
  if (picks.report_all(y)) return y.device().fill_zero(y.raw(), y.bytes());
  const int64_t size = int64_t(size_of(x.dtype())), rows = at.before_numel * picks.numel();
  int64_t unit = size;
  if (at.after.dense(size)) {
    unit = unit_of(at.after_numel * size | at.before.bits() | at.beside.bits() | picks.bits() | address(x.raw()) |
                   address(y.raw()));
    at.after.widen(unit / size);
    at.after_numel = at.after_numel * size / unit;
  }
  const RowGrid g(rows, at.after_numel);
  by_unit(unit, [&]<class U>(Type<U>) {
    start(y, rows_kernel<U>, g.grid, g.block, 0, y.data<U>(), x.data<char>(), rows, at.after_numel, picks.picks(), at);
  });
}

}  // namespace luth::cuda
