// Transposition in registers.
#pragma once
#include <cstdint>
#include <utility>

namespace luth::cpu {

/// Eight elements of 4 bytes, anywhere in memory.
typedef uint32_t Eight __attribute__((vector_size(32), aligned(2), may_alias));

#if __has_builtin(__builtin_shufflevector)
/// Of two rows `by` apart, swaps the elements that lie beside the diagonal of each block of 2 by rows and columns.
template <int by, int... i>
[[gnu::always_inline]] inline void swap_corners(Eight& a, Eight& b, std::integer_sequence<int, i...>) {
  const Eight upper = __builtin_shufflevector(a, b, (i & by ? 8 + i - by : i)...);
  b = __builtin_shufflevector(a, b, (i & by ? 8 + i : i + by)...);
  a = upper;
}
#endif

/// to[p][i] = rows[i][p] for p and i below 8; rows of `to` lie `step` bytes apart.
[[gnu::always_inline]] inline void transpose8(Eight (&rows)[8], void* to, int64_t step) {
  char* const out = static_cast<char*>(to);
#if __has_builtin(__builtin_shufflevector)
  constexpr auto all = std::make_integer_sequence<int, 8>();
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) swap_corners<4>(rows[i], rows[i + 4], all);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) swap_corners<2>(rows[i / 2 * 4 + i % 2], rows[i / 2 * 4 + i % 2 + 2], all);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) swap_corners<1>(rows[i], rows[i + 1], all);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) *reinterpret_cast<Eight*>(out + i * step) = rows[i];
#else  // g++ 11
  for (int p = 0; p < 8; ++p) {
    Eight column;
    for (int i = 0; i < 8; ++i) column[i] = rows[i][p];
    *reinterpret_cast<Eight*>(out + p * step) = column;
  }
#endif
}

/// The same of rows in memory, from_step bytes apart.
[[gnu::always_inline]] inline void transpose8(const void* from, int64_t from_step, void* to, int64_t step) {
  Eight rows[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) rows[i] = *reinterpret_cast<const Eight*>(static_cast<const char*>(from) + i * from_step);
  transpose8(rows, to, step);
}

}  // namespace luth::cpu
