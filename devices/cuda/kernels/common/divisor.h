// Division by a number that all threads share, as a multiplication.
#pragma once
#include "core/base/dtype.h"

namespace luth::cuda {

/// Quotients by d of numbers below 2^31. With 2^shift the first power of two that is not below d, n / d is
/// (n * (2^32 + multiplier)) >> (32 + shift): Granlund and Montgomery, "Division by invariant integers using
/// multiplication", 1994.
struct Divisor {
  uint32_t d = 1, multiplier = 1, shift = 0;

  Divisor() = default;
  explicit Divisor(int64_t by) : d(uint32_t(by)) {
    while ((int64_t(1) << shift) < by) ++shift;
    multiplier = uint32_t((uint64_t((int64_t(1) << shift) - by) << 32) / uint64_t(by) + 1);
  }
  LUTH_HD uint32_t divide(uint32_t n) const { return (uint32_t((uint64_t(n) * multiplier) >> 32) + n) >> shift; }
};

}  // namespace luth::cuda
