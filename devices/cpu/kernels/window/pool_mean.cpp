// Pooling by means: windows are separable, so rows are summed first, and each row of results reads one row of sums.
#include <vector>

#include "core/ops/window/pool.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/planes.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

/// Windows of one dim: elements [begin, end) of the input, and what they count as in the divisor.
struct Span {
  int64_t begin, end, size;
};
struct Windows {
  std::vector<Span> deep, down, across;
  int64_t divisor = 0;  // 0: the product of the sizes
  Windows(const ops::AvgPool& op) : divisor(op.divisor_override.value_or(0)) {
    int d = 0;
    for (auto* list : {&deep, &down, &across}) {
      const ops::PoolDim w = op.windows.dim(d++);
      for (int64_t i = 0; i < w.to; ++i) {
        const int64_t begin = std::max<int64_t>(w.begin(i), 0), end = std::max(begin, std::min(w.end(i), w.from));
        const int64_t with_padding = std::min(w.end(i), w.from + w.padding) - w.begin(i);
        list->push_back({begin, end, op.count_include_pad ? with_padding : end - begin});
      }
    }
  }
  /// Of the windows in row i of the results, of all planes.
  const Span& deep_of(int64_t i) const { return deep[size_t(i) / down.size()]; }
  const Span& down_of(int64_t i) const { return down[size_t(i) % down.size()]; }
  /// What row i of the results gives to the divisors of its windows.
  int64_t rows(int64_t i) const { return deep_of(i).size * down_of(i).size; }
  double weight(int64_t rows, int64_t j) const { return double(divisor ? divisor : rows * across[size_t(j)].size); }
};

template <class C>
C divided(C sum, double by) {
  if constexpr (std::is_integral_v<C>)
    return by == 0 ? C(0) : C(sum / C(by));
  else
    return by == 0 ? C(0) : sum / C(by);
}

// Calls f with each row of the input, of all planes of h rows, that the windows of row i of the results have.
template <class F>
void each_row(const Windows& win, int64_t i, int64_t h, F&& f) {
  const Span deep = win.deep_of(i), down = win.down_of(i);
  for (int64_t z = deep.begin; z < deep.end; ++z)
    for (int64_t r = down.begin; r < down.end; ++r) f(z * h + r);
}

// Means of one row of windows, whose rows are summed first; `row` has room for w sums of `count` channels each. With
// `one` there is one channel, as the compiler knows then.
template <bool one, class T>
void mean_row(const T* x, int64_t h_count, int64_t w, int64_t step, int64_t count, int64_t i, const Windows& win,
              compute_t<T>* row, T* y) {
  using C = compute_t<T>;
  if (one) step = count = 1;
  const int64_t outputs = int64_t(win.across.size()), rows = win.rows(i);
  std::fill(row, row + w * count, C(0));
  each_row(win, i, h_count, [&](int64_t h) {
    for (int64_t v = 0; v < w; ++v)
      for (int64_t c = 0; c < count; ++c) row[v * count + c] += C(x[(h * w + v) * step + c]);
  });
  for (int64_t j = 0; j < outputs; ++j)
    for (int64_t c = 0; c < count; ++c) {
      C sum = 0;
      for (int64_t v = win.across[size_t(j)].begin; v < win.across[size_t(j)].end; ++v) sum += row[v * count + c];
      y[(i * outputs + j) * step + c] = T(divided(sum, win.weight(rows, j)));
    }
}

// The adjoint: sums[h, w, count] of what each element passes on.
template <bool one, class T>
void spread_row(const T* dy, int64_t h_count, int64_t w, int64_t step, int64_t count, int64_t i, const Windows& win,
                compute_t<T>* row, compute_t<T>* sums) {
  using C = compute_t<T>;
  if (one) step = count = 1;
  const int64_t outputs = int64_t(win.across.size()), rows = win.rows(i);
  std::fill(row, row + w * count, C(0));
  for (int64_t j = 0; j < outputs; ++j)
    for (int64_t c = 0; c < count; ++c) {
      C part = divided(C(dy[(i * outputs + j) * step + c]), win.weight(rows, j));
      for (int64_t v = win.across[size_t(j)].begin; v < win.across[size_t(j)].end; ++v) row[v * count + c] += part;
    }
  each_row(win, i, h_count, [&](int64_t h) {
    for (int64_t v = 0; v < w * count; ++v) sums[h * w * count + v] += row[v];
  });
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

void avg_pool(const ops::AvgPool& op, Tensor& y, const Strided& input) {
  if (y.numel() == 0) return;
  const Windows win(op);
  bool last = op.windows.dims() == 2 && only_channels_last(y);
  Tensor x = laid(input, last);
  Planes in = planes(x, op.windows.from), out = planes(y, op.windows.to);
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    each_image(last, in, out, [&](int64_t from, int64_t to, int64_t step, int64_t count) {
      Buffer<compute_t<T>> row(in.w * count);
      auto f = last ? &mean_row<false, T> : &mean_row<true, T>;
      for (int64_t i = 0; i < out.d * out.h; ++i)
        f(x.data<T>() + from, in.h, in.w, step, count, i, win, row.get(), y.data<T>() + to);
    });
  });
}

void avg_pool_grad(const ops::AvgPoolGrad& op, Tensor& dx, const Strided& grad) {
  if (dx.numel() == 0) return;
  const Windows win(op.forward);
  bool last = op.forward.windows.dims() == 2 && only_channels_last(dx);
  Tensor dy = laid(grad, last);
  Planes small = planes(dy, op.forward.windows.to), large = planes(dx, op.forward.windows.from);
  dispatch(Numbers{}, dx.dtype(), [&]<class T>(Type<T>) {
    using C = compute_t<T>;
    each_image(last, large, small, [&](int64_t to, int64_t from, int64_t step, int64_t count) {
      Buffer<C> row(large.w * count), sums(large.area() * count);
      std::fill(sums.get(), sums.get() + large.area() * count, C(0));
      auto f = last ? &spread_row<false, T> : &spread_row<true, T>;
      for (int64_t i = 0; i < small.d * small.h; ++i)
        f(dy.data<T>() + from, large.h, large.w, step, count, i, win, row.get(), sums.get());
      for (int64_t p = 0; p < large.area(); ++p)
        for (int64_t c = 0; c < count; ++c) dx.data<T>()[to + p * step + c] = T(sums[p * count + c]);
    });
  });
}

const Kernel<avg_pool> avg_pool_;
const Kernel<avg_pool_grad> avg_pool_grad_;

}  // namespace
}  // namespace luth::cpu
