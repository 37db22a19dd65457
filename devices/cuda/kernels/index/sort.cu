// sort and topk on CUDA, on unsigned keys whose order is that of the elements (core/math/sort_key.h). Rows that fit a
// block are sorted in its shared memory (bitonic sort). A few elements of long rows are found by radix selection. Whole
// long rows are sorted by radix_sort.h, all rows at once. Equal elements keep their order.
#include "core/ops/index/sort.h"

#include "devices/cuda/kernels/common/sort_rows.cuh"
#include "devices/cuda/libraries/radix_sort.h"

namespace luth::cuda {
namespace {

constexpr int most_in_block = 2048, sort_threads = 512;

/// Bitonic sort of each run of `length` (a power of two) items by key, equal keys by position. All threads of the block
/// call this, after a barrier; the result is there for all.
template <class K>
__device__ void sort_runs(K* keys, uint32_t* at, int items, int length) {
#pragma unroll 1
  for (int size = 2; size <= length; size *= 2)
#pragma unroll 1
    for (int stride = size / 2; stride > 0; stride /= 2) {
      for (int pair = threadIdx.x; pair < items / 2; pair += blockDim.x) {
        const int a = 2 * pair - (pair & (stride - 1)), b = a + stride;
        const bool ascending = size == length || !(a & size);
        const K x = keys[a], y = keys[b];
        const uint32_t i = at[a], j = at[b];
        if ((x > y || (x == y && i > j)) == ascending) {
          keys[a] = y, keys[b] = x;
          at[a] = j, at[b] = i;
        }
      }
      __syncthreads();
    }
}

/// Each block sorts items / length rows of up to `length` elements; shared memory: items of both.
template <class K>
__global__ void __launch_bounds__(sort_threads) sort_in_block(const __grid_constant__ Rows r, int items, int length) {
  K* keys = dynamic_shared<K>();
  uint32_t* at = reinterpret_cast<uint32_t*>(keys + items);
  const int rows = items / length;
  const int64_t block_row = int64_t(blockIdx.x) * rows;
  for (int i = threadIdx.x; i < items; i += blockDim.x) {
    const int64_t row = block_row + i / length;
    const int j = i % length;
    keys[i] = row < r.count && j < r.n ? r.key_at<K>(r.offset(row).in + j * r.in_step) : K(~K(0));
    at[i] = j;  // padding comes after the row's elements
  }
  __syncthreads();
  sort_runs(keys, at, items, length);
  for (int i = threadIdx.x; i < items; i += blockDim.x) {
    const int64_t row = block_row + i / length;
    const int j = i % length;
    if (row < r.count && j < r.keep) r.write(r.offset(row), j, at[i]);
  }
}

/// One block for each row: finds the last key that is kept, collects the elements up to it, and sorts them.
template <class K>
__global__ void __launch_bounds__(select_threads) select_in_block(const __grid_constant__ Rows r, int length) {
  K* keys = dynamic_shared<K>();
  uint32_t* at = reinterpret_cast<uint32_t*>(keys + length);
  int* counts = reinterpret_cast<int*>(at + length);  // 256, later one per warp
  Digit* found = reinterpret_cast<Digit*>(counts + 256);
  int* taken = reinterpret_cast<int*>(found + 1);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Rows::Offset row = r.offset(blockIdx.x);
  const Threshold<K> last = find_threshold<K>(r, row.in, int(r.keep) - 1, counts, found);
  if (threadIdx.x == 0) *taken = 0;
  for (int i = threadIdx.x; i < length; i += blockDim.x) keys[i] = K(~K(0)), at[i] = ~0u;
  const int below = int(r.keep) - last.equal;  // slots of the keys below the last; they come in any order
  int equal = 0;                               // keys equal to the last so far; the same in all threads
#pragma unroll 1
  for (int64_t tile = threadIdx.x; tile - threadIdx.x < r.n; tile += keys_at_once * blockDim.x) {
    K loaded[keys_at_once];
    load_keys(r, row.in, tile, loaded);
#pragma unroll
    for (int k = 0; k < keys_at_once; ++k) {
      const int64_t j = tile + k * int64_t(blockDim.x);
      const bool same = j < r.n && loaded[k] == last.key;
      const unsigned votes = __ballot_sync(0xffffffffu, same);
      const int here = __syncthreads_count(same);
      if (j < r.n && loaded[k] < last.key) {
        const int i = atomicAdd(taken, 1);
        keys[i] = loaded[k], at[i] = uint32_t(j);
      }
      if (here == 0 || equal >= last.equal) continue;
      if (lane == 0) counts[warp] = __popc(votes);
      __syncthreads();
      int slot = equal + __popc(votes & ((1u << lane) - 1));
      for (int w = 0; w < warp; ++w) slot += counts[w];
      if (same && slot < last.equal) keys[below + slot] = loaded[k], at[below + slot] = uint32_t(j);
      equal += here;
    }
  }
  __syncthreads();
  sort_runs(keys, at, length, length);
  for (int i = threadIdx.x; i < r.keep; i += blockDim.x) r.write(row, i, at[i]);
}

// ---- long rows: [row][position] in one array, of `count` rows from row `begin` on ----

template <class K>
__global__ void __launch_bounds__(threads)
    fill_keys(const __grid_constant__ Rows r, int64_t begin, int64_t count, K* keys, uint32_t* at) {
  for (const int64_t i : grid_stride(count * r.n)) {
    const int64_t row = i / r.n;
    keys[i] = r.key_at<K>(r.offset(begin + row).in + (i - row * r.n) * r.in_step);
    at[i] = uint32_t(i);
  }
}
__global__ void __launch_bounds__(threads) fill_rows(uint32_t n, int64_t numel, const uint32_t* at, uint32_t* rows) {
  for (const int64_t i : grid_stride(numel)) rows[i] = at[i] / n;
}
__global__ void __launch_bounds__(threads)
    write_rows(const __grid_constant__ Rows r, int64_t begin, int64_t count, const uint32_t* at) {
  for (const int64_t i : grid_stride(count * r.keep)) {
    const int64_t row = i / r.keep, rank = i - row * r.keep;
    r.write(r.offset(begin + row), rank, int64_t(at[row * r.n + rank]) - row * r.n);
  }
}

/// A double buffer of n numbers, for the radix sort.
template <class K>
struct Buffers {
  Tensor memory;
  K* part[2];
  Buffers(int64_t n, Device& d) : memory(Tensor::empty({2 * n * int64_t(sizeof(K))}, Dtype::u8, d)) {
    part[0] = memory.data<K>(), part[1] = part[0] + n;
  }
};

/// Sorts the keys of all rows together, then stably by row.
template <class K>
void sort_long(const Rows& r, const Tensor& y) {
  Device& d = y.device();
  const int64_t at_once = std::min(r.count, std::max<int64_t>(1, (int64_t(1) << 29) / r.n));
  Buffers<K> keys(at_once * r.n, d);
  Buffers<uint32_t> at(at_once * r.n, d);
  for (int64_t begin = 0; begin < r.count; begin += at_once) {
    const int64_t count = std::min(at_once, r.count - begin), numel = count * r.n;
    const unsigned blocks = blocks_for(numel, threads);
    start(y, fill_keys<K>, blocks, threads, 0, r, begin, count, keys.part[0], at.part[0]);
    uint32_t* order = at.part[sort_pairs(d, keys.part, at.part, numel, 8 * r.width)];
    if (count > 1) {
      auto* rows = reinterpret_cast<uint32_t*>(keys.part[0]);
      uint32_t* both[] = {rows, rows + numel};
      uint32_t* orders[] = {order, order == at.part[0] ? at.part[1] : at.part[0]};
      start(y, fill_rows, blocks, threads, 0, uint32_t(r.n), numel, order, rows);
      order = orders[sort_pairs(d, both, orders, numel, 64 - __builtin_clzll(uint64_t(count - 1)))];
    }
    start(y, write_rows, blocks_for(count * r.keep, threads), threads, 0, r, begin, count, order);
  }
}

template <class K>
void order(const Rows& r, const Tensor& y) {
  constexpr size_t item = sizeof(K) + sizeof(uint32_t);
  if (r.n <= most_in_block) {
    const int length = power_of_two(r.n), items = std::max(length, 1024);
    const int64_t rows = items / length, blocks = (r.count + rows - 1) / rows;
    start(y, sort_in_block<K>, unsigned(blocks), sort_threads, size_t(items) * item, r, items, length);
  } else if (r.keep <= 1024 && (r.count >= 16 || r.n <= 65536)) {
    const int length = power_of_two(r.keep);
    const size_t bytes = size_t(length) * item + 256 * sizeof(int) + sizeof(Digit) + sizeof(int);
    start(y, select_in_block<K>, unsigned(r.count), select_threads, bytes, r, length);
  } else {
    sort_long<K>(r, y);
  }
}

void order(const Tensor& x, Tensor& values, Tensor& positions, int64_t along, int64_t keep, bool descending, int base) {
  if (values.numel() == 0) return;
  const int dim = wrap_dim(along, x.dim());
  const int64_t out_step = x.dim() ? values.strides()[dim] : 0;
  const Rows r = rows_of(x, dim, first_of_rows(values, dim), out_step, positions, keep, descending, base);
  if (r.width == 8)
    order<uint64_t>(r, values);
  else
    order<uint32_t>(r, values);
}
void sort(const ops::Sort& op, Tensor& values, Tensor& positions, const Strided& x) {
  order(x, values, positions, op.dim, x.dim() ? x.shape(op.dim) : 1, op.descending, op.base);
}
void topk(const ops::TopK& op, Tensor& values, Tensor& positions, const Strided& x) {
  order(x, values, positions, op.dim, op.kept(x), op.largest, op.base);
}

const Kernel<sort> sort_;
const Kernel<topk> topk_;

}  // namespace
}  // namespace luth::cuda
