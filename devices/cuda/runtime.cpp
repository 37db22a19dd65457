#include "devices/cuda/runtime.h"

namespace luth::cuda {

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw Error(error == cudaErrorMemoryAllocation ? ErrorCode::memory : ErrorCode::runtime, "{}: {} ({})", call,
              cudaGetErrorString(error), cudaGetErrorName(error));
}

}  // namespace luth::cuda
