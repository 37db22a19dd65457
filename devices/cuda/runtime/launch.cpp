#include "devices/cuda/runtime/launch.h"

#include "devices/cuda/runtime/runtime.h"

namespace luth::cuda {

// An earlier kernel's fault shows here too, and so does a lack of memory for the kernel's code, which is loaded now.
void launch_failed(cudaError_t error, const void*, dim3 grid, dim3 block, size_t shared_bytes) {
  if (is_lost(error) || error == cudaErrorMemoryAllocation) check(error, "cudaLaunchKernel");
  cudaGetLastError();
  throw Error("a kernel cannot be started with {}x{}x{} blocks of {}x{}x{} threads and {} bytes of shared memory: {}",
              grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes, cudaGetErrorString(error));
}

}  // namespace luth::cuda
