// Philox random words, as in core/math/philox.h, for many counters at once. Kernel libraries only.
#pragma once
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstring>

#include "core/base/threads.h"
#include "core/math/draw.h"
#include "core/op/define.h"
#include "devices/cpu/kernels/common/vector.h"

namespace luth::cpu {

/// A register of 64-bit elements.
typedef uint64_t Register __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
inline constexpr int register_width = vector_bytes / 8;

/// The low halves of x's elements times m < 2^32. By the instruction's name: g++ makes a product of 64 bits of it,
/// which takes an Intel processor three times as long.
inline Register times_low(Register x, uint64_t m) {
  const Register y = m - Register{};
#if defined(__AVX512F__)
  return Register(_mm512_maskz_mul_epu32(0xff, __m512i(x), __m512i(y)));  // g++ 12 warns of the form without a mask
#elif defined(__AVX2__)
  return Register(_mm256_mul_epu32(__m256i(x), __m256i(y)));
#elif defined(__SSE2__)
  return Register(_mm_mul_epu32(__m128i(x), __m128i(y)));
#else
  return (x & 0xffffffff) * y;
#endif
}

/// The elements of a and b in turn: those of the first half of each, or with `half` = 1 of the second.
template <int half>
inline Register in_turn(Register a, Register b) {
  constexpr int from = half * register_width / 2;
#if __has_builtin(__builtin_shufflevector)
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (from + i / 2 + i % 2 * register_width)...);
  }
  (std::make_integer_sequence<int, register_width>());
#else
  Register c;
  for (int i = 0; i < register_width; ++i) c[i] = (i % 2 ? b : a)[from + i / 2];
  return c;
#endif
}

/// Words of n registers of counters from c on: out[4 i + k] is word k of counter c + i. With `odd` only words 1 and 3,
/// side by side. Each round waits for the one before, so several registers are quicker than one. Words are the low
/// halves of elements; in the high ones is what products left there.
template <int n, bool odd>
void philox_block(int64_t seed, int64_t c, uint32_t* out) {
  Register x0[n], x1[n], x2[n], x3[n], count;
  for (int l = 0; l < register_width; ++l) count[l] = uint64_t(l);
#pragma GCC unroll 8
  for (int v = 0; v < n; ++v)
    x0[v] = count + uint64_t(c + v * register_width), x1[v] = x0[v] >> 32, x2[v] = x3[v] = Register{};
  uint32_t k0 = uint32_t(seed), k1 = uint32_t(uint64_t(seed) >> 32);
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 8
    for (int v = 0; v < n; ++v) {
      const Register p0 = times_low(x0[v], 0xD2511F53u), p1 = times_low(x2[v], 0xCD9E8D57u);
      x0[v] = p1 >> 32 ^ x1[v] ^ uint64_t(k0), x1[v] = p1;
      x2[v] = p0 >> 32 ^ x3[v] ^ uint64_t(k1), x3[v] = p0;
    }
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  const auto pair = [](Register low, Register high) { return (low & 0xffffffff) | high << 32; };
#pragma GCC unroll 8
  for (int v = 0; v < n; ++v) {
    Register* const to = reinterpret_cast<Register*>(out) + (odd ? v : 2 * v);
    if constexpr (odd) {
      to[0] = pair(x1[v], x3[v]);
    } else {
      const Register first = pair(x0[v], x1[v]), second = pair(x2[v], x3[v]);
      to[0] = in_turn<0>(first, second), to[1] = in_turn<1>(first, second);
    }
  }
}

/// Words of counters first, first + 1, …: out[4 i + k] is word k of counter first + i; with `odd` only words 1 and 3.
template <bool odd = false>
void philox_words(int64_t seed, int64_t first, int64_t counters, uint32_t* out) {
  constexpr int step = odd ? 2 : 1, each = 4 / step;
  int64_t i = 0;
  constexpr int n = 4;  // so many rounds at a time hide how long a product takes
  for (; i + n * register_width <= counters; i += n * register_width)
    philox_block<n, odd>(seed, first + i, out + each * i);
  for (; i + register_width <= counters; i += register_width) philox_block<1, odd>(seed, first + i, out + each * i);
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
