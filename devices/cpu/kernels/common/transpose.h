// Transposition in registers.
#pragma once
#include <cstdint>

namespace luth::cpu {

/// Eight elements of 4 bytes, anywhere in memory.
typedef uint32_t Eight __attribute__((vector_size(32), aligned(2), may_alias));

/// to[p][i] = rows[i][p] for p and i below 8; rows of `to` lie `step` bytes apart.
inline void transpose8(const Eight (&rows)[8], void* to, int64_t step) {
  char* const out = static_cast<char*>(to);
#if __has_builtin(__builtin_shufflevector)
  Eight r[8], t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int h = 0; h < 8; h += 4)
    for (int i = 0; i < 2; ++i) {
      r[h + 2 * i] = __builtin_shufflevector(t[h + i], t[h + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[h + 2 * i + 1] = __builtin_shufflevector(t[h + i], t[h + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    Eight &upper = *reinterpret_cast<Eight*>(out + i * step), &lower = *reinterpret_cast<Eight*>(out + (i + 4) * step);
    upper = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    lower = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#else  // g++ 11
  for (int p = 0; p < 8; ++p) {
    Eight column;
    for (int i = 0; i < 8; ++i) column[i] = rows[i][p];
    *reinterpret_cast<Eight*>(out + p * step) = column;
  }
#endif
}

/// The same of rows in memory, from_step bytes apart.
inline void transpose8(const void* from, int64_t from_step, void* to, int64_t step) {
  Eight rows[8];
  for (int i = 0; i < 8; ++i) rows[i] = *reinterpret_cast<const Eight*>(static_cast<const char*>(from) + i * from_step);
  transpose8(rows, to, step);
}

}  // namespace luth::cpu
