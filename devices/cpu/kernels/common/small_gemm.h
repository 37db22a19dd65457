// A product of small matrices without a library: panels of B are packed, tiles of C stay in registers. For gemm.cpp.
#pragma once
#include <algorithm>
#include <cstring>

#include "devices/cpu/kernels/common/matrix.h"

namespace luth::cpu {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// A register full of T.
template <class T>
struct Vector {
  typedef T type __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
  static constexpr int width = vector_bytes / int(sizeof(T));
};

/// Columns of C that one pass computes: two registers.
template <class T>
inline constexpr int panel_width = 2 * Vector<T>::width;
/// Rows of C that one pass computes: with two registers each they fill the register file.
inline constexpr int panel_rows = 6;

// acc[r][panel_width] = sum over p of a[r][p] * panel[p]
template <class T, int R>
inline void tile(int64_t k, Matrix<T> a, const T* panel, T* acc) {
  using V = typename Vector<T>::type;
  constexpr int w = Vector<T>::width;
  V lo[R], hi[R];
  for (int r = 0; r < R; ++r) lo[r] = hi[r] = V{};
  for (int64_t p = 0; p < k; ++p) {
    V b0 = *reinterpret_cast<const V*>(panel + p * 2 * w), b1 = *reinterpret_cast<const V*>(panel + p * 2 * w + w);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      V x = a.p[r * a.row + p * a.col] - V{};
      lo[r] += x * b0;
      hi[r] += x * b1;
    }
  }
  for (int r = 0; r < R; ++r) {
    *reinterpret_cast<V*>(acc + r * 2 * w) = lo[r];
    *reinterpret_cast<V*>(acc + r * 2 * w + w) = hi[r];
  }
}

template <class T>
void tile_rows(int rows, int64_t k, Matrix<T> a, const T* panel, T* acc) {
  switch (rows) {
    case 1: return tile<T, 1>(k, a, panel, acc);
    case 2: return tile<T, 2>(k, a, panel, acc);
    case 3: return tile<T, 3>(k, a, panel, acc);
    case 4: return tile<T, 4>(k, a, panel, acc);
    case 5: return tile<T, 5>(k, a, panel, acc);
    default: return tile<T, 6>(k, a, panel, acc);
  }
}

// panel[p][panel_width] = columns of b, with zeros behind the last
template <class T>
void pack_panel(int64_t k, int64_t cols, Matrix<T> b, T* panel) {
  constexpr int64_t w = panel_width<T>;
  if (b.col == 1) {
    for (int64_t p = 0; p < k; ++p) {
      std::memcpy(panel + p * w, b.p + p * b.row, size_t(cols) * sizeof(T));
      for (int64_t j = cols; j < w; ++j) panel[p * w + j] = T(0);
    }
    return;
  }
  for (int64_t j = 0; j < w; ++j)
    for (int64_t p = 0; p < k; ++p) panel[p * w + j] = j < cols ? b.p[p * b.row + j * b.col] : T(0);
}

/// As gemm(); `panel` has room for k * panel_width<T> elements.
template <class T>
void small_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc,
                T* panel) {
  constexpr int64_t w = panel_width<T>;
  alignas(64) T acc[size_t(panel_rows) * size_t(w)];
  for (int64_t j = 0; j < n; j += w) {
    int64_t cols = std::min(w, n - j);
    pack_panel(k, cols, b.at(0, j), panel);
    for (int64_t i = 0; i < m; i += panel_rows) {
      int rows = int(std::min<int64_t>(panel_rows, m - i));
      tile_rows(rows, k, a.at(i, 0), panel, acc);
      for (int r = 0; r < rows; ++r) {
        T* out = c + (i + r) * ldc + j;
        const T* in = acc + r * w;
        if (beta == T(0))
          for (int64_t x = 0; x < cols; ++x) out[x] = T(alpha * in[x]);
        else
          for (int64_t x = 0; x < cols; ++x) out[x] = T(alpha * in[x] + beta * out[x]);
      }
    }
  }
}

}  // namespace luth::cpu
