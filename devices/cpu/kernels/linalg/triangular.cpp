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

// x of A x = y, in place of `count` rows of w elements, `next` apart; at(i, j) is A's element. Lower triangles are
// solved forward.
template <class T, class At>
void solve_rows(int64_t count, bool forward, bool unit, const At& at, int64_t w, T* y, int64_t next) {
  for (int64_t step = 0; step < count; ++step) {
    const int64_t i = forward ? step : count - 1 - step;
    T* const row = y + i * next;
    for (int64_t j = forward ? 0 : i + 1; j < (forward ? i : count); ++j) subtract(w, at(i, j), y + j * next, row);
    for (int64_t c = 0; c < w && !unit; ++c) row[c] /= at(i, i);
  }
}

// X of A X = Y, in place of Y [n, k].
template <class T>
void solve_left(const Triangle<T>& a, int64_t k, T* y, Gemm<T>* product) {
  each_block(a.n, !a.upper, [&](int64_t begin, int64_t end, int64_t from, int64_t to) {
    if (from < to)
      product(end - begin, k, to - from, T(-1), a.at(begin, from), {y + from * k, k, 1}, T(1), y + begin * k, k);
    const auto at = [&](int64_t i, int64_t j) { return a(begin + i, begin + j); };
    solve_rows(end - begin, !a.upper, a.unit, at, k, y + begin * k, k);
  });
}
// X of X A = Y, in place of Y [m, n]: its rows are columns of the transposed system, 64 at a time.
template <class T>
void solve_right(const Triangle<T>& a, int64_t m, T* y, Gemm<T>* product) {
  each_block(a.n, a.upper, [&](int64_t begin, int64_t end, int64_t from, int64_t to) {
    if (from < to)
      product(m, end - begin, to - from, T(-1), {y + from, a.n, 1}, a.at(from, begin), T(1), y + begin, a.n);
    const auto at = [&](int64_t i, int64_t j) { return a(begin + j, begin + i); };
    T columns[block * 64];
    for (int64_t first = 0; first < m; first += 64) {
      const int64_t w = std::min<int64_t>(64, m - first), count = end - begin;
      T* const rows = y + first * a.n + begin;
      for (int64_t r = 0; r < w; ++r)
        for (int64_t c = 0; c < count; ++c) columns[c * w + r] = rows[r * a.n + c];
      solve_rows(count, a.upper, a.unit, at, w, columns, w);
      for (int64_t r = 0; r < w; ++r)
        for (int64_t c = 0; c < count; ++c) rows[r * a.n + c] = columns[c * w + r];
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
