// Pooling by means: windows are separable, so rows are summed first, and each row of results reads one row of sums.
#include <vector>

#include "core/ops/window/pool.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/planes.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

/// Windows of one direction: elements [begin, end) of the input, and what they count as in the divisor.
struct Span {
  int64_t begin, end, size;
};
struct Windows {
  std::vector<Span> down, across;
  int64_t divisor = 0;  // 0: the product of the sizes
  double weight(int64_t i, int64_t j) const {
    return double(divisor ? divisor : down[size_t(i)].size * across[size_t(j)].size);
  }
};

std::vector<Span> spans(const ops::AvgPool& op, int d, int64_t m, int64_t n) {
  std::vector<Span> all;
  int64_t k = at_or_all(op.kernel_size, d), pad = at_or_all(op.padding, d);
  for (int64_t i = 0; i < n; ++i) {
    int64_t begin = i * op.step(d) - pad, end = std::min(begin + k, m + pad), size = end - begin;
    begin = std::max<int64_t>(begin, 0);
    end = std::max(begin, std::min(end, m));
    all.push_back({begin, end, op.count_include_pad ? size : end - begin});
  }
  return all;
}
std::vector<Span> spans(int64_t m, int64_t n) {
  std::vector<Span> all;
  for (int64_t i = 0; i < n; ++i) {
    int64_t begin = i * m / n, end = ((i + 1) * m + n - 1) / n;
    all.push_back({begin, end, end - begin});
  }
  return all;
}
Windows windows(const ops::AvgPool& op, const Planes& in, const Planes& out) {
  return {spans(op, 0, in.h, out.h), spans(op, 1, in.w, out.w), op.divisor_override.value_or(0)};
}
Windows windows(const Planes& in, const Planes& out) { return {spans(in.h, out.h), spans(in.w, out.w), 0}; }

template <class C>
C divided(C sum, double by) {
  if constexpr (std::is_integral_v<C>)
    return by == 0 ? C(0) : C(sum / C(by));
  else
    return by == 0 ? C(0) : sum / C(by);
}

// Means of one row of windows, whose rows are summed first; `row` has room for w sums of `count` channels each. With
// `one` there is one channel, as the compiler knows then.
template <bool one, class T>
void mean_row(const T* x, int64_t w, int64_t step, int64_t count, int64_t i, const Windows& win, compute_t<T>* row,
              T* y) {
  using C = compute_t<T>;
  if (one) step = count = 1;
  int64_t outputs = int64_t(win.across.size());
  Span span = win.down[size_t(i)];
  std::fill(row, row + w * count, C(0));
  for (int64_t h = span.begin; h < span.end; ++h)
    for (int64_t v = 0; v < w; ++v)
      for (int64_t c = 0; c < count; ++c) row[v * count + c] += C(x[(h * w + v) * step + c]);
  for (int64_t j = 0; j < outputs; ++j)
    for (int64_t c = 0; c < count; ++c) {
      C sum = 0;
      for (int64_t v = win.across[size_t(j)].begin; v < win.across[size_t(j)].end; ++v) sum += row[v * count + c];
      y[(i * outputs + j) * step + c] = T(divided(sum, win.weight(i, j)));
    }
}

// The adjoint: sums[h, w, count] of what each element passes on.
template <bool one, class T>
void spread_row(const T* dy, int64_t w, int64_t step, int64_t count, int64_t i, const Windows& win, compute_t<T>* row,
                compute_t<T>* sums) {
  using C = compute_t<T>;
  if (one) step = count = 1;
  int64_t outputs = int64_t(win.across.size());
  Span span = win.down[size_t(i)];
  std::fill(row, row + w * count, C(0));
  for (int64_t j = 0; j < outputs; ++j)
    for (int64_t c = 0; c < count; ++c) {
      C part = divided(C(dy[(i * outputs + j) * step + c]), win.weight(i, j));
      for (int64_t v = win.across[size_t(j)].begin; v < win.across[size_t(j)].end; ++v) row[v * count + c] += part;
    }
  for (int64_t h = span.begin; h < span.end; ++h)
    for (int64_t v = 0; v < w * count; ++v) sums[h * w * count + v] += row[v];
}

/// Calls f(offset in the larger images, offset in the smaller, distance of neighbours in a row, channels at once).
template <class F>
void each_image(bool last, const Planes& large, const Planes& small, F&& f) {
  if (last)
    return each_block(large, [&](int64_t n, int64_t c, int64_t channels) {
      f(n * large.area() * large.channels + c, n * small.area() * large.channels + c, large.channels, channels);
    });
  each_plane(large, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) f(p * large.area(), p * small.area(), int64_t(1), int64_t(1));
  });
}

void means(Tensor& y, const Tensor& input, const Windows& win) {
  if (y.numel() == 0) return;
  bool last = only_channels_last(y);
  Tensor x = laid(input, last);
  Planes in = planes(x), out = planes(y);
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    each_image(last, in, out, [&](int64_t from, int64_t to, int64_t step, int64_t count) {
      Buffer<compute_t<T>> row(in.w * count);
      auto f = last ? &mean_row<false, T> : &mean_row<true, T>;
      for (int64_t i = 0; i < out.h; ++i) f(x.data<T>() + from, in.w, step, count, i, win, row.get(), y.data<T>() + to);
    });
  });
}

void spread(Tensor& dx, const Tensor& grad, const Windows& win) {
  if (dx.numel() == 0) return;
  bool last = only_channels_last(dx);
  Tensor dy = laid(grad, last);
  Planes small = planes(dy), large = planes(dx);
  dispatch(Numbers{}, dx.dtype(), [&]<class T>(Type<T>) {
    using C = compute_t<T>;
    each_image(last, large, small, [&](int64_t to, int64_t from, int64_t step, int64_t count) {
      Buffer<C> row(large.w * count), sums(large.area() * count);
      std::fill(sums.get(), sums.get() + large.area() * count, C(0));
      auto f = last ? &spread_row<false, T> : &spread_row<true, T>;
      for (int64_t i = 0; i < small.h; ++i) f(dy.data<T>() + from, large.w, step, count, i, win, row.get(), sums.get());
      for (int64_t p = 0; p < large.area(); ++p)
        for (int64_t c = 0; c < count; ++c) dx.data<T>()[to + p * step + c] = T(sums[p * count + c]);
    });
  });
}

void avg_pool(const ops::AvgPool2d& op, Tensor& y, const Strided& x) { means(y, x, windows(op, planes(x), planes(y))); }
void avg_pool_grad(const ops::AvgPool2dGrad& op, Tensor& dx, const Strided& dy) {
  spread(dx, dy, windows(op, planes(dx), planes(dy)));
}
void adaptive(const ops::AdaptiveAvgPool2d&, Tensor& y, const Strided& x) {
  means(y, x, windows(planes(x), planes(y)));
}
void adaptive_grad(const ops::AdaptiveAvgPool2dGrad&, Tensor& dx, const Strided& dy) {
  spread(dx, dy, windows(planes(dx), planes(dy)));
}

const Kernel<avg_pool> avg_pool_;
const Kernel<avg_pool_grad> avg_pool_grad_;
const Kernel<adaptive> adaptive_;
const Kernel<adaptive_grad> adaptive_grad_;

}  // namespace
}  // namespace luth::cpu
