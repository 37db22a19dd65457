// The random choices of the runtime: splitmix64, quick and good enough to shuffle by.
#pragma once
#include <cstdint>

namespace fake {

class Random {
 public:
  explicit Random(uint64_t seed = 1) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// 0 to n - 1.
  uint32_t below(uint32_t n) { return uint32_t((uint64_t(uint32_t(next())) * n) >> 32); }
  bool chance(double p) { return double(next() >> 11) * 0x1p-53 < p; }

 private:
  uint64_t state_;
};

}  // namespace fake
