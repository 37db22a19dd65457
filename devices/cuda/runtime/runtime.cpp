#include "devices/cuda/runtime/runtime.h"

#include <algorithm>

namespace luth::cuda {

bool is_lost(cudaError_t error) {
  switch (int(error)) {
    case 220:  // cudaErrorNvlinkUncorrectable
    case 226:  // cudaErrorContained
    case 717:  // cudaErrorInvalidAddressSpace
    case 718:  // cudaErrorInvalidPc
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

int multiprocessors() {
  static const int most = [] {
    int devices = 0, largest = 1;
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    for (int i = 0; i < devices; ++i) {
      int n = 0;
      check(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, i), "cudaDeviceGetAttribute");
      largest = std::max(largest, n);
    }
    return largest;
  }();
  return most;
}

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
