#include "devices/cuda/libraries/radix_sort.h"

#include <cub/device/device_radix_sort.cuh>

#include "devices/cuda/runtime/index_check.h"
#include "devices/cuda/runtime/streams.h"

namespace luth::cuda {
namespace {

template <class K>
int sort(Device& device, K* const (&keys)[2], uint32_t* const (&values)[2], int64_t n, int bits) {
  OnDevice here(device.index());
  cub::DoubleBuffer<K> k(keys[0], keys[1]);
  cub::DoubleBuffer<uint32_t> v(values[0], values[1]);
  const cudaStream_t stream = stream_of(device);
  size_t bytes = 0;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, k, v, n, 0, bits, stream), "cub::DeviceRadixSort");
  const Tensor memory = Tensor::empty({int64_t(bytes) + 1}, Dtype::u8, device);
  check(cub::DeviceRadixSort::SortPairs(memory.raw(), bytes, k, v, n, 0, bits, stream), "cub::DeviceRadixSort");
  wait_if_exact(device);
  return k.selector;
}

}  // namespace

int sort_pairs(Device& device, uint32_t* const (&keys)[2], uint32_t* const (&values)[2], int64_t n, int bits) {
  return sort(device, keys, values, n, bits);
}
int sort_pairs(Device& device, uint64_t* const (&keys)[2], uint32_t* const (&values)[2], int64_t n, int bits) {
  return sort(device, keys, values, n, bits);
}

}  // namespace luth::cuda
