// Philox random words, as in core/math/philox.h, for many counters at once. Kernel libraries only.
#pragma once
#include "core/base/threads.h"
#include "core/math/draw.h"
#include "core/op/define.h"

namespace luth::cpu {

/// Words of `width` counters from c on: out[4 i + k] is word k of counter c + i. With `odd` only words 1 and 3, side by
/// side, for which the last round multiplies half as much. The loops vectorise; each round waits for the one before, so
/// several vectors are quicker than one. The halves of a product are computed apart: g++ then needs fewer permutations.
template <int width, bool odd>
void philox_block(int64_t seed, int64_t c, uint32_t* out) {
  constexpr uint32_t m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;
  uint32_t x0[width], x1[width], x2[width], x3[width];
  for (int l = 0; l < width; ++l) {
    x0[l] = uint32_t(c + l), x1[l] = uint32_t(uint64_t(c + l) >> 32), x2[l] = 0, x3[l] = 0;
  }
  uint32_t k0 = uint32_t(seed), k1 = uint32_t(uint64_t(seed) >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int l = 0; l < width; ++l) {
      const uint32_t y0 = uint32_t(uint64_t(m1) * x2[l] >> 32) ^ x1[l] ^ k0;
      const uint32_t y2 = uint32_t(uint64_t(m0) * x0[l] >> 32) ^ x3[l] ^ k1;
      x1[l] = m1 * x2[l], x3[l] = m0 * x0[l], x0[l] = y0, x2[l] = y2;
    }
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  for (int l = 0; l < width; ++l) {
    if constexpr (odd)
      out[2 * l] = x1[l], out[2 * l + 1] = x3[l];
    else
      out[4 * l] = x0[l], out[4 * l + 1] = x1[l], out[4 * l + 2] = x2[l], out[4 * l + 3] = x3[l];
  }
}

/// Words of counters first, first + 1, …: out[4 i + k] is word k of counter first + i; with `odd` only words 1 and 3.
template <bool odd = false>
void philox_words(int64_t seed, int64_t first, int64_t counters, uint32_t* out) {
  constexpr int step = odd ? 2 : 1, each = 4 / step;
  int64_t i = 0;
  for (; i + 64 <= counters; i += 64) philox_block<64, odd>(seed, first + i, out + each * i);
  for (; i + 16 <= counters; i += 16) philox_block<16, odd>(seed, first + i, out + each * i);
  for (; i < counters; ++i) {
    const PhiloxWords p = philox(seed, first + i);
    for (int k = 0; k < each; ++k) out[each * i + k] = p.w[step * k + odd];
  }
}

/// Calls f(begin, end, words) for ranges of the elements 0 … n - 1, with the random words of elements [begin, end): one
/// per element (element i: counter offset + i / 4, word i mod 4), or two for dtypes of 8 bytes. Ranges begin at
/// multiples of 1024.
template <class F>
void with_words(const PhiloxState& state, int64_t n, int per_element, F f) {
  constexpr int64_t block = 1024;
  parallel_for((n + block - 1) / block, 8, [&](int64_t first, int64_t last) {
    uint32_t words[2 * block];
    for (int64_t b = first; b < last; ++b) {
      const int64_t begin = b * block, end = std::min(n, begin + block);
      const int64_t counters = ((end - begin) * per_element + 3) / 4;
      philox_words(state.seed, state.offset + begin * per_element / 4, counters, words);
      f(begin, end, static_cast<const uint32_t*>(words));
    }
  });
}

}  // namespace luth::cpu
