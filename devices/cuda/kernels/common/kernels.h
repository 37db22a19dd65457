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
/// CUDA lacks memory for the kernel's code, what is cached is given back first.
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

/// Blocks of `threads` that cover n items with a loop over the grid: as many as fill the device, at least one.
inline unsigned blocks_for(int64_t n, int threads) {
  const int64_t most = multiprocessors() * 16;
  return unsigned(std::clamp<int64_t>((n + threads - 1) / threads, 1, most));
}

}  // namespace luth::cuda
