// CUB's radix sort on the CPU: a kernel of one thread in the stream, which checks what the library takes for granted.
#include "devices/cuda/libraries/radix_sort.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

template <class K>
struct Pairs {
  K* keys[2];
  uint32_t* values[2];
  int64_t n;
  int bits, result;
};

template <class K>
__global__ void sort_kernel(Pairs<K> p) {
  std::vector<int64_t> order(size_t(p.n));
  std::iota(order.begin(), order.end(), 0);
  const std::vector<K> keys(p.keys[0], p.keys[0] + p.n);
  const std::vector<uint32_t> values(p.values[0], p.values[0] + p.n);
  for (K key : keys)
    if (p.bits < int(sizeof(K) * 8) && key >> p.bits) __trap();  // a key has more bits than it was said to have
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return keys[size_t(a)] < keys[size_t(b)]; });
  for (int64_t i = 0; i < p.n; ++i) {
    p.keys[p.result][i] = keys[size_t(order[size_t(i)])];
    p.values[p.result][i] = values[size_t(order[size_t(i)])];
    p.keys[1 - p.result][i] = K(0xa5);  // nobody may count on it
    p.values[1 - p.result][i] = 0xa5;
  }
}

void require(bool holds, const char* what) {
  if (!holds) throw Error("fake CUB: {}", what);
}

template <class K>
int sort(Device& device, K* const (&keys)[2], uint32_t* const (&values)[2], int64_t n, int bits) {
  require(n >= 1 && n <= INT32_MAX, "the number of pairs is out of range");
  require(bits >= 1 && bits <= int(sizeof(K) * 8), "the number of bits is out of range");
  for (int i = 0; i < 2; ++i) {
    require(keys[i] && values[i], "an array is null");
    require(reinterpret_cast<uintptr_t>(keys[i]) % sizeof(K) == 0, "keys are not aligned");
    require(reinterpret_cast<uintptr_t>(values[i]) % sizeof(uint32_t) == 0, "values are not aligned");
  }
  require(std::abs(keys[0] - keys[1]) >= n && std::abs(values[0] - values[1]) >= n, "the arrays overlap");
  // as the library does, which goes from array to array once for each 8 bits
  const Pairs<K> p{{keys[0], keys[1]}, {values[0], values[1]}, n, bits, (bits + 7) / 8 % 2};
  OnDevice here(device.index());
  launch(sort_kernel<K>, 1, 1, 0, stream_of(device), p);
  wait_if_exact(device);
  return p.result;
}

}  // namespace

int sort_pairs(Device& device, uint32_t* const (&keys)[2], uint32_t* const (&values)[2], int64_t n, int bits) {
  return sort(device, keys, values, n, bits);
}
int sort_pairs(Device& device, uint64_t* const (&keys)[2], uint32_t* const (&values)[2], int64_t n, int bits) {
  return sort(device, keys, values, n, bits);
}

}  // namespace luth::cuda
