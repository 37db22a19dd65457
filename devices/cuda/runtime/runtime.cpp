#include "devices/cuda/runtime/runtime.h"

namespace luth::cuda {

namespace {

// After these, every call to the device fails until the process ends.
bool is_lost(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable: return true;
    default: return false;
  }
}

}  // namespace

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  if (is_lost(error))
    throw Error(
        "{}: {} ({}); a kernel has failed, the device is lost to this process, and so is what it held: start luth "
        "again. With LUTH_CUDA_SYNC=1 in the environment the error names the operator",
        call, cudaGetErrorString(error), cudaGetErrorName(error));
  throw Error(error == cudaErrorMemoryAllocation ? ErrorCode::memory : ErrorCode::runtime, "{}: {} ({})", call,
              cudaGetErrorString(error), cudaGetErrorName(error));
}

}  // namespace luth::cuda
