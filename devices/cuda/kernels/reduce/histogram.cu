// Counting of positions, and search in rows that are in order, on CUDA.
#include "core/ops/reduce/histogram.h"

#include "core/ops/index/search.h"
#include "devices/cuda/kernels/common/kernels.h"
#include "devices/cuda/runtime/index_check.h"

namespace luth::cuda {
namespace {

constexpr int block = 256, most_shared = 4096;
using Counter = unsigned long long;

// A block counts in its shared memory where the bins fit there, then adds its counts; sums of integers do not depend
// on the order.
__global__ void __launch_bounds__(block) count_kernel(const int64_t* in, int64_t n, int64_t bins, Counter* out) {
  unsigned* own = dynamic_shared<unsigned>();
  const bool shared = bins <= most_shared;
  const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, step = int64_t(gridDim.x) * blockDim.x;
  if (shared)
    for (int i = threadIdx.x; i < bins; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int64_t i = first; i < n; i += step) {
    const int64_t at = in[i];
    if (uint64_t(at) >= uint64_t(bins)) continue;
    if (shared)
      atomicAdd(&own[at], 1u);
    else
      atomicAdd(&out[at], Counter(1));
  }
  __syncthreads();
  if (shared)
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
      if (own[i]) atomicAdd(&out[i], Counter(own[i]));
}
void count_positions(const ops::CountPositions& op, Tensor& y, const Dense& x) {
  if (y.numel() == 0) return;
  y.device().fill_zero(y.raw(), y.bytes());
  if (x.numel() == 0) return;
  const size_t bytes = op.bins <= most_shared ? size_t(op.bins) * sizeof(unsigned) : 0;
  start(y, count_kernel, blocks_for(x.numel(), block * 8), block, bytes, x.data<const int64_t>(), x.numel(), op.bins,
        y.data<Counter>());
}

/// Rows of n elements in order, one for each `per_row` elements that are searched for; in the order of `order` where
/// that is given.
template <class T>
struct Search {
  const T *rows, *in;
  const int64_t* order;
  int64_t* out;
  int64_t n, numel, per_row;
  IndexCheck check;
  int base;
  bool right;
};
template <class T>
__global__ void __launch_bounds__(block) search_kernel(const __grid_constant__ Search<T> s) {
  for (const int64_t i : grid_stride(s.numel)) {
    const int64_t start = s.per_row == s.numel ? 0 : i / s.per_row * s.n;
    const T v = s.in[i];
    int64_t begin = 0;
    for (int64_t left = s.n; left > 0;) {
      const int64_t half = (left + 1) / 2, at = start + begin + half - 1;
      const T middle = s.rows[s.order ? start + s.check(s.order[at], s.n, at) : at];
      const bool before = s.right ? !(middle > v) : !(middle >= v);
      begin += before ? half : 0;
      left -= half;
    }
    s.out[i] = begin + s.base;
  }
}
void search_same(const ops::SearchSame& op, Tensor& y, const Dense& rows, const Dense& x, const Dense& sorter) {
  if (y.numel() == 0) return;
  const int64_t per_row = rows.dim() > 1 ? x.shape(-1) : x.numel();
  const IndexCheck check = check_indices(sorter ? Tensor(sorter) : Tensor(x), op.base, false, "sorter");
  dispatch(Types<float, double, int64_t>{}, x.dtype(), [&]<class T>(Type<T>) {
    const Search<T> s{rows.data<const T>(),
                      x.data<const T>(),
                      sorter ? sorter.data<const int64_t>() : nullptr,
                      y.data<int64_t>(),
                      rows.shape(-1),
                      x.numel(),
                      per_row,
                      check,
                      op.base,
                      op.right};
    luth::cuda::start(y, search_kernel<T>, blocks_for(x.numel(), block), block, 0, s);
  });
}

const Kernel<count_positions> count_positions_;
const Kernel<search_same> search_same_;

}  // namespace
}  // namespace luth::cuda
