// Transposition in registers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace luth::cpu {

/// Eight elements of 4 bytes, and four of 8, anywhere in memory.
typedef uint32_t Eight __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint64_t Four __attribute__((vector_size(32), aligned(2), may_alias));

#if __has_builtin(__builtin_shufflevector)
/// Of two rows `by` apart, swaps the elements that lie beside the diagonal of each block of 2 by rows and columns.
template <int by, class V, int... i>
[[gnu::always_inline]] inline void swap_corners(V& a, V& b, std::integer_sequence<int, i...>) {
  constexpr int n = sizeof...(i);
  const V upper = __builtin_shufflevector(a, b, (i & by ? n + i - by : i)...);
  b = __builtin_shufflevector(a, b, (i & by ? n + i : i + by)...);
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

/// The same for p and i below 4, of elements of 8 bytes.
[[gnu::always_inline]] inline void transpose4(const void* from, int64_t from_step, void* to, int64_t step) {
  const char* const p = static_cast<const char*>(from);  // cast here: a function would lose what the alignment is
  Four rows[4]{*reinterpret_cast<const Four*>(p), *reinterpret_cast<const Four*>(p + from_step),
               *reinterpret_cast<const Four*>(p + 2 * from_step), *reinterpret_cast<const Four*>(p + 3 * from_step)};
#if __has_builtin(__builtin_shufflevector)
  constexpr auto all = std::make_integer_sequence<int, 4>();
  swap_corners<2>(rows[0], rows[2], all), swap_corners<2>(rows[1], rows[3], all);
  swap_corners<1>(rows[0], rows[1], all), swap_corners<1>(rows[2], rows[3], all);
#else
  const Four a = rows[0], b = rows[1], c = rows[2], d = rows[3];
  for (int i = 0; i < 4; ++i) rows[i] = Four{a[i], b[i], c[i], d[i]};
#endif
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) *reinterpret_cast<Four*>(static_cast<char*>(to) + i * step) = rows[i];
}

/// Squares of elements that are transposed at once have sides of 8 or 4, or 1 where elements are narrow.
template <class T>
inline constexpr int64_t square = sizeof(T) == 4   ? 8
                                  : sizeof(T) == 8 ? 4
                                                   : 1;
template <class T>
[[gnu::always_inline]] inline void transpose_square(const T* from, int64_t from_step, T* to, int64_t step) {
  if constexpr (square<T> == 8)
    transpose8(from, from_step * 4, to, step * 4);
  else if constexpr (square<T> == 4)
    transpose4(from, from_step * 8, to, step * 8);
}
/// Between `count` rows of n elements, one behind the other, and columns that lie `step` apart: many(row, column) for
/// squares from there on, one(row, column) for the elements that are left. Squares of shorter rows reach into the next
/// rows, and into as many columns.
template <class Rows, class Columns, class F, class G>
[[gnu::always_inline]] inline void for_squares(Rows* rows, int64_t count, int64_t n, Columns* columns, int64_t step,
                                               F many, G one) {
  constexpr int64_t side = square<std::remove_const_t<Rows>>;
  int64_t j = 0;
  for (; side > 1 && (j + side - 1) * n + std::max(n, side) <= count * n; j += side)
    for (int64_t i = 0; i < n; i += side) {
      const int64_t at = std::max<int64_t>(0, std::min(i, n - side));
      many(rows + j * n + at, columns + at * step + j);
    }
  for (; j < count; ++j)
    for (int64_t i = 0; i < n; ++i) one(rows[j * n + i], columns[i * step + j]);
}
template <class T>
void rows_to_columns(const T* rows, int64_t count, int64_t n, T* columns, int64_t step) {
  for_squares(
      rows, count, n, columns, step, [=](const T* r, T* c) { transpose_square(r, n, c, step); },
      [](const T& r, T& c) { c = r; });
}
template <class T>
void columns_to_rows(const T* columns, int64_t step, T* rows, int64_t count, int64_t n) {
  for_squares(
      rows, count, n, columns, step, [=](T* r, const T* c) { transpose_square(c, step, r, n); },
      [](T& r, const T& c) { r = c; });
}

}  // namespace luth::cpu
