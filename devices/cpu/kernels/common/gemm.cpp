#include "devices/cpu/kernels/common/gemm.h"

#include <limits>

#include "core/base/threads.h"
#include "devices/cpu/kernels/common/small_gemm.h"
#include "devices/cpu/libraries/libraries.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

constexpr int64_t most = std::numeric_limits<int>::max();

// Which code is the fastest, as measured on one thread (GFLOP/s; AVX2, EPYC):
//   m = n = k       16   32   64  128  256  512  1024     256x256x1024  512x512x2048  1024x128x1024 (A transposed)
//   own loops       20   33   52   67   81   82
//   OpenBLAS        27   47   66   80   89   92    90          92            90            84
//   oneDNN          20   60   91   97   95   90    86          83            60            51
// With AVX-512, oneDNN leads from 2048 on, too: 178 to 139 GFLOP/s at 2048, 187 to 118 at 4096.
constexpr int64_t own_product = 16 * 16 * 16 * 2, dnn_product = 384 * 384 * 384, dnn_depth = 640;
#if defined(__AVX512F__)
constexpr int64_t deep = 2048;
#else
constexpr int64_t deep = most;
#endif

// A library wants one of the strides to be 1, the other to be at least the row length, and all to fit into int.
template <class T>
bool fits(int64_t rows, int64_t cols, const Matrix<T>& x) {
  if (rows > most || cols > most || x.row > most || x.col > most) return false;
  return (x.col == 1 && x.row >= cols) || (x.row == 1 && x.col >= rows);
}

// The stride along an extent of 1 may be anything; libraries check it all the same.
template <class T>
Matrix<T> tidy(int64_t rows, int64_t cols, Matrix<T> x) {
  if (rows == 1) x.row = x.col == 1 ? std::max<int64_t>(cols, 1) : 1;
  if (cols == 1) x.col = x.row == 1 ? std::max<int64_t>(rows, 1) : 1;
  return x;
}

template <class T>
void library_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  bool ta = a.col != 1, tb = b.col != 1;
  int lda = int(ta ? a.col : a.row), ldb = int(tb ? b.col : b.row);
  if constexpr (std::is_same_v<T, double>) {
    libs().dgemm(ta, tb, int(m), int(n), int(k), alpha, a.p, lda, b.p, ldb, beta, c, int(ldc));
  } else {
    bool dnn = (k <= dnn_depth && m * n * k <= dnn_product) || std::min({m, n, k}) >= deep || m == 1;
    auto f = dnn ? libs().sgemm_dnn : libs().sgemm;
    f(ta, tb, int(m), int(n), int(k), alpha, a.p, lda, b.p, ldb, beta, c, int(ldc));
  }
}

template <class T>
void copy_dense(int64_t rows, int64_t cols, Matrix<T> x, T* out) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) out[i * cols + j] = x.p[i * x.row + j * x.col];
}

template <class T>
void large_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  if (m > most || n > most || k > most || ldc > most)
    throw Error("a product of [{}, {}] and [{}, {}] is too large; split it", m, k, k, n);
  if (!fits(m, k, a)) {
    Buffer<T> copy(m * k);
    copy_dense(m, k, a, copy.get());
    return large_gemm(m, n, k, alpha, {copy.get(), k, 1}, b, beta, c, ldc);
  }
  if (!fits(k, n, b)) {
    Buffer<T> copy(k * n);
    copy_dense(k, n, b, copy.get());
    return library_gemm(m, n, k, alpha, a, {copy.get(), n, 1}, beta, c, ldc);
  }
  library_gemm(m, n, k, alpha, a, b, beta, c, ldc);
}

}  // namespace

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  if constexpr (std::is_floating_point_v<T>)
    if (m * n * k > own_product) return large_gemm(m, n, k, alpha, tidy(m, k, a), tidy(k, n, b), beta, c, ldc);
  Buffer<T> panel(std::max<int64_t>(k, 1) * panel_width<T>);
  small_gemm(m, n, k, alpha, a, b, beta, c, ldc, panel.get());
}

// Tiles of about 8 million multiply-adds (0.2 ms), never so small that packing shows; all of k is in one tile, so the
// order of its sum is that of one call.
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
