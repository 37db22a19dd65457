// Running sums, products and extrema; triangles.
#include "core/ops/reduce/scan.h"

#include "core/ops/reduce/cumulative.h"

#include <cmath>

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

// Rows along the axis where it is the innermost one; else whole blocks of neighbours at once, which vectorises. `total`
// is of type S: double for floats, as in PyTorch.
template <class T, class S, class F>
void running(const Axis& a, const T* in, T* out, S start, bool backwards, F join) {
  const int64_t width = std::min<int64_t>(a.inner, 64), blocks = width ? (a.inner + width - 1) / width : 0;
  parallel_for(a.outer * blocks, row_grain(a.n * width), [&](int64_t first, int64_t last) {
    S total[64];
    for (int64_t b = first; b < last; ++b) {
      const int64_t j0 = b % blocks * width, w = std::min(width, a.inner - j0);
      const int64_t at = b / blocks * a.n * a.inner + j0;
      for (int64_t j = 0; j < w; ++j) total[j] = start;
      for (int64_t i = 0; i < a.n; ++i) {
        const int64_t row = at + (backwards ? a.n - 1 - i : i) * a.inner;
        for (int64_t j = 0; j < w; ++j) {
          total[j] = join(total[j], S(compute_t<T>(in[row + j])));
          out[row + j] = T(compute_t<T>(total[j]));
        }
      }
    }
  });
}

template <class F>
void scan(int64_t dim, Tensor& y, const Tensor& input, int start, bool backwards, F join) {
  const Tensor x = input.dtype() == y.dtype() ? input : cast_to(input.detach(), y.dtype());
  const Axis a = axis_of(x.shape(), wrap_dim(dim, x.dim()));
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    using S = std::conditional_t<is_float<T>, double, int64_t>;
    running<T, S>(a, x.data<T>(), y.data<T>(), S(start), backwards, join);
  });
}

void cumsum(const ops::Cumsum& op, Tensor& y, const Dense& x) {
  scan(op.dim, y, x, 0, op.backwards, [](auto a, auto b) { return a + b; });
}
void cumprod(const ops::Cumprod& op, Tensor& y, const Dense& x) {
  scan(op.dim, y, x, 1, false, [](auto a, auto b) { return a * b; });
}

// The logarithm of e^a + e^b, without overflow; nan where one is nan.
template <class S>
S log_add_exp(S a, S b) {
  const S low = a < b ? a : b, high = a < b ? b : a;
  if (low == high && std::isinf(low)) return low;
  return high + std::log1p(std::exp(low - high));
}
void logcumsumexp(const ops::LogCumsumExp& op, Tensor& y, const Dense& x) {
  const Axis a = axis_of(x.shape(), wrap_dim(op.dim, x.dim()));
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    running<T, double>(a, x.data<T>(), y.data<T>(), -std::numeric_limits<double>::infinity(), op.backwards,
                       [](double total, double v) { return log_add_exp(total, v); });
  });
}

// Rows side by side, up to 64 of them; of equal elements the last counts, and nan goes before all.
template <class F>
void cum_extremum(const ops::CumExtremum& op, Tensor& values, Tensor& indices, const Tensor& x, F replaces) {
  const Axis a = axis_of(x.shape(), wrap_dim(op.dim, x.dim()));
  if (x.numel() == 0) return;
  constexpr int64_t most = 64;
  const int64_t width = std::min(a.inner, most), blocks = (a.inner + width - 1) / width;
  dispatch(AllTypes{}, x.dtype(), [&]<class T>(Type<T>) {
    using C = compute_t<T>;
    parallel_for(a.outer * blocks, row_grain(a.n * width), [&](int64_t first, int64_t last) {
      C best[most];
      int64_t at[most];
      for (int64_t b = first; b < last; ++b) {
        const int64_t j0 = b % blocks * width, w = std::min(width, a.inner - j0);
        const int64_t start = b / blocks * a.n * a.inner + j0;
        const T* in = x.data<T>() + start;
        T* value = values.data<T>() + start;
        int64_t* index = indices.data<int64_t>() + start;
        for (int64_t j = 0; j < w; ++j) best[j] = C(in[j]), at[j] = op.base;
        for (int64_t i = 0; i < a.n; ++i)
          for (int64_t j = 0; j < w; ++j) {
            const C v = C(in[i * a.inner + j]);
            const bool better = v != v || (best[j] == best[j] && replaces(v, best[j]));
            best[j] = better ? v : best[j];
            at[j] = better ? i + op.base : at[j];
            value[i * a.inner + j] = T(best[j]);
            index[i * a.inner + j] = at[j];
          }
      }
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
void tril(const ops::Tril& op, Tensor& y, const Dense& x) {
  keep_columns(y, x, [&](int64_t r) { return std::pair<int64_t, int64_t>(0, r + op.diagonal + 1); });
}
void triu(const ops::Triu& op, Tensor& y, const Dense& x) {
  keep_columns(y, x, [&](int64_t r) { return std::pair<int64_t, int64_t>(r + op.diagonal, x.shape(-1)); });
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
