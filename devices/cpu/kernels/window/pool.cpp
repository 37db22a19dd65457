// Max pooling: plain loops that vectorise, over the width of NC… planes and over the channels of NHWC ones.
#include "core/ops/window/pool.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/planes.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

using ops::PoolDim;

/// The windows of a pooling, and the planes on both sides.
struct Pooling {
  PoolDim deep, down, across;
  Planes in, out;
  Pooling(const ops::PoolWindows& w, const Tensor& large, const Tensor& small)
      : deep(w.dim(0)), down(w.dim(1)), across(w.dim(2)), in(planes(large, w.from)), out(planes(small, w.to)) {}
  /// The position of the first element that the window at (a, i) would have in its row, without the column.
  int64_t first_row(int64_t a, int64_t i) const { return (deep.first(a) * in.h + down.first(i)) * in.w; }
  /// Which positions of a plane have windows that step over the whole input; empty where none has.
  std::vector<bool> outside() const {
    std::vector<bool> all;
    if (deep.dilation <= in.d && down.dilation <= in.h && across.dilation <= in.w) return all;
    for (int64_t p = 0; p < out.area(); ++p)
      all.push_back(deep.outside(p / (out.h * out.w)) || down.outside(p / out.w % out.h) || across.outside(p % out.w));
    return all;
  }
  /// Calls f(position of the row's first element) for the rows of the input that the windows of row (a, i) have.
  template <class F>
  void each_row(int64_t a, int64_t i, F&& f) const {
    for (int64_t z = deep.first(a); z < std::min(deep.end(a), in.d); z += deep.dilation)
      for (int64_t h = down.first(i); h < std::min(down.end(i), in.h); h += down.dilation) f((z * in.h + h) * in.w);
  }
};

// A later element wins where it is larger or nan; PyTorch's order, so that ties go to the first and nans to the last.
template <class C>
void take(C v, int32_t place, C& best, int32_t& at) {
  bool wins = (v > best) | (v != v);
  best = wins ? v : best;
  at = wins ? place : at;
}
template <class C>
constexpr C lowest = std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                          : std::numeric_limits<C>::lowest();

template <int64_t step, class T, class C>
void take_row(const T* x, int64_t any_step, int32_t place, int64_t n, C* best, int32_t* at) {
  int64_t s = step ? step : any_step;
  for (int64_t j = 0; j < n; ++j) take(C(x[j * s]), int32_t(place + j * s), best[j], at[j]);
}

// 2 x 2 windows side by side: one pass.
template <class T>
void max_pairs(const T* x, int64_t w, int64_t row, int64_t n, int64_t base, T* y, int64_t* index) {
  using C = compute_t<T>;
  const T *top = x + row * w, *low = top + w;
  for (int64_t j = 0; j < n; ++j) {
    C best = C(top[2 * j]);
    int32_t at = int32_t(2 * j);
    take(C(top[2 * j + 1]), int32_t(2 * j + 1), best, at);
    take(C(low[2 * j]), int32_t(w + 2 * j), best, at);
    take(C(low[2 * j + 1]), int32_t(w + 2 * j + 1), best, at);
    y[j] = T(best);
    index[j] = row * w + at + base;
  }
}

// What the windows of one row of results find in one row of the input, which begins at `row`.
template <class T, class C>
void take_windows(const T* x, int64_t row, const PoolDim& across, C* best, int32_t* at) {
  if (across.kernel == 0) {  // of equal share, one after the other
    for (int64_t j = 0; j < across.to; ++j)
      for (int64_t v = across.begin(j); v < across.end(j); ++v) take(C(x[row + v]), int32_t(row + v), best[j], at[j]);
    return;
  }
  const int64_t step = across.stride;
  for (int64_t q = 0; q < across.kernel; ++q) {
    // positions [from, to) where element q lies inside
    const int64_t offset = q * across.dilation - across.padding, last = across.from - 1 - offset;
    const int64_t from = std::max<int64_t>(0, (step - 1 - offset) / step);
    const int64_t n = (last < 0 ? 0 : std::min(across.to, last / step + 1)) - from, place = row + from * step + offset;
    if (n <= 0) continue;
    if (step == 1)
      take_row<1>(x + place, 1, int32_t(place), n, best + from, at + from);
    else if (step == 2)
      take_row<2>(x + place, 2, int32_t(place), n, best + from, at + from);
    else
      take_row<0>(x + place, step, int32_t(place), n, best + from, at + from);
  }
}

// One plane; `best` and `at` have room for a row of results.
template <class T>
void max_plane(const T* x, const Pooling& p, int64_t base, T* y, int64_t* index, compute_t<T>* best, int32_t* at) {
  const PoolDim &down = p.down, &across = p.across;
  const bool pairs = p.deep.kernel == 1 && down.kernel == 2 && across.kernel == 2 && down.stride == 2 &&
                     across.stride == 2 && !p.deep.padding && !down.padding && !across.padding && down.dilation == 1 &&
                     across.dilation == 1 && 2 * p.out.h <= p.in.h && 2 * p.out.w <= p.in.w;
  for (int64_t a = 0; a < p.out.d; ++a)
    for (int64_t i = 0; i < p.out.h; ++i, y += p.out.w, index += p.out.w) {
      if (pairs) {
        max_pairs(x, p.in.w, p.deep.begin(a) * p.in.h + 2 * i, p.out.w, base, y, index);
        continue;
      }
      // the first element inside stands for a window that has nothing above the lowest value
      const int64_t first = p.first_row(a, i);
      for (int64_t j = 0; j < p.out.w; ++j) best[j] = lowest<compute_t<T>>, at[j] = int32_t(first + across.first(j));
      p.each_row(a, i, [&](int64_t row) { take_windows(x, row, across, best, at); });
      for (int64_t j = 0; j < p.out.w; ++j) y[j] = T(best[j]), index[j] = at[j] + base;
    }
}

// `channels` neighbouring channels of one NHWC sample.
template <class T>
void max_channels(const T* x, const Pooling& p, int64_t channels, int64_t base, T* y, int64_t* index) {
  compute_t<T> best[64];
  int32_t at[64];
  const int64_t all = p.in.channels;
  for (int64_t r = 0; r < p.out.area(); ++r) {
    const int64_t a = r / (p.out.h * p.out.w), i = r / p.out.w % p.out.h, j = r % p.out.w;
    const int64_t first = p.first_row(a, i) + p.across.first(j);
    for (int64_t c = 0; c < channels; ++c) best[c] = lowest<compute_t<T>>, at[c] = int32_t(first);
    p.each_row(a, i, [&](int64_t row) {
      for (int64_t v = p.across.first(j); v < std::min(p.across.end(j), p.in.w); v += p.across.dilation) {
        const T* from = x + (row + v) * all;
        for (int64_t c = 0; c < channels; ++c) take(compute_t<T>(from[c]), int32_t(row + v), best[c], at[c]);
      }
    });
    for (int64_t c = 0; c < channels; ++c) y[r * all + c] = T(best[c]), index[r * all + c] = at[c] + base;
  }
}

void max_pool(const ops::MaxPool& op, Tensor& y, Tensor& indices, const Strided& input) {
  if (y.numel() == 0) return;
  bool last = op.windows.dims() == 2 && only_channels_last(y);
  Tensor x = laid(input, last);
  const Pooling p(op.windows, x, y);
  int64_t* index = indices.data<int64_t>();
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data<T>();
    T* to = y.data<T>();
    if (last)
      return each_block(p.in, [&](int64_t n, int64_t c, int64_t channels) {
        int64_t at = n * p.out.area() * p.out.channels + c;
        max_channels(from + n * p.in.area() * p.in.channels + c, p, channels, op.base, to + at, index + at);
      });
    each_plane(p.in, [&](int64_t begin, int64_t end) {
      Buffer<compute_t<T>> best(p.out.w);
      Buffer<int32_t> at(p.out.w);
      for (int64_t i = begin; i < end; ++i)
        max_plane(from + i * p.in.area(), p, op.base, to + i * p.out.area(), index + i * p.out.area(), best.get(),
                  at.get());
    });
  });
}

void pick(const ops::MaxPoolPick& op, Tensor& y, const Strided& input, const Strided& indices_in) {
  if (y.numel() == 0) return;
  bool last = op.forward.windows.dims() == 2 && only_channels_last(y);
  Tensor x = laid(input, last), indices = laid(indices_in, last);
  const Pooling p(op.forward.windows, x, y);
  const std::vector<bool> outside = p.outside();
  const int64_t *index = indices.data<int64_t>(), base = op.forward.base, area = p.in.area();
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data<T>();
    T* to = y.data<T>();
    int64_t step = last ? p.in.channels : 1;
    auto one = [&](const T* plane, int64_t at) {  // results of one plane
      for (int64_t r = 0; r < p.out.area(); ++r) {
        const int64_t i = index[at + r * step] - base;
        const bool inside = i >= 0 && i < area && (outside.empty() || !outside[size_t(r)]);
        to[at + r * step] = inside ? plane[i * step] : T(0);
      }
    };
    each_plane(p.in, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t n = i / p.in.channels, c = i % p.in.channels;
        if (last)
          one(from + n * area * step + c, n * p.out.area() * step + c);
        else
          one(from + i * area, i * p.out.area());
      }
    });
  });
}

// Adds in the order of the results; 16-bit floats in a plane of floats.
template <class T>
void add_plane(const T* grad, const int64_t* index, int64_t base, const std::vector<bool>& outside, int64_t n,
               int64_t area, compute_t<T>* sums) {
  std::memset(static_cast<void*>(sums), 0, size_t(area) * sizeof(*sums));
  for (int64_t r = 0; r < n; ++r) {
    const int64_t i = index[r] - base;
    if (uint64_t(i) >= uint64_t(area) || (!outside.empty() && outside[size_t(r)])) continue;
    sums[i] += compute_t<T>(grad[r]);
  }
}

// The same for `channels` neighbouring channels of an NHWC sample.
template <class T>
void add_channels(const T* grad, const int64_t* index, int64_t base, const std::vector<bool>& outside, const Pooling& p,
                  int64_t channels, T* y) {
  using C = compute_t<T>;
  const int64_t area = p.in.area(), all = p.in.channels;
  Buffer<C> sums(area * channels);
  std::memset(static_cast<void*>(sums.get()), 0, size_t(area * channels) * sizeof(C));
  for (int64_t r = 0; r < p.out.area(); ++r) {
    if (!outside.empty() && outside[size_t(r)]) continue;
    for (int64_t k = 0; k < channels; ++k)
      if (const int64_t i = index[r * all + k] - base; uint64_t(i) < uint64_t(area))
        sums[i * channels + k] += C(grad[r * all + k]);
  }
  for (int64_t r = 0; r < area; ++r)
    for (int64_t k = 0; k < channels; ++k) y[r * all + k] = T(sums[r * channels + k]);
}

void max_pool_grad(const ops::MaxPoolGrad& op, Tensor& dx, const Strided& grad_in, const Strided& indices_in) {
  if (dx.numel() == 0) return;
  bool last = op.forward.windows.dims() == 2 && only_channels_last(dx);
  Tensor grad = laid(grad_in, last), indices = laid(indices_in, last);
  const Pooling p(op.forward.windows, dx, grad);
  const std::vector<bool> outside = p.outside();
  const int64_t *index = indices.data<int64_t>(), base = op.forward.base, small = p.out.area(), large = p.in.area();
  dispatch(Numbers{}, dx.dtype(), [&]<class T>(Type<T>) {
    const T* from = grad.data<T>();
    T* to = dx.data<T>();
    if (last)
      return each_block(p.in, [&](int64_t n, int64_t c, int64_t channels) {
        const int64_t at = n * small * p.in.channels + c;
        add_channels(from + at, index + at, base, outside, p, channels, to + n * large * p.in.channels + c);
      });
    each_plane(p.in, [&](int64_t begin, int64_t end) {
      Buffer<compute_t<T>> sums(is_half<T> ? large : 0);
      for (int64_t i = begin; i < end; ++i) {
        T* plane = to + i * large;
        if constexpr (is_half<T>) {
          add_plane(from + i * small, index + i * small, base, outside, small, large, sums.get());
          for (int64_t r = 0; r < large; ++r) plane[r] = T(sums[r]);
        } else {
          add_plane(from + i * small, index + i * small, base, outside, small, large, plane);
        }
      }
    });
  });
}

const Kernel<max_pool> max_pool_;
const Kernel<max_pool_grad> max_pool_grad_;
const Kernel<pick> pick_;

}  // namespace
}  // namespace luth::cpu
