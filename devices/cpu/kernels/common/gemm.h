// Products of row-major matrices, by luth's own loops. For the kernels of matmul, conv and whoever else needs a
// product.
#pragma once
#include <cstdint>

#include "core/base/dtype.h"
#include "devices/cpu/kernels/common/matrix.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {

/// C[m,n] = alpha A[m,k] B[k,n] + beta C, with C's rows ldc apart and its columns adjacent; C is not read where beta is
/// 0. T is float, double or an integer (which wraps). Any strides of A and B: what is not dense is packed. Serial; the
/// bits of the result depend on shapes and strides alone.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc);

/// The same on several threads where that is sooner, with the same bits.
template <class T>
void parallel_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc);

/// C = A B + row, the row added to each of C's rows; on several threads, with the same bits.
template <class T>
void gemm_and_row(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, const T* row, T* c, int64_t ldc);

/// sum of x[i] * y[i]; the order of summation depends on n alone.
template <class T>
T dot(int64_t n, const T* x, const T* y);

/// The same of 16-bit floats x; `wide` has room for n.
template <class T>
float dot_with(int64_t n, const T* x, const float* y, float* wide) {
  if constexpr (is_easy<T>)  // converted in registers
    return lanes2<float>(x, y, n, [](float sum, T p, float q) { return sum + float(p) * q; });
  else
    return dot(n, easy_row(x, wide, n), y);
}

/// Rows of a [m, n] times v: a dot product for each row where rows lie together, else sums of columns.
template <class T, class Y>
void mv_rows(int64_t begin, int64_t end, int64_t n, Matrix<T> a, const compute_t<T>* v, Y* y) {
  using C = compute_t<T>;
  constexpr int64_t block = 1024;
  if (a.col == 1 || a.row > 4 * a.col) {
    C row[block];
    const auto part = [&](const T* p, int64_t j, int64_t count) {  // from column j on
      if constexpr (is_half<T>)
        if (a.col == 1) return dot_with(count, p, v + j, row);
      for (int64_t x = 0; x < count; ++x) row[x] = C(p[x * a.col]);
      return dot(count, row, v + j);
    };
    for (int64_t i = begin; i < end; ++i) {
      const T* p = a.p + i * a.row;
      if constexpr (!is_half<T>)
        if (a.col == 1) {
          y[i] = dot(n, p, v);
          continue;
        }
      C sum = 0;
      for (int64_t j = 0; j < n; j += block) sum += part(p + j * a.col, j, std::min(block, n - j));
      y[i] = Y(sum);
    }
    return;
  }
  for (int64_t i = begin; i < end; i += block) {
    int64_t count = std::min(block, end - i);
    C sum[block] = {};
    for (int64_t j = 0; j < n; ++j) {
      const T* column = a.p + i * a.row + j * a.col;
      if (a.row == 1) {
        C wide[block];
        const auto* p = easy_row(column, wide, count);
        for (int64_t x = 0; x < count; ++x) sum[x] += C(p[x]) * v[j];
      } else
        for (int64_t x = 0; x < count; ++x) sum[x] += C(column[x * a.row]) * v[j];
    }
    for (int64_t x = 0; x < count; ++x) y[i + x] = Y(sum[x]);
  }
}

}  // namespace luth::cpu
