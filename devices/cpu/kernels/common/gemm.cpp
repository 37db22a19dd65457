#include "devices/cpu/kernels/common/gemm.h"

#include "core/base/threads.h"
#include "devices/cpu/kernels/common/dot_gemm.h"
#include "devices/cpu/kernels/common/packed_gemm.h"

namespace luth::cpu {
namespace {

constexpr int64_t cheap = 1 << 20;  // multiply-adds that one thread does sooner than it would share them

// How a product is computed. It depends on the whole product, also where several threads compute parts of it.
enum class Method { dots, column, rows, packed };

template <class T>
Method method_of(int64_t m, int64_t n, int64_t k, const Matrix<T>& a, const Matrix<T>& b, int64_t ldc) {
  if (std::is_same_v<T, float> && a.col == 1 && b.row == 1 && dots_are_faster(m, k)) return Method::dots;
  const bool short_rows = a.col == 1 && k < 32;  // a dot product costs more than its terms
  if (n == 1 && ldc == 1 && !short_rows) return Method::column;
  return m == 1 || (m < 4 && b.row == 1) ? Method::rows : Method::packed;
}

// One row of C, without packing B, which would take longer than the product.
template <class T>
void row_gemm(int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c) {
  const bool plain = alpha == T(1) && beta == T(0);
  Buffer<T> row(a.col == 1 ? 0 : k), y(plain ? 0 : n);
  for (int64_t p = 0; p < k && a.col != 1; ++p) row[p] = a.p[p * a.col];
  mv_rows(0, n, k, b.transposed(), a.col == 1 ? a.p : row.get(), plain ? c : y.get());
  for (int64_t j = 0; j < n && !plain; ++j) c[j] = T(beta == T(0) ? alpha * y[j] : alpha * y[j] + beta * c[j]);
}

// Calls f(begin, end) for the whole of [0, n).
constexpr auto at_once = [](int64_t n, int64_t, auto&& f) { f(int64_t(0), n); };

// `loop` and `workers` are packed_gemm's.
template <class T, class Loop>
void gemm_by(Loop&& loop, int64_t workers, int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b,
             const Addend<T>& d, T* c, int64_t ldc) {
  // Outputs of a row or a column that one thread takes; a multiple of all that the loops over them do at a time.
  const int64_t grain = std::max<int64_t>(1, cheap / 4 / std::max<int64_t>(1, std::min(m, n) * k) / 256) * 256;
  const Method method = method_of(m, n, k, a, b, ldc);
  const T beta = d.beta;
  if (method != Method::packed && d.p != c)  // few rows, or little work for each
    for (int64_t i = 0; i < m; ++i) std::memcpy(c + i * ldc, d.p + i * d.row, size_t(n) * sizeof(T));
  switch (method) {
    case Method::dots:
      if constexpr (std::is_same_v<T, float>)
        loop(n, grain, [&](int64_t begin, int64_t end) {
          dot_gemm(m, end - begin, k, alpha, a, b.at(0, begin), beta, c + begin, ldc);
        });
      return;
    case Method::column:
      return loop(m, grain, [&](int64_t begin, int64_t end) {
        row_gemm(end - begin, k, alpha, b.transposed(), a.at(begin, 0).transposed(), beta, c + begin);
      });
    case Method::rows:
      return loop(n, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = 0; i < m; ++i)
          row_gemm(end - begin, k, alpha, a.at(i, 0), b.at(0, begin), beta, c + i * ldc + begin);
      });
    case Method::packed: return packed_gemm(m, n, k, alpha, a, b, d, c, ldc, workers, loop);
  }
}

/// By this thread alone, for at least one row and column.
template <class T>
void gemm_at_once(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, const Addend<T>& d, T* c,
                  int64_t ldc) {
  if (is_small<T>(m, n, k) && method_of(m, n, k, a, b, ldc) == Method::packed)
    return small_gemm(m, n, k, alpha, a, b, d, c, ldc);
  gemm_by(at_once, 1, m, n, k, alpha, a, b, d, c, ldc);
}

}  // namespace

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  if (m > 0 && n > 0) gemm_at_once(m, n, k, alpha, a, b, Addend<T>{beta, c, ldc}, c, ldc);
}

namespace {
template <class T>
void share(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, const Addend<T>& d, T* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  const bool vector = m == 1 || n == 1;  // reads each element once, and so waits for memory
  if (m * n * k <= (vector ? cheap / 4 : cheap) || num_threads() == 1)
    return gemm_at_once(m, n, k, alpha, a, b, d, c, ldc);
  const auto shared = [](int64_t count, int64_t grain, auto&& f) { parallel_for(count, grain, f); };
  gemm_by(shared, num_threads(), m, n, k, alpha, a, b, d, c, ldc);
}
}  // namespace

template <class T>
void parallel_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc) {
  share(m, n, k, alpha, a, b, Addend<T>{beta, c, ldc}, c, ldc);
}

template <class T>
void gemm_and_row(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, const T* row, T* c, int64_t ldc) {
  share(m, n, k, T(1), a, b, Addend<T>{T(1), row, 0}, c, ldc);
}

// The sum of 2 `width` lanes and of the last products, fewer than that: as many as lanes are left join them as one.
template <int width, class T>
[[gnu::always_inline]] inline T joined_dot(T* sum, const T* x, const T* y, int64_t n) {
  each_lane<width, T>([&](int l) { sum[l] += sum[l + width]; });
  if (n & width) {
    each_lane<width, T>([&](int l) { sum[l] += T(x[l] * y[l]); });
    x += width, y += width;
  }
  if constexpr (width > 1) return joined_dot<width / 2>(sum, x, y, n);
  return sum[0];
}

// 32 partial sums, so that the loop vectorises and rounding errors stay small.
template <class T>
T dot(int64_t n, const T* x, const T* y) {
  constexpr int64_t lanes = 32;
  T sum[lanes] = {};
  for (; n >= lanes; n -= lanes, x += lanes, y += lanes) each_lane<lanes, T>([&](int l) { sum[l] += T(x[l] * y[l]); });
  return joined_dot<lanes / 2>(sum, x, y, n);
}

// clang-format off
template void gemm(int64_t, int64_t, int64_t, float, Matrix<float>, Matrix<float>, float, float*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, float, Matrix<float>, Matrix<float>, float, float*, int64_t);
template void gemm_and_row(int64_t, int64_t, int64_t, Matrix<float>, Matrix<float>, const float*, float*, int64_t);
template float dot(int64_t, const float*, const float*);
template void gemm(int64_t, int64_t, int64_t, double, Matrix<double>, Matrix<double>, double, double*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, double, Matrix<double>, Matrix<double>, double, double*, int64_t);
template void gemm_and_row(int64_t, int64_t, int64_t, Matrix<double>, Matrix<double>, const double*, double*, int64_t);
template double dot(int64_t, const double*, const double*);
template void gemm(int64_t, int64_t, int64_t, uint8_t, Matrix<uint8_t>, Matrix<uint8_t>, uint8_t, uint8_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, uint8_t, Matrix<uint8_t>, Matrix<uint8_t>, uint8_t, uint8_t*, int64_t);
template void gemm_and_row(int64_t, int64_t, int64_t, Matrix<uint8_t>, Matrix<uint8_t>, const uint8_t*, uint8_t*, int64_t);
template uint8_t dot(int64_t, const uint8_t*, const uint8_t*);
template void gemm(int64_t, int64_t, int64_t, int8_t, Matrix<int8_t>, Matrix<int8_t>, int8_t, int8_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, int8_t, Matrix<int8_t>, Matrix<int8_t>, int8_t, int8_t*, int64_t);
template void gemm_and_row(int64_t, int64_t, int64_t, Matrix<int8_t>, Matrix<int8_t>, const int8_t*, int8_t*, int64_t);
template int8_t dot(int64_t, const int8_t*, const int8_t*);
template void gemm(int64_t, int64_t, int64_t, int16_t, Matrix<int16_t>, Matrix<int16_t>, int16_t, int16_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, int16_t, Matrix<int16_t>, Matrix<int16_t>, int16_t, int16_t*, int64_t);
template void gemm_and_row(int64_t, int64_t, int64_t, Matrix<int16_t>, Matrix<int16_t>, const int16_t*, int16_t*, int64_t);
template int16_t dot(int64_t, const int16_t*, const int16_t*);
template void gemm(int64_t, int64_t, int64_t, int32_t, Matrix<int32_t>, Matrix<int32_t>, int32_t, int32_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, int32_t, Matrix<int32_t>, Matrix<int32_t>, int32_t, int32_t*, int64_t);
template void gemm_and_row(int64_t, int64_t, int64_t, Matrix<int32_t>, Matrix<int32_t>, const int32_t*, int32_t*, int64_t);
template int32_t dot(int64_t, const int32_t*, const int32_t*);
template void gemm(int64_t, int64_t, int64_t, int64_t, Matrix<int64_t>, Matrix<int64_t>, int64_t, int64_t*, int64_t);
template void parallel_gemm(int64_t, int64_t, int64_t, int64_t, Matrix<int64_t>, Matrix<int64_t>, int64_t, int64_t*, int64_t);
template void gemm_and_row(int64_t, int64_t, int64_t, Matrix<int64_t>, Matrix<int64_t>, const int64_t*, int64_t*, int64_t);
template int64_t dot(int64_t, const int64_t*, const int64_t*);
// clang-format on

}  // namespace luth::cpu
