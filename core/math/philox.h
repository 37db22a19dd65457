// Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw ("Parallel random numbers: as easy as
// 1, 2, 3", SC11). One header for every device: element i of a stream is the same number everywhere.
#pragma once
#include <cstdint>

#include "core/base/dtype.h"

namespace luth {

struct PhiloxWords {
  uint32_t w[4];
};

/// The four words of counter `c` under `seed`; `high`, `higher`: the counter's upper 64 bits, by which an element has
/// words of its own without end.
LUTH_HD inline PhiloxWords philox(int64_t seed, int64_t c, uint32_t high = 0, uint32_t higher = 0) {
  uint32_t k0 = uint32_t(seed), k1 = uint32_t(uint64_t(seed) >> 32);
  uint32_t x0 = uint32_t(c), x1 = uint32_t(uint64_t(c) >> 32), x2 = high, x3 = higher;
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53u) * x0, p1 = uint64_t(0xCD9E8D57u) * x2;
    uint32_t y0 = uint32_t(p1 >> 32) ^ x1 ^ k0, y2 = uint32_t(p0 >> 32) ^ x3 ^ k1;
    x1 = uint32_t(p1), x3 = uint32_t(p0), x0 = y0, x2 = y2;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return {{x0, x1, x2, x3}};
}

/// Uniform in [0, 1): 24 bits of one word for float, 53 of two for double.
LUTH_HD inline float uniform_float(uint32_t w) { return float(w >> 8) * 0x1p-24f; }
LUTH_HD inline double uniform_double(uint32_t lo, uint32_t hi) {
  return double((uint64_t(hi) << 32 | lo) >> 11) * 0x1p-53;
}

/// 64 random bits for element i (two elements per counter).
LUTH_HD inline uint64_t philox_u64(int64_t seed, int64_t offset, int64_t i) {
  PhiloxWords p = philox(seed, offset + i / 2);
  int k = int(i & 1) * 2;
  return uint64_t(p.w[k + 1]) << 32 | p.w[k];
}

}  // namespace luth
