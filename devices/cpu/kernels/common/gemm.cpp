#include "devices/cpu/kernels/common/gemm.h"

#include <limits>
#include <optional>

#include "core/base/threads.h"
#include "devices/cpu/kernels/common/dot_gemm.h"
#include "devices/cpu/kernels/common/packed_gemm.h"
#include "devices/cpu/libraries/libraries.h"

namespace luth::cpu {
namespace {

constexpr int64_t most = std::numeric_limits<int>::max();
constexpr int64_t own_product = 16 * 16 * 16 * 2;  // multiply-adds of double that our loops do as fast as OpenBLAS

// A library wants one of the strides to be 1, the other to be at least the row length, and all to fit into int.
bool fits(int64_t rows, int64_t cols, const Matrix<double>& x) {
  if (rows > most || cols > most || x.row > most || x.col > most) return false;
  return (x.col == 1 && x.row >= cols) || (x.row == 1 && x.col >= rows);
}

// A stride that a library accepts for a dim of one element, where it may be anything.
Matrix<double> tidy(int64_t rows, int64_t cols, Matrix<double> x) {
  if (rows == 1) x.row = x.col == 1 ? std::max<int64_t>(cols, 1) : 1;
  if (cols == 1) x.col = x.row == 1 ? std::max<int64_t>(rows, 1) : 1;
  return x;
}

// x, or a dense copy of it where the library does not take x.
Matrix<double> library_operand(int64_t rows, int64_t cols, Matrix<double> x, std::optional<Buffer<double>>& copy) {
  x = tidy(rows, cols, x);
  if (fits(rows, cols, x)) return x;
  double* to = copy.emplace(rows * cols).get();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) to[i * cols + j] = x.p[i * x.row + j * x.col];
  return {to, cols, 1};
}

// False where the library cannot be opened for want of room.
bool library_gemm(int64_t m, int64_t n, int64_t k, double alpha, Matrix<double> a, Matrix<double> b, double beta,
                  double* c, int64_t ldc) {
  const Libs* library = libs_where_they_fit();
  if (!library) return false;
  if (m > most || n > most || k > most || ldc > most)
    throw Error("a product of [{}, {}] and [{}, {}] is too large; split it", m, k, k, n);
  std::optional<Buffer<double>> copy_a, copy_b;
  a = library_operand(m, k, a, copy_a), b = library_operand(k, n, b, copy_b);
  const bool ta = a.col != 1, tb = b.col != 1;
  library->dgemm(ta, tb, int(m), int(n), int(k), alpha, a.p, int(ta ? a.col : a.row), b.p, int(tb ? b.col : b.row),
                 beta, c, int(ldc));
  return true;
}

// One row of C, without packing B, which would take longer than the product.
template <class T>
void row_gemm(int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c) {
  Buffer<T> row(a.col == 1 ? 0 : k), y(n);
  for (int64_t p = 0; p < k && a.col != 1; ++p) row[p] = a.p[p * a.col];
  mv_rows(0, n, k, b.transposed(), a.col == 1 ? a.p : row.get(), y.get());
  for (int64_t j = 0; j < n; ++j) c[j] = T(beta == T(0) ? alpha * y[j] : alpha * y[j] + beta * c[j]);
}

}  // namespace

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  if constexpr (std::is_same_v<T, float>)
    if (a.col == 1 && b.row == 1 && dots_are_faster(m, k)) return dot_gemm(m, n, k, alpha, a, b, beta, c, ldc);
  if (n == 1 && ldc == 1) return row_gemm(m, k, alpha, b.transposed(), a.transposed(), beta, c);
  if (m == 1 || (m < 4 && b.row == 1)) {
    for (int64_t i = 0; i < m; ++i) row_gemm(n, k, alpha, a.at(i, 0), b, beta, c + i * ldc);
    return;
  }
  if constexpr (std::is_same_v<T, double>)
    if (m * n * k > own_product && library_gemm(m, n, k, alpha, a, b, beta, c, ldc)) return;
  packed_gemm(m, n, k, alpha, a, b, beta, c, ldc);
}

// Tiles of about 8 million multiply-adds (0.2 ms), and large enough that packing costs little. A tile has all of k, so
// tiling does not change the order of sums.
Tiles tiles_of(int64_t m, int64_t n, int64_t k) {
  int64_t wanted = std::clamp<int64_t>(m * n / 4096 * k / 2048, 1, 256);
  Tiles t{m, n, 1, 1};
  while (t.down * t.across < wanted && std::max(t.rows, t.cols) > 192) {
    int64_t& side = t.rows >= t.cols ? t.rows : t.cols;
    side = (side / 2 + 15) / 16 * 16;
    t.down = (m + t.rows - 1) / t.rows;
    t.across = (n + t.cols - 1) / t.cols;
  }
  return t;
}

template <class T>
void parallel_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  Tiles t = tiles_of(m, n, k);
  parallel_for(t.down * t.across, 1, [&](int64_t begin, int64_t end) {
    for (int64_t x = begin; x < end; ++x) {
      int64_t i = x / t.across * t.rows, j = x % t.across * t.cols;
      gemm(std::min(t.rows, m - i), std::min(t.cols, n - j), k, alpha, a.at(i, 0), b.at(0, j), beta, c + i * ldc + j,
           ldc);
    }
  });
}

// 32 partial sums, so that the loop vectorises and rounding errors stay small.
template <class T>
T dot(int64_t n, const T* x, const T* y) {
  constexpr int64_t lanes = 32;
  T sum[lanes] = {};
  int64_t whole = n / lanes * lanes;
  for (int64_t i = 0; i < whole; i += lanes)
    for (int64_t l = 0; l < lanes; ++l) sum[l] += T(x[i + l] * y[i + l]);
  for (int64_t i = whole; i < n; ++i) sum[i - whole] += T(x[i] * y[i]);
  for (int64_t half = lanes / 2; half; half /= 2)
    for (int64_t l = 0; l < half; ++l) sum[l] += sum[l + half];
  return sum[0];
}

// clang-format off
template void gemm(int64_t, int64_t, int64_t, float, Matrix<float>, Matrix<float>, float, float*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, float, Matrix<float>, Matrix<float>, float, float*, int64_t);
template float dot(int64_t, const float*, const float*);
template void gemm(int64_t, int64_t, int64_t, double, Matrix<double>, Matrix<double>, double, double*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, double, Matrix<double>, Matrix<double>, double, double*, int64_t);
template double dot(int64_t, const double*, const double*);
template void gemm(int64_t, int64_t, int64_t, uint8_t, Matrix<uint8_t>, Matrix<uint8_t>, uint8_t, uint8_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, uint8_t, Matrix<uint8_t>, Matrix<uint8_t>, uint8_t, uint8_t*, int64_t);
template uint8_t dot(int64_t, const uint8_t*, const uint8_t*);
template void gemm(int64_t, int64_t, int64_t, int8_t, Matrix<int8_t>, Matrix<int8_t>, int8_t, int8_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, int8_t, Matrix<int8_t>, Matrix<int8_t>, int8_t, int8_t*, int64_t);
template int8_t dot(int64_t, const int8_t*, const int8_t*);
template void gemm(int64_t, int64_t, int64_t, int16_t, Matrix<int16_t>, Matrix<int16_t>, int16_t, int16_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, int16_t, Matrix<int16_t>, Matrix<int16_t>, int16_t, int16_t*, int64_t);
template int16_t dot(int64_t, const int16_t*, const int16_t*);
template void gemm(int64_t, int64_t, int64_t, int32_t, Matrix<int32_t>, Matrix<int32_t>, int32_t, int32_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, int32_t, Matrix<int32_t>, Matrix<int32_t>, int32_t, int32_t*, int64_t);
template int32_t dot(int64_t, const int32_t*, const int32_t*);
template void gemm(int64_t, int64_t, int64_t, int64_t, Matrix<int64_t>, Matrix<int64_t>, int64_t, int64_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, int64_t, Matrix<int64_t>, Matrix<int64_t>, int64_t, int64_t*, int64_t);
template int64_t dot(int64_t, const int64_t*, const int64_t*);
// clang-format on

}  // namespace luth::cpu
