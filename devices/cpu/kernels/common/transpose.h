// Transposition in registers.
#pragma once
#include <cstdint>

namespace luth::cpu {

/// to[p][i] = from[i][p] for p and i below 8, of elements of 4 bytes. Rows lie `step` and `to_step` bytes apart.
inline void transpose8(const void* from, int64_t step, void* to, int64_t to_step) {
  typedef uint32_t V __attribute__((vector_size(32), aligned(2), may_alias));
  const char* const in = static_cast<const char*>(from);
  char* const out = static_cast<char*>(to);
#if __has_builtin(__builtin_shufflevector)
  V r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = *reinterpret_cast<const V*>(in + i * step);
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int h = 0; h < 8; h += 4)
    for (int i = 0; i < 2; ++i) {
      r[h + 2 * i] = __builtin_shufflevector(t[h + i], t[h + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[h + 2 * i + 1] = __builtin_shufflevector(t[h + i], t[h + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    V &upper = *reinterpret_cast<V*>(out + i * to_step), &lower = *reinterpret_cast<V*>(out + (i + 4) * to_step);
    upper = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    lower = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#else  // g++ 11
  for (int p = 0; p < 8; ++p) {
    V row;
    for (int i = 0; i < 8; ++i) row[i] = (*reinterpret_cast<const V*>(in + i * step))[p];
    *reinterpret_cast<V*>(out + p * to_step) = row;
  }
#endif
}

}  // namespace luth::cpu
