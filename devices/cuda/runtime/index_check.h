// Checks of indices on the device, where the host cannot see them. An index out of range is clamped and reported; the
// next call that waits for the device raises an error, which names the operator and the line of the script.
#pragma once
#include <cuda_runtime.h>

#include <string_view>

#include "core/tensor/tensor.h"

namespace luth::cuda {

/// A kernel's report of the first index out of range since the last report was taken.
struct IndexReport {
  long long value, bound, position;
  unsigned long long launch;  // 0: nothing; written last
};

/// Checks the indices of one launch; a kernel takes it by value.
class IndexCheck {
 public:
  /// The index, from 0, that `value` stands for among `bound` (at least 1) elements. A value out of range is reported
  /// and clamped. `position`: of the value in the index tensor, row-major, from 0.
  __device__ inline int64_t operator()(int64_t value, int64_t bound, int64_t position) const;

 private:
  friend class IndexErrors;
  __device__ inline void report(int64_t value, int64_t bound, int64_t position) const;

  IndexReport* report_;        // in pinned memory, so that the host reads it without asking the device
  unsigned* claim_;            // on the device; not 0: a thread writes the report, or has written it
  unsigned long long launch_;  // the host's key to operator and line
  int base_;                   // the first element's index for the user
  bool wrap_;                  // negative values count from the end
};

/// A check for the next launch, of the elements of `index`. `what` is its name in errors, as in throw_bad_position();
/// it must live as long as the process. Remembers the operator and line that run now; takes about a microsecond.
IndexCheck check_indices(const Tensor& index, int base, bool wrap = false, std::string_view what = "index");
/// The same for indices that are in no tensor: errors give their position as one number.
IndexCheck check_indices(Device& device, int base, bool wrap = false, std::string_view what = "index");

/// Raises, once, the report of the device's kernels, or a failure of other work (failure.h); to be called after the
/// host has waited for them. `running`: the operator at fault is the one that runs now, and names itself.
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
