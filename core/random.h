// Random numbers: generators that hand out places in a counter-based stream. Includes device and dtype.
#pragma once
#include "core/op.h"

namespace luth {

/// The state of one stream: every number is a function of (seed, offset, element). Thread-safe.
class Generator {
 public:
  explicit Generator(int64_t seed = default_seed) : seed_(seed) {}
  void seed(int64_t s);
  int64_t seed() const;
  int64_t offset() const;
  void set_offset(int64_t o);
  /// Reserves counters for n elements of the dtype: element i uses counter offset + i/4, word i mod 4; float64 and
  /// int64 take two words each (counter offset + i/2).
  PhiloxState reserve(int64_t n, Dtype dtype);

  static constexpr int64_t default_seed = 67280421310721;  // PyTorch's

 private:
  int64_t seed_, offset_ = 0;
};

Generator& default_generator(Device& d);
/// Seeds the generators of all devices, present and future.
void manual_seed(int64_t seed);

}  // namespace luth
