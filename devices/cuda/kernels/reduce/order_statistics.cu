// Order statistics on CUDA: kthvalue and medians.
#include "core/ops/reduce/order_statistics.h"

#include "core/autograd/autograd.h"
#include "core/ops/index/sort.h"
#include "devices/cuda/kernels/common/sort_rows.cuh"

namespace luth::cuda {
namespace {

enum class Pick : uint8_t { rank, median, nanmedian };
struct Chosen {
  Pick what;
  int rank;       // for Pick::rank, from 0
  uint64_t nan;   // the key of nan, where the elements are floats
  bool has_nans;  // they are
};

/// A row of one block: the rank, the key there, and the first element that has it.
template <class K>
__device__ void rank_in_row(const Rows& r, const Chosen& c, const Rows::Offset& row) {
  int* counts = dynamic_shared<int>();  // 256
  Digit* found = reinterpret_cast<Digit*>(counts + 256);
  int* shared = reinterpret_cast<int*>(found + 1);  // the number of nans; the position of the first match
  if (threadIdx.x == 0) shared[0] = 0, shared[1] = INT32_MAX;
  __syncthreads();
  int rank = c.rank;
  if (c.what != Pick::rank) {
    if (c.has_nans) {
      int nans = 0;
#pragma unroll 1
      for (int64_t j = threadIdx.x; j < r.n; j += blockDim.x) nans += r.key_at<K>(row.in + j * r.in_step) == K(c.nan);
      if (nans) atomicAdd(&shared[0], nans);
      __syncthreads();
    }
    const int n = int(r.n), nans = shared[0];
    if (c.what == Pick::median)
      rank = nans ? n - 1 : (n - 1) / 2;
    else
      rank = nans < n ? (n - nans - 1) / 2 : 0;
  }
  const K key = find_threshold<K>(r, row.in, rank, counts, found).key;
#pragma unroll 1
  for (int64_t j = threadIdx.x; j < r.n; j += blockDim.x)
    if (r.key_at<K>(row.in + j * r.in_step) == key) {
      atomicMin(&shared[1], int(j));
      break;
    }
  __syncthreads();
  if (threadIdx.x == 0) r.write(row, 0, shared[1]);
}
template <class K>
__global__ void __launch_bounds__(select_threads)
    rank_in_block(const __grid_constant__ Rows r, const __grid_constant__ Chosen c) {
#pragma unroll 1
  for (int64_t row = blockIdx.x; row < r.count; row += gridDim.x) rank_in_row<K>(r, c, r.offset(row));
}

/// The same for sorted rows, a thread for each; `order`: the position of each sorted element in its unsorted row.
template <class K>
__global__ void __launch_bounds__(threads)
    rank_in_order(const __grid_constant__ Rows r, const __grid_constant__ Chosen c, const int64_t* order) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= r.count) return;
  const Rows::Offset row = r.offset(i);
  auto first_from = [&](K key) {  // the number of smaller keys
    int64_t low = 0, high = r.n;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (r.key_at<K>(row.in + middle * r.in_step) < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  int64_t rank = c.rank;
  if (c.what != Pick::rank) {
    const int64_t numbers = c.has_nans ? first_from(K(c.nan)) : r.n;
    if (c.what == Pick::median)
      rank = numbers < r.n ? r.n - 1 : (r.n - 1) / 2;
    else
      rank = numbers ? (numbers - 1) / 2 : 0;
  }
  const int64_t at = first_from(r.key_at<K>(row.in + rank * r.in_step));
  r.write(row, 0, at);
  r.positions[row.out] = order[row.in + at * r.in_step] + r.base;
}

/// Few long rows are sorted by all of the device rather than searched by a block each.
bool sorts(const Rows& r) { return r.count < 16 && r.n > 65536; }

void pick(const auto& op, Tensor& values, Tensor& positions, const Tensor& x, Pick what, int64_t rank) {
  if (values.numel() == 0) return;
  if (x.dtype() == Dtype::boolean) throw_unsupported(x.dtype());
  const int dim = wrap_dim(op.dim, x.dim());
  const Tensor to = op.keepdim ? first_of_rows(values, dim) : values;
  const Rows r = rows_of(x, dim, to, 0, positions, 1, false, op.base);
  const Chosen c{what, int(rank), ~uint64_t(0) >> (64 - 8 * r.width), is_floating(x.dtype())};
  if (sorts(r)) {
    NoGrad no_grad;
    const Tensors ordered = luth::sort(x, {.dim = dim});
    const Rows s = rows_of(ordered[0], dim, to, 0, positions, 1, false, op.base);
    start(values, s.width == 8 ? rank_in_order<uint64_t> : rank_in_order<uint32_t>, blocks_for(s.count, threads),
          threads, 0, s, c, ordered[1].data<int64_t>());
    return;
  }
  const int block = int(std::clamp<int64_t>(power_of_two(r.n), 32, select_threads));
  const size_t bytes = 256 * sizeof(int) + sizeof(Digit) + 2 * sizeof(int);
  start(values, r.width == 8 ? rank_in_block<uint64_t> : rank_in_block<uint32_t>,
        unsigned(std::min<int64_t>(r.count, multiprocessors() * 32)), block, bytes, r, c);
}
void kthvalue(const ops::KthValue& op, Tensor& v, Tensor& i, const Strided& x) {
  pick(op, v, i, x, Pick::rank, op.k - 1);
}
void median(const ops::MedianDim& op, Tensor& v, Tensor& i, const Strided& x) { pick(op, v, i, x, Pick::median, 0); }
void nanmedian(const ops::NanMedianDim& op, Tensor& v, Tensor& i, const Strided& x) {
  pick(op, v, i, x, Pick::nanmedian, 0);
}

const Kernel<kthvalue> kthvalue_;
const Kernel<median> median_;
const Kernel<nanmedian> nanmedian_;

}  // namespace
}  // namespace luth::cuda
