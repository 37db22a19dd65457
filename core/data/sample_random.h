// The random numbers of a sample: a function of (seed, epoch, sample) and of who draws them, so the same with any
// workers.
#pragma once
#include <cmath>
#include <cstdint>

#include "core/math/philox.h"

namespace luth::data {

class Random {
 public:
  /// `level` tells those apart who draw for one sample one after the other, each from a beginning.
  Random(int64_t seed, int64_t epoch, int64_t sample, int level = 0)
      : seed_(seed), epoch_(uint32_t(epoch)), draws_(uint32_t(level) << 24), sample_(sample) {}
  /// In [low, high).
  double uniform(double low = 0, double high = 1) {
    const PhiloxWords p = next();
    return low + (high - low) * uniform_double(p.w[0], p.w[1]);
  }
  /// low, …, high - 1; each as likely as the others within 2^-32.
  int64_t integer(int64_t low, int64_t high) { return low + int64_t(uniform() * double(high - low)); }
  bool chance(double p) { return uniform() < p; }
  /// Log-uniform.
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }

 private:
  // Samples count in the lower words of the counter, draws of one sample in the upper ones.
  PhiloxWords next() { return philox(seed_, sample_, epoch_, draws_++); }
  int64_t seed_;
  uint32_t epoch_, draws_;
  int64_t sample_;
};

}  // namespace luth::data
