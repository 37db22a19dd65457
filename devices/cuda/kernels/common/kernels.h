// What CUDA's kernel files share.
#pragma once
#include <algorithm>

#include "core/op/define.h"
#include "devices/cuda/runtime/index_check.h"
#include "devices/cuda/runtime/launch.h"
#include "devices/cuda/runtime/streams.h"

namespace luth::cuda {

/// Registers kernel F for CUDA: `const Kernel<softmax> softmax_;` at the end of the family's file.
template <auto F>
struct Kernel {
  Kernel() { Bind<F>{"cuda"}; }
};

/// Starts a kernel for `on`, a tensor of a CUDA device: there, and in the stream that this thread gives work to. Where
/// CUDA lacks memory for the kernel's code, cached memory is given back first.
template <class... P, class... A>
void start(const Tensor& on, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, const A&... args) {
  Device& device = on.device();
  OnDevice here(device.index());
  auto once = [&] { return try_launch(kernel, grid, block, shared_bytes, stream_of(device), args...); };
  cudaError_t error = once();
  if (error == cudaErrorMemoryAllocation) device.empty_cache(), error = once();
  if (error != cudaSuccess) launch_failed(error, (const void*)kernel, grid, block, shared_bytes);
  wait_if_exact(device);
}

/// Threads of a block, where nothing speaks for another number.
inline constexpr int threads = 256;

/// The grid-stride loop: `for (int64_t i : grid_stride(n))` shares the numbers from 0 to n - 1 out to the threads of a
/// grid of one dimension.
struct GridStride {
  struct Iterator {
    int64_t i, step;
    __device__ int64_t operator*() const { return i; }
    __device__ void operator++() { i += step; }
    __device__ bool operator!=(int64_t end) const { return i < end; }
  };
  int64_t n;
  __device__ Iterator begin() const {
    return {int64_t(blockIdx.x) * blockDim.x + threadIdx.x, int64_t(gridDim.x) * blockDim.x};
  }
  __device__ int64_t end() const { return n; }
};
__device__ inline GridStride grid_stride(int64_t n) { return {n}; }

/// Blocks of `threads` that cover n items with a loop over the grid: as many as fill the device, at least one.
inline unsigned blocks_for(int64_t n, int threads) {
  const int64_t most = multiprocessors() * 16;
  return unsigned(std::clamp<int64_t>((n + threads - 1) / threads, 1, most));
}

/// Starts a kernel whose loop is grid_stride(n).
template <class... P, class... A>
void start_grid_stride(const Tensor& on, void (*kernel)(P...), int64_t n, const A&... args) {
  start(on, kernel, blocks_for(n, threads), threads, 0, args...);
}

template <class F>
__global__ void for_each_kernel(int64_t n, const F f) {
  for (const int64_t i : grid_stride(n)) f(i);
}
/// Starts f(i) for i from 0 to n - 1; f is a struct with a __device__ operator().
template <class F>
void start_for_each(const Tensor& on, int64_t n, const F& f) {
  if (n > 0) start_grid_stride(on, for_each_kernel<F>, n, n, f);
}

}  // namespace luth::cuda
