// The CUDA runtime as this folder calls it: every call checked. With tests/fakecuda/include in
// front, the same sources run on the CPU.
#pragma once
#include <cuda_runtime.h>

#include "core/base/error.h"

namespace luth::cuda {

/// Throws "cudaMalloc: out of memory (cudaErrorMemoryAllocation)"; the error is cleared where it does not stay by
/// itself. ErrorCode::memory for lack of memory.
void check(cudaError_t error, const char* call);

/// Makes a device the thread's current one for the life of the object.
class OnDevice {
 public:
  explicit OnDevice(int index) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ != index) check(cudaSetDevice(index), "cudaSetDevice"), changed_ = true;
  }
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace luth::cuda
