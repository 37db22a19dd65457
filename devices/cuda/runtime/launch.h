// How a kernel is started, and how it finds its dynamic shared memory. The same source serves nvcc and, in tests, the
// fake runtime of tests/fakecuda, where the `<<<…>>>` of CUDA does not exist.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Global because an extern array has the same type in every file, whatever is kept in it.
extern __shared__ __align__(128) unsigned char luth_shared[];

namespace luth::cuda {

/// Throws a luth::Error that names the kernel and the reason: ErrorCode::memory for lack of memory.
[[noreturn]] void launch_failed(cudaError_t error, const void* kernel, dim3 grid, dim3 block, size_t shared_bytes);

/// Puts kernel(args...) into the stream of the current device: `grid` blocks of `block` threads, each with
/// `shared_bytes` of dynamic shared memory. Arguments are converted to the kernel's parameter types here. Never waits.
/// A grid without blocks is no work rather than an error, so that empty tensors need no case of their own. Faults of
/// the kernel itself show in a later call, as CUDA has it. Returns CUDA's answer.
template <class... P, class... A>
cudaError_t try_launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
                       const A&... args) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaSuccess;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, P(args)...);
}

/// The same; throws where CUDA refuses.
template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream, const A&... args) {
  const cudaError_t error = try_launch(kernel, grid, block, shared_bytes, stream, args...);
  if (error != cudaSuccess) launch_failed(error, (const void*)kernel, grid, block, shared_bytes);
}

/// The dynamic shared memory of the running block, aligned to 128 bytes. Above 48 KiB the kernel needs
/// cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  return reinterpret_cast<T*>(luth_shared);
}

}  // namespace luth::cuda
