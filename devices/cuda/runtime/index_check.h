// Indices that kernels read and the host cannot check: what is out of range is clamped and reported, and the next call
// that waits for the device raises it as an error that names operator and line of the script.
#pragma once
#include <cuda_runtime.h>

#include <string_view>

#include "core/tensor/tensor.h"

namespace luth::cuda {

/// What a kernel wrote about the first index that was out of range since the last report was taken.
struct IndexReport {
  long long value, bound, position;
  unsigned long long launch;  // 0: nothing; written last
};

/// Checks the indices of one launch; a kernel takes it by value.
class IndexCheck {
 public:
  /// The place, from 0, that `value` names among `bound` (at least 1) elements. One that names none is reported, and
  /// counts as the nearest that is there. `position`: of the value in the index tensor, row-major, from 0.
  __device__ inline int64_t operator()(int64_t value, int64_t bound, int64_t position) const;

 private:
  friend class IndexErrors;
  __device__ inline void report(int64_t value, int64_t bound, int64_t position) const;

  IndexReport* report_;        // in pinned memory, so that the host reads it without asking the device
  unsigned* claim_;            // on the device; not 0: somebody writes the report, or has
  unsigned long long launch_;  // by which the host knows operator and line
  int base_;                   // what the first element is called
  bool wrap_;                  // negative values count from the end
};

/// A check for a launch that is about to be started: `index` is the tensor whose elements it checks, `what` how errors
/// call it, as in throw_bad_position(). Remembers the operator and line that run now; about a microsecond. `what` must
/// live as long as the process.
IndexCheck check_indices(const Tensor& index, int base, bool wrap = false, std::string_view what = "index");
/// The same for positions that are not those of a tensor: errors give them as one number.
IndexCheck check_indices(Device& device, int base, bool wrap = false, std::string_view what = "index");

/// Raises, once, what kernels of the device have reported; to be called when the host has waited for them. `running`:
/// the operator that runs now is the one that is at fault, and names itself.
void raise_reports(int device, bool running = false);

#if defined(__CUDACC__) || defined(FAKECUDA)

__device__ inline int64_t IndexCheck::operator()(int64_t value, int64_t bound, int64_t position) const {
  // unsigned, so that the smallest of all numbers does not overflow
  const int64_t at = wrap_ && value < 0 ? value + bound : int64_t(uint64_t(value) - uint64_t(base_));
  if (uint64_t(at) < uint64_t(bound)) return at;
  report(value, bound, position);
  return value < base_ || bound <= 0 ? 0 : bound - 1;
}

__device__ inline void IndexCheck::report(int64_t value, int64_t bound, int64_t position) const {
  if (*static_cast<volatile unsigned*>(claim_) != 0 || atomicCAS(claim_, 0u, 1u) != 0) return;
  volatile IndexReport& r = *report_;
  r.value = value;
  r.bound = bound;
  r.position = position;
  __threadfence_system();
  r.launch = launch_;
}

#endif

}  // namespace luth::cuda
