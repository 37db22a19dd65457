// Short rows side by side: rows of one lane (rows.h), each computed as if alone, in vectors across them.
#pragma once
#include "devices/cpu/kernels/common/rows.h"
#include "devices/cpu/kernels/common/transpose.h"

namespace luth::cpu {

/// Whether rows are computed side by side: short ones beside many others.
inline bool side_by_side(const Axis& a) { return a.n > 0 && a.n < 64 && (a.inner == 1 ? a.outer : a.inner) >= 16; }
inline constexpr int64_t most_rows = 256;

/// Blocks of up to most_rows rows of a: calls f(first row, rows, step, in…, out), where element i of row j of the block
/// is i * step + j from there; out is null where there are no rows of results. Where rows are not side by side in
/// memory, or not in compute type, blocks are copied.
template <class T, size_t Inputs, class Out, class F>
void for_columns(const Axis& a, const T* const (&in)[Inputs], Out out, F f) {
  const int64_t n = a.n, inner = a.inner;
  constexpr bool stored = !std::is_null_pointer_v<Out>;
  using A = compute_t<T>;
  const auto call = [&](int64_t at, int64_t w, int64_t step, const A* const* x, A* y) {
    const int64_t row = at / (n * inner) * inner + at % inner;
    [&]<size_t... K>(std::index_sequence<K...>) { f(row, w, step, x[K]..., y); }
    (std::make_index_sequence<Inputs>());
  };
  if constexpr (std::is_same_v<A, T>)
    if (inner > 1)
      return for_row_blocks(a, most_rows, [&](int64_t at, int64_t w) {
        const A* x[Inputs];
        for (size_t k = 0; k < Inputs; ++k) x[k] = in[k] + at;
        A* y = nullptr;
        if constexpr (stored) y = out + at;
        call(at, w, inner, x, y);
      });
  constexpr int64_t most = 64 * 64;  // elements of a block
  const int64_t width = std::min(most_rows, most / n / 16 * 16);
  const Axis blocks = inner == 1 ? Axis{1, n, a.outer} : a;
  for_row_blocks(blocks, width, [&](int64_t start, int64_t w) {
    const Buffer<A> tiles((Inputs + stored) * most), converted(is_half<T> ? most : 0);
    A *const y = stored ? tiles.get() + Inputs * most : nullptr, *const rows = converted.get();
    const int64_t at = inner == 1 ? start * n : start, step = width;
    const A* x[Inputs];
    for (size_t k = 0; k < Inputs; ++k) {
      const T* from = in[k] + at;
      A* const tile = tiles.get() + k * most;
      x[k] = tile;
      if (inner > 1) {
        for (int64_t i = 0; i < n; ++i) convert_row(from + i * inner, tile + i * step, w);
      } else if constexpr (is_half<T>) {
        convert_row(from, rows, w * n);
        rows_to_columns(rows, w, n, tile, step);
      } else {
        rows_to_columns(from, w, n, tile, step);
      }
    }
    call(at, w, step, x, y);
    if constexpr (stored) {
      T* to = out + at;
      if (inner > 1) {
        for (int64_t i = 0; i < n; ++i) convert_row(y + i * step, to + i * inner, w);
      } else if constexpr (is_half<T>) {
        columns_to_rows(y, step, rows, w, n);
        convert_row(rows, to, w * n);
      } else {
        columns_to_rows(y, step, to, w, n);
      }
    }
  });
}

/// The largest elements `top` of w rows side by side, of n elements each that lie `step` apart.
template <class A>
inline void column_tops(const A* x, int64_t n, int64_t step, int64_t w, A* __restrict top) {
  std::fill_n(top, w, -std::numeric_limits<A>::infinity());
  for (int64_t k = 0; k < n * step; k += step)
    for (int64_t j = 0; j < w; ++j) top[j] = x[k + j] > top[j] ? x[k + j] : top[j];
}
/// The sums `total` of exp(x - top). Calls keep(k, e) with each term e, x[k] being its element.
template <class A, class F>
inline void exp_sums(const A* x, int64_t n, int64_t step, int64_t w, const A* top, A* __restrict total, F keep) {
  std::fill_n(total, w, A(0));
  for (int64_t k = 0; k < n * step; k += step)
    for (int64_t j = 0; j < w; ++j) {
      const A e = math::exp(x[k + j] - top[j]);
      total[j] += e;
      keep(k + j, e);
    }
}

}  // namespace luth::cpu
