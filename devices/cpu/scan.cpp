// Running sums and products; triangles.
#include "core/ops/scan.h"

#include "devices/cpu/cpu.h"
#include "devices/cpu/indices.h"
#include "devices/cpu/rows.h"

namespace luth::cpu {
namespace {

// Rows along the axis where it is the innermost one; else whole blocks of neighbours at once, which vectorises. `total`
// is of type S: double for floats, as in PyTorch.
template <class T, class S, class F>
void running(const Along& a, const T* in, T* out, S start, bool backwards, F join) {
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
  const Along a = along(x.shape(), wrap_dim(dim, x.dim()));
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
const Kernel<tril> tril_;
const Kernel<triu> triu_;

}  // namespace
}  // namespace luth::cpu
