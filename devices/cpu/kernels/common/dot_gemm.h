// A product of a matrix of few rows with one whose columns are contiguous, as the transposed weight of a linear layer:
// dot products, without packing. For gemm.cpp.
#pragma once
#include <algorithm>
#include <cstring>
#include <utility>

#include "devices/cpu/kernels/common/packed_gemm.h"

namespace luth::cpu {

/// Whether dot products are faster than packing B, for a.col and b.row of 1: measured on AVX2 and AVX-512.
inline bool dots_are_faster(int64_t m, int64_t k) { return m <= 32 && 4 * m <= k; }

/// The dot products of a tile: with their operands they fill the registers.
inline constexpr int dot_rows = vector_bytes == 64 ? 4 : 3, dot_cols = 4;

template <class T, int64_t n>
struct Lanes {
  typedef T type __attribute__((vector_size(n * sizeof(T)), aligned(alignof(T)), may_alias));
};

// Element i of the result is the sum of elements i, i + 4, i + 8, … of v.
template <class T, int64_t n>
typename Lanes<T, 4>::type fold_to_four(typename Lanes<T, n>::type v) {
  if constexpr (n == 4) {
    return v;
  } else {
    typename Lanes<T, n / 2>::type half[2];
    std::memcpy(half, &v, sizeof v);
    return fold_to_four<T, n / 2>(half[0] + half[1]);
  }
}

// The sums of four vectors.
template <class V>
V sums_of_four(const V (&x)[4]) {
#if __has_builtin(__builtin_shufflevector)
  const V low = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5) + __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const V high = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5) + __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  return __builtin_shufflevector(low, high, 0, 1, 4, 5) + __builtin_shufflevector(low, high, 2, 3, 6, 7);
#else  // g++ 11
  V sum{};
  for (int i = 0; i < 4; ++i) sum[i] = (x[i][0] + x[i][2]) + (x[i][1] + x[i][3]);
  return sum;
#endif
}

// c[j] = alpha times the sum of x[j]'s elements + beta c[j]
template <class T, int N>
inline void write_sums(const typename Vector<T>::type (&x)[N], T alpha, T beta, T* c) {
  constexpr int64_t w = Vector<T>::width;
  if constexpr (N == 4) {
    using V = typename Lanes<T, 4>::type;
    const V part[4] = {fold_to_four<T, w>(x[0]), fold_to_four<T, w>(x[1]), fold_to_four<T, w>(x[2]),
                       fold_to_four<T, w>(x[3])};
    V& out = *reinterpret_cast<V*>(c);
    const V y = alpha * sums_of_four(part);
    out = beta == T(0) ? y : y + beta * out;
  } else {
    const auto part = fold_to_four<T, w>(x[0]);
    const T y = alpha * ((part[0] + part[2]) + (part[1] + part[3]));
    *c = beta == T(0) ? y : y + beta * *c;
  }
}

// C[R, N] = alpha A[R, k] B[k, N] + beta C, where a.col and b.row are 1.
template <class T, int R, int N>
__attribute__((no_sanitize("address,undefined"))) inline void dot_tile(int64_t k, T alpha, Matrix<T> a, Matrix<T> b,
                                                                       T beta, T* c, int64_t ldc) {
  using V = typename Vector<T>::type;
  constexpr int64_t w = Vector<T>::width;
  V sum[R][N];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (int j = 0; j < N; ++j) sum[r][j] = V{};
  alignas(vector_bytes) T rest[R + N][w];  // the last k % w elements of each row and column, then zeros
  for (int64_t left = k; left > 0; left -= w) {
    if (left < w) {
      std::memset(rest, 0, sizeof rest);
      for (int r = 0; r < R; ++r) std::memcpy(rest[r], a.p + r * a.row, size_t(left) * sizeof(T));
      for (int j = 0; j < N; ++j) std::memcpy(rest[R + j], b.p + j * b.col, size_t(left) * sizeof(T));
      a = {rest[0], w, 1}, b = {rest[R], 1, w};
    }
    V x[R];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) x[r] = *reinterpret_cast<const V*>(a.p + r * a.row);
#pragma GCC unroll 16
    for (int j = 0; j < N; ++j) {
      const V y = *reinterpret_cast<const V*>(b.p + j * b.col);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) sum[r][j] += x[r] * y;
    }
    a.p += w, b.p += w;
  }
  // without loops, so that no sum leaves its register before it is one number
  [&]<int... r>(std::integer_sequence<int, r...>) { (write_sums<T, N>(sum[r], alpha, beta, c + r * ldc), ...); }
  (std::make_integer_sequence<int, R>());
}

// The rows of a strip of N columns.
template <class T, int N>
void dot_strip(int64_t m, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  int64_t i = 0;
  for (; i + dot_rows <= m; i += dot_rows) dot_tile<T, dot_rows, N>(k, alpha, a.at(i, 0), b, beta, c + i * ldc, ldc);
  for (; i + 2 <= m; i += 2) dot_tile<T, 2, N>(k, alpha, a.at(i, 0), b, beta, c + i * ldc, ldc);
  if (i < m) dot_tile<T, 1, N>(k, alpha, a.at(i, 0), b, beta, c + i * ldc, ldc);
}

/// Elements that a tile sums in its registers before it adds them to C: a longer sum would lose digits, and its columns
/// of B would not stay in the first cache.
inline constexpr int64_t dot_depth = 2048;

/// As gemm(), where a.col and b.row are 1. The order of the sum depends on k and on the width of a register.
template <class T>
void dot_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  for (int64_t p = 0; p == 0 || p < k; p += dot_depth, beta = T(1)) {
    const int64_t depth = std::min(dot_depth, k - p);
    const Matrix<T> left = a.at(0, p), right = b.at(p, 0);
    int64_t j = 0;
    for (; j + dot_cols <= n; j += dot_cols)
      dot_strip<T, dot_cols>(m, depth, alpha, left, right.at(0, j), beta, c + j, ldc);
    for (; j < n; ++j) dot_strip<T, 1>(m, depth, alpha, left, right.at(0, j), beta, c + j, ldc);
  }
}

}  // namespace luth::cpu
