// Scans: cumsum, cumprod, logcumsumexp, cummax, cummin. Triangles of matrices.
#include "core/ops/reduce/scan.h"

#include "core/ops/reduce/cumulative.h"

#include <cmath>

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

// Calls f(count, row), with a constant count, for rows of neighbouring elements, `together` at once: each total waits
// for the one before, those of other rows do not. No more: of rows a power of two long, elements of one column compete
// for the same few lines of the cache.
template <class F>
void rows_together(const Axis& a, F f) {
  constexpr int64_t together = 4;
  parallel_for((a.outer + together - 1) / together, row_grain(a.n * together), [&](int64_t b, int64_t e) {
    for (int64_t r = b * together; r < std::min(a.outer, e * together);)
      if (r + together <= a.outer)
        f(std::integral_constant<int64_t, together>(), r), r += together;
      else
        f(std::integral_constant<int64_t, 1>(), r), ++r;
  });
}

// Rows of neighbouring elements. 16-bit floats come and go in blocks of float.
template <class T, class S, class F>
void scan_contiguous(const Axis& a, const T* in, T* out, S start, bool backwards, F join) {
  using C = compute_t<T>;
  const int64_t n = a.n;
  rows_together(a, [&](auto count, int64_t r) {
    constexpr int64_t rows = count, block = 256;
    S total[rows];
    for (int64_t k = 0; k < rows; ++k) total[k] = start;
    auto go_on = [&]<class E>(const E* __restrict p, E* __restrict q, int64_t m, int64_t stride) {
      const int64_t step = backwards ? -1 : 1, first = backwards ? m - 1 : 0;
      p += first, q += first;
      for (int64_t i = 0; i < m; ++i, p += step, q += step)
#pragma GCC unroll 4
        for (int64_t k = 0; k < rows; ++k) {
          total[k] = join(total[k], S(p[k * stride]));
          q[k * stride] = E(total[k]);
        }
    };
    if constexpr (is_half<T>) {
      C x[rows * block], y[rows * block];
      for (int64_t i = 0; i < n; i += block) {
        const int64_t m = std::min(block, n - i), from = r * n + (backwards ? n - i - m : i);
        for (int64_t k = 0; k < rows; ++k) convert_row(in + from + k * n, x + k * block, m);
        go_on(static_cast<const C*>(x), y, m, block);
        for (int64_t k = 0; k < rows; ++k) convert_row(y + k * block, out + from + k * n, m);
      }
    } else {
      go_on(in + r * n, out + r * n, n, n);
    }
  });
}

// Inclusive scan along the axis, in one direction; a block of neighbouring rows at once, which vectorises. S is the
// type of the totals: double for floats, as in PyTorch.
template <class T, class S, class F>
void scan_rows(const Axis& a, const T* in, T* out, S start, bool backwards, F join) {
  constexpr int64_t most = 64;
  if (a.n == 0) return;  // however many rows of nothing there are
  if (a.inner == 1) return scan_contiguous<T, S>(a, in, out, start, backwards, join);
  for_row_blocks(a, most, [&](int64_t at, int64_t w) {
    S total[most];
    for (int64_t j = 0; j < w; ++j) total[j] = start;
    for (int64_t i = 0; i < a.n; ++i) {
      const int64_t row = at + (backwards ? a.n - 1 - i : i) * a.inner;
      for (int64_t j = 0; j < w; ++j) {
        total[j] = join(total[j], S(compute_t<T>(in[row + j])));
        out[row + j] = T(compute_t<T>(total[j]));
      }
    }
  });
}

template <class F>
void scan(int64_t dim, Tensor& y, const Tensor& input, int start, bool backwards, F join) {
  const Tensor x = input.dtype() == y.dtype() ? input : cast_to(input.detach(), y.dtype());
  const Axis a = axis(x, dim);
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    using S = std::conditional_t<is_float<T>, double, int64_t>;
    scan_rows<T, S>(a, x.data<T>(), y.data<T>(), S(start), backwards, join);
  });
}

void cumsum(const ops::Cumsum& op, Tensor& y, const Dense& x) {
  scan(op.dim, y, x, 0, op.backwards, [](auto a, auto b) { return a + b; });
}
void cumprod(const ops::Cumprod& op, Tensor& y, const Dense& x) {
  scan(op.dim, y, x, 1, false, [](auto a, auto b) { return a * b; });
}

// log(e^a + e^b) without overflow; nan where one is nan.
template <class S>
S log_add_exp(S a, S b) {
  const S low = a < b ? a : b, high = a < b ? b : a;
  if (low == high && std::isinf(low)) return low;
  return high + std::log1p(std::exp(low - high));
}
void logcumsumexp(const ops::LogCumsumExp& op, Tensor& y, const Dense& x) {
  const Axis a = axis(x, op.dim);
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    scan_rows<T, double>(a, x.data<T>(), y.data<T>(), -std::numeric_limits<double>::infinity(), op.backwards,
                         [](double total, double v) { return log_add_exp(total, v); });
  });
}

// Of equal elements the last counts, and nan goes before all.
template <class F>
void cum_extremum(const auto& op, Tensor& values, Tensor& indices, const Tensor& x, F replaces) {
  const Axis a = axis(x, op.dim);
  if (x.numel() == 0) return;
  dispatch(AllTypes{}, x.dtype(), [&]<class T>(Type<T>) {
    using C = compute_t<T>;
    constexpr int64_t most = 64;
    const T* in = x.data<T>();
    T* value = values.data<T>();
    int64_t* index = indices.data<int64_t>();
    // element k of the totals takes element p, number i of its row
    auto take = [&](C* best, int64_t* at, int64_t k, int64_t p, int64_t i) {
      const C v = C(in[p]);
      const bool better = v != v || (best[k] == best[k] && replaces(v, best[k]));
      best[k] = better ? v : best[k];
      at[k] = better ? i + op.base : at[k];
      value[p] = T(best[k]);
      index[p] = at[k];
    };
    if (a.inner == 1)
      return rows_together(a, [&](auto count, int64_t r) {
        constexpr int64_t rows = count;
        C best[rows];
        int64_t at[rows];
        for (int64_t k = 0; k < rows; ++k) best[k] = C(in[(r + k) * a.n]), at[k] = op.base;
        for (int64_t i = 0; i < a.n; ++i)
#pragma GCC unroll 4
          for (int64_t k = 0; k < rows; ++k) take(best, at, k, (r + k) * a.n + i, i);
      });
    for_row_blocks(a, most, [&](int64_t start, int64_t w) {
      C best[most];
      int64_t at[most];
      for (int64_t k = 0; k < w; ++k) best[k] = C(in[start + k]), at[k] = op.base;
      for (int64_t i = 0; i < a.n; ++i)
        for (int64_t k = 0; k < w; ++k) take(best, at, k, start + i * a.inner + k, i);
    });
  });
}
void cummax(const ops::Cummax& op, Tensor& v, Tensor& i, const Dense& x) {
  cum_extremum(op, v, i, x, [](auto a, auto b) { return a >= b; });
}
void cummin(const ops::Cummin& op, Tensor& v, Tensor& i, const Dense& x) {
  cum_extremum(op, v, i, x, [](auto a, auto b) { return a <= b; });
}

/// Each row keeps columns [from(row), to(row)) and is 0 elsewhere.
template <class F>
void keep_columns(Tensor& y, const Tensor& x, F range) {
  const int64_t rows = x.shape(-2), columns = x.shape(-1);
  if (x.numel() == 0) return;
  const int64_t bytes = int64_t(size_of(x.dtype())), row = columns * bytes;
  parallel_for(x.numel() / columns, row_grain(columns), [&](int64_t b, int64_t e) {
    for (int64_t r = b; r < e; ++r) {
      auto [from, to] = range(r % rows);
      from = std::clamp<int64_t>(from, 0, columns), to = std::clamp<int64_t>(to, from, columns);
      char* out = y.data<char>() + r * row;
      std::memset(out, 0, size_t(from * bytes));
      std::memcpy(out + from * bytes, x.data<char>() + r * row + from * bytes, size_t((to - from) * bytes));
      std::memset(out + to * bytes, 0, size_t((columns - to) * bytes));
    }
  });
}
/// Of the diagonals outside of matrices x, which make no difference, the nearest.
int64_t nearest_diagonal(int64_t diagonal, const Tensor& x) { return std::clamp(diagonal, -x.shape(-2), x.shape(-1)); }
void tril(const ops::Tril& op, Tensor& y, const Dense& x) {
  const int64_t last = nearest_diagonal(op.diagonal, x);
  keep_columns(y, x, [=](int64_t r) { return std::pair<int64_t, int64_t>(0, r + last + 1); });
}
void triu(const ops::Triu& op, Tensor& y, const Dense& x) {
  const int64_t first = nearest_diagonal(op.diagonal, x);
  keep_columns(y, x, [=, n = x.shape(-1)](int64_t r) { return std::pair<int64_t, int64_t>(r + first, n); });
}

const Kernel<cumsum> cumsum_;
const Kernel<cumprod> cumprod_;
const Kernel<logcumsumexp> logcumsumexp_;
const Kernel<cummax> cummax_;
const Kernel<cummin> cummin_;
const Kernel<tril> tril_;
const Kernel<triu> triu_;

}  // namespace
}  // namespace luth::cpu
