// Transposition in registers.
#pragma once
#include <algorithm>
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

/// Between `count` rows of n elements, one behind the other, and columns that lie `step` apart, element by element:
/// eight(row, column) for blocks of 8 by 8 from there on, one(row, column) for the elements that are left.
/// Blocks of rows shorter than 8 reach into the next rows, and into as many columns as 8.
template <class T, class F, class G>
[[gnu::always_inline]] inline void for_blocks(T* rows, int64_t count, int64_t n, auto* columns, int64_t step, F eight,
                                              G one) {
  int64_t j = 0;
  if constexpr (sizeof(T) == 4)
    for (; (j + 7) * n + std::max<int64_t>(n, 8) <= count * n; j += 8)
      for (int64_t i = 0; i < n; i += 8) {
        const int64_t at = std::max<int64_t>(0, std::min(i, n - 8));
        eight(rows + j * n + at, columns + at * step + j);
      }
  for (; j < count; ++j)
    for (int64_t i = 0; i < n; ++i) one(rows[j * n + i], columns[i * step + j]);
}
template <class T>
void rows_to_columns(const T* rows, int64_t count, int64_t n, T* columns, int64_t step) {
  for_blocks(
      rows, count, n, columns, step, [=](const T* r, T* c) { transpose8(r, n * 4, c, step * 4); },
      [](const T& r, T& c) { c = r; });
}
template <class T>
void columns_to_rows(const T* columns, int64_t step, T* rows, int64_t count, int64_t n) {
  for_blocks(
      rows, count, n, columns, step, [=](T* r, const T* c) { transpose8(c, step * 4, r, n * 4); },
      [](T& r, const T& c) { r = c; });
}

}  // namespace luth::cpu
