// Random numbers: generators that hand out places in a counter-based stream.
#pragma once
#include "core/op/op.h"

namespace luth {

/// The state of one stream: every number is a function of (seed, offset, element). Thread-safe.
class Generator {
 public:
  /// `device`: the one whose numbers it makes; null for a default generator, which is looked up by its device.
  explicit Generator(int64_t seed = default_seed, Device* device = nullptr) : device_(device), seed_(seed) {}
  void seed(int64_t s);
  int64_t seed() const;
  int64_t offset() const;
  void set_offset(int64_t o);
  /// Reserves counters for n elements of the dtype: element i uses counter offset + i/4, word i mod 4; float64 and
  /// int64 take two words each (counter offset + i/2).
  PhiloxState reserve(int64_t n, Dtype dtype);
  Device* device() const { return device_; }

  static constexpr int64_t default_seed = 67280421310721;  // PyTorch's

 private:
  Device* device_;
  int64_t seed_, offset_ = 0;
};

Generator& default_generator(Device& d);
/// Seeds the generators of all devices, present and future.
void manual_seed(int64_t seed);

/// While it lives, this thread's random numbers come from `g`.
class UseGenerator {
 public:
  explicit UseGenerator(Generator& g);
  ~UseGenerator();
  UseGenerator(const UseGenerator&) = delete;

 private:
  Generator* before_;
};
/// The generator that is in use for numbers on `d`: UseGenerator's, or the default one. Throws where the former is
/// another device's.
Generator& generator_for(Device& d);

/// Whether scripts may give `generator` to the operator: it is random itself, or made of such.
inline bool takes_generator(const OpInfo& info) { return info.random || info.traits.takes_generator; }

}  // namespace luth
