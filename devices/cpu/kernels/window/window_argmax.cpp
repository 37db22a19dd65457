// Where the largest elements of windows along one dim stand: blocks of neighbours at once, which vectorises.
#include <algorithm>

#include "core/base/threads.h"
#include "core/ops/window/pool_more.h"
#include "devices/cpu/kernels/common/kernels.h"

namespace luth::cpu {
namespace {

/// Elements begin, begin + step, … before end.
struct Span {
  int64_t begin, end, step;
};
Span span(const ops::WindowArgmax& op, int64_t i, int64_t n) {
  if (op.kernel == 0) return {i * n / op.size, ((i + 1) * n + op.size - 1) / op.size, 1};
  int64_t begin = i * op.stride - op.padding, end = std::min(n, begin + (op.kernel - 1) * op.dilation + 1);
  if (begin < 0) begin += (op.dilation - 1 - begin) / op.dilation * op.dilation;
  return {begin, end, op.dilation};
}

constexpr int64_t block = 64;

// Of `count` windows whose elements lie `apart` from each other, and each one's `inner` apart; `x` is element 0 of the
// first's dim.
template <bool beside, class T>
void argmax(const T* x, int64_t apart, int64_t inner, Span s, int64_t count, int64_t* at) {
  using C = compute_t<T>;
  C best[block];
  int64_t where[block];
  if (beside) apart = 1;
  for (int64_t c = 0; c < count; ++c) best[c] = C(x[s.begin * inner + c * apart]), where[c] = s.begin;
  for (int64_t k = s.begin + s.step; k < s.end; k += s.step)
    for (int64_t c = 0; c < count; ++c) {
      const C v = C(x[k * inner + c * apart]);
      const bool wins = (v > best[c]) | (v != v);
      best[c] = wins ? v : best[c];
      where[c] = wins ? k : where[c];
    }
  std::copy(where, where + count, at);
}

// One row: windows one after the other.
template <class T>
int64_t argmax_of_row(const T* x, Span s) {
  using C = compute_t<T>;
  C best = C(x[s.begin]);
  int64_t where = s.begin;
  for (int64_t k = s.begin + s.step; k < s.end; k += s.step)
    if (const C v = C(x[k]); v > best || v != v) best = v, where = k;
  return where;
}

// Windows of one size that follow each other without a gap, through all rows.
template <class T>
void argmax_of_pieces(const T* x, int64_t windows, int64_t per_row, int64_t size, int64_t* out) {
  parallel_for(windows, std::max<int64_t>(1, 32768 / size) / block * block + block, [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; w += block) {
      const int64_t count = std::min(block, end - w);
      argmax<false>(x + w * size, size, 1, {0, size, 1}, count, out + w);
      for (int64_t c = 0; c < count; ++c) out[w + c] += (w + c) % per_row * size;
    }
  });
}

void window_argmax(const ops::WindowArgmax& op, Tensor& y, const Dense& x) {
  if (y.numel() == 0) return;
  const Axis a = axis_of(x.shape(), wrap_dim(op.dim, x.dim()));
  int64_t* out = y.data<int64_t>();
  const int64_t grain = std::max<int64_t>(1, 32768 / (a.inner * std::max<int64_t>(1, a.n / op.size)));
  const bool pieces = op.kernel == 0 && a.inner == 1 && a.n % op.size == 0;
  dispatch(Numbers{}, x.dtype(), [&]<class T>(Type<T>) {
    if (pieces) return argmax_of_pieces(x.data<T>(), a.outer * op.size, op.size, a.n / op.size, out);
    parallel_for(a.outer * op.size, grain, [&](int64_t begin, int64_t end) {
      for (int64_t w = begin; w < end; ++w) {
        const Span s = span(op, w % op.size, a.n);
        const T* from = x.data<T>() + w / op.size * a.n * a.inner;
        if (s.begin >= a.n) {  // steps over the whole input: nothing to read
          std::fill_n(out + w * a.inner, a.inner, s.begin);
          continue;
        }
        if (a.inner == 1) {
          out[w] = argmax_of_row(from, s);
          continue;
        }
        for (int64_t c = 0; c < a.inner; c += block)
          argmax<true>(from + c, 1, a.inner, s, std::min(block, a.inner - c), out + w * a.inner + c);
      }
    });
  });
}

const Kernel<window_argmax> window_argmax_;

}  // namespace
}  // namespace luth::cpu
