// Sorting by integer keys: few keys in one launch, which counts the keys before each; many by the radix sort.
#include "devices/cuda/kernels/common/order.h"

#include <bit>

#include "devices/cuda/kernels/common/kernels.h"
#include "devices/cuda/libraries/radix_sort.h"

namespace luth::cuda {
namespace {

constexpr int block = 256, warps = block / 32;
constexpr int64_t few = 2048;

// A warp per key.
__global__ void count_kernel(const int64_t* keys, int64_t n, int64_t* sorted, uint32_t* positions) {
  const int lane = threadIdx.x % 32;
  const int64_t i = int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (i >= n) return;
  const int64_t key = keys[i];
  unsigned before = 0;
  for (int64_t j = lane; j < n; j += 32) before += keys[j] < key || (keys[j] == key && j < i);
  for (int mask = 16; mask; mask /= 2) before += __shfl_xor_sync(0xffffffffu, before, mask);
  if (lane == 0) {
    sorted[before] = key;
    positions[before] = uint32_t(i);
  }
}

__global__ void count_up_kernel(uint32_t* out, int64_t n) {
  for (const int64_t i : grid_stride(n)) out[i] = uint32_t(i);
}

}  // namespace

Ordered order_by_key(const Tensor& keys, int64_t most) {
  const int64_t n = keys.numel();
  if (n > int64_t(UINT32_MAX)) throw Error("{} indices are more than CUDA can order; give fewer at a time", n);
  const Tensor sorted = Tensor::empty({n}, Dtype::i64, keys.device());
  const Tensor position_memory = Tensor::empty({2, n}, Dtype::i32, keys.device());
  uint32_t* const positions[2] = {position_memory.data<uint32_t>(), position_memory.data<uint32_t>() + n};
  if (n <= few) {
    const auto blocks = unsigned((n + warps - 1) / warps);
    start(keys, count_kernel, blocks, block, 0, keys.data<int64_t>(), n, sorted.data<int64_t>(), positions[0]);
    return {sorted.data<int64_t>(), positions[0], {sorted, position_memory}};
  }
  start(keys, count_up_kernel, blocks_for(n, block), block, 0, positions[0], n);
  const Tensor both[2] = {keys, sorted};
  uint64_t* const numbers[2] = {keys.data<uint64_t>(), sorted.data<uint64_t>()};
  const int at = sort_pairs(keys.device(), numbers, positions, n, std::max(1, int(std::bit_width(uint64_t(most)))));
  return {both[at].data<int64_t>(), positions[at], {both[at], position_memory}};
}

}  // namespace luth::cuda
