// Triangular systems: blocks on the diagonal row by row, what lies beside them by products.
#include "core/base/threads.h"
#include "core/ops/linalg/lapack.h"
#include "devices/cpu/kernels/common/gemm.h"
#include "devices/cpu/kernels/common/kernels.h"

namespace luth::cpu {
namespace {

constexpr int64_t block = 32;

/// A triangle of rows n apart.
template <class T>
struct Triangle {
  int64_t n;
  const T* p;
  bool upper, unit;
  Matrix<T> at(int64_t i, int64_t j) const { return {p + i * n + j, n, 1}; }
  T operator()(int64_t i, int64_t j) const { return p[i * n + j]; }
};

// Calls f(begin, end, from, to) for each block of what is solved in turn, where [from, to) has been solved before.
template <class F>
void each_block(int64_t n, bool forward, F&& f) {
  for (int64_t done = 0; done < n; done += block) {
    const int64_t count = std::min(block, n - done), begin = forward ? done : n - done - count;
    f(begin, begin + count, forward ? 0 : begin + count, forward ? begin : n);
  }
}

// y -= f x
template <class T>
void subtract(int64_t n, T f, const T* __restrict x, T* __restrict y) {
  for (int64_t i = 0; i < n; ++i) y[i] -= f * x[i];
}

template <class T>
using Gemm = decltype(gemm<T>);

// X of A X = Y, in place of Y [n, k].
template <class T>
void solve_left(const Triangle<T>& a, int64_t k, T* y, Gemm<T>* product) {
  each_block(a.n, !a.upper, [&](int64_t begin, int64_t end, int64_t from, int64_t to) {
    if (from < to)
      product(end - begin, k, to - from, T(-1), a.at(begin, from), {y + from * k, k, 1}, T(1), y + begin * k, k);
    for (int64_t step = 0; step < end - begin; ++step) {
      const int64_t i = a.upper ? end - 1 - step : begin + step;
      T* const row = y + i * k;
      for (int64_t j = a.upper ? i + 1 : begin; j < (a.upper ? end : i); ++j) subtract(k, a(i, j), y + j * k, row);
      for (int64_t c = 0; c < k && !a.unit; ++c) row[c] /= a(i, i);
    }
  });
}
// X of X A = Y, in place of Y [m, n].
template <class T>
void solve_right(const Triangle<T>& a, int64_t m, T* y, Gemm<T>* product) {
  each_block(a.n, a.upper, [&](int64_t begin, int64_t end, int64_t from, int64_t to) {
    if (from < to)
      product(m, end - begin, to - from, T(-1), {y + from, a.n, 1}, a.at(from, begin), T(1), y + begin, a.n);
    for (T *row = y, *const last = y + m * a.n; row < last; row += a.n)
      for (int64_t step = 0; step < end - begin; ++step) {
        const int64_t j = a.upper ? begin + step : end - 1 - step, next = a.upper ? j + 1 : begin;
        if (!a.unit) row[j] /= a(j, j);
        subtract((a.upper ? end : j) - next, row[j], a.p + j * a.n + next, row + next);
      }
  });
}

void triangular(const ops::LapackTriangular& op, Tensor& x, const Dense& a_in, const Dense& b_in) {
  const Tensor &a = a_in, &b = b_in;
  const int64_t n = a.shape(-1), m = b.shape(-2), k = b.shape(-1), size = m * k;
  if (x.numel() == 0) return;
  dispatch(Types<float, double>{}, x.dtype(), [&]<class T>(Type<T>) {
    const auto solve = [&](int64_t i, Gemm<T>* product) {
      T* const y = x.data<T>() + i * size;
      std::copy_n(b.data<T>() + i * size, size, y);
      const Triangle<T> of{n, a.data<T>() + i * n * n, op.upper, op.unitriangular};
      op.left ? solve_left(of, k, y, product) : solve_right(of, m, y, product);
    };
    const int64_t batch = x.numel() / size;
    if (batch == 1) return solve(0, parallel_gemm<T>);
    parallel_for(batch, std::max<int64_t>(1, 65536 / (n * size)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) solve(i, gemm<T>);
    });
  });
}

const Kernel<triangular> triangular_;

}  // namespace
}  // namespace luth::cpu
