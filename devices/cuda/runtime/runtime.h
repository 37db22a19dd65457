// The CUDA runtime as this folder calls it: every call checked. With tests/fakecuda/include in
// front, the same sources run on the CPU.
#pragma once
#include <cuda_runtime.h>

#include "core/base/error.h"
#include "devices/cuda/runtime/driver.h"

namespace luth::cuda {

/// Whether every later call to the device answers this error, until the process ends.
bool is_lost(cudaError_t error);
/// Throws "cudaMalloc: out of memory (cudaErrorMemoryAllocation)"; the error is cleared where it does not stay by
/// itself. ErrorCode::memory for lack of memory.
void check(cudaError_t error, const char* call);

/// The multiprocessors of the largest device that luth sees; grids are made to fill them. Asked once, and the same for
/// all devices, so that sums have the same bits on each.
int multiprocessors();

/// Makes a device the thread's current one for the life of the object; and for longer where the one before has no
/// context, which switching back would make: hundreds of megabytes on a GPU that nobody uses.
class OnDevice {
 public:
  explicit OnDevice(int index) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ != index) check(cudaSetDevice(index), "cudaSetDevice"), changed_ = true;
  }
  ~OnDevice() {
    if (changed_ && has_context(before_)) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace luth::cuda
