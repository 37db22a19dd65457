// Max pooling: plain loops that vectorise, over the width of NCHW images and over the channels of NHWC ones.
#include "core/ops/window/pool.h"

#include <algorithm>
#include <cstring>

#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/planes.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

/// One direction of a window: position i begins at i * step - pad and takes `k` elements, `spread` apart.
struct Direction {
  int64_t k, step, pad, spread;
  int64_t at(int64_t i, int64_t r) const { return i * step - pad + r * spread; }
  /// Positions [from, to) of `n` where element r lies inside m.
  int64_t from(int64_t r) const { return std::max<int64_t>(0, (pad - r * spread + step - 1) / step); }
  int64_t to(int64_t r, int64_t m, int64_t n) const {
    int64_t last = m - 1 + pad - r * spread;
    return last < 0 ? 0 : std::min(n, last / step + 1);
  }
};
Direction direction(const ops::MaxPool2dWithIndices& op, int d) {
  return {at_or_all(op.kernel_size, d), op.step(d), at_or_all(op.padding, d), at_or_all(op.dilation, d)};
}

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
void max_pairs(const T* x, int64_t w, int64_t row, int64_t n, T* y, int64_t* index) {
  using C = compute_t<T>;
  const T *top = x + row * w, *low = top + w;
  for (int64_t j = 0; j < n; ++j) {
    C best = C(top[2 * j]);
    int32_t at = int32_t(2 * j);
    take(C(top[2 * j + 1]), int32_t(2 * j + 1), best, at);
    take(C(low[2 * j]), int32_t(w + 2 * j), best, at);
    take(C(low[2 * j + 1]), int32_t(w + 2 * j + 1), best, at);
    y[j] = T(best);
    index[j] = row * w + at;
  }
}

// One plane; `best` and `at` have room for a row of results.
template <class T>
void max_plane(const T* x, const Planes& in, const Planes& out, Direction down, Direction across, T* y, int64_t* index,
               compute_t<T>* best, int32_t* at) {
  bool pairs = down.k == 2 && across.k == 2 && down.step == 2 && across.step == 2 && !down.pad && !across.pad &&
               down.spread == 1 && across.spread == 1 && 2 * out.h <= in.h && 2 * out.w <= in.w;
  for (int64_t i = 0; i < out.h; ++i, y += out.w, index += out.w) {
    if (pairs) {
      max_pairs(x, in.w, 2 * i, out.w, y, index);
      continue;
    }
    // the first element inside stands for a window that has nothing above the lowest value
    int64_t first_row = std::max<int64_t>(0, down.pad - i * down.step + down.spread - 1) / down.spread;
    for (int64_t j = 0; j < out.w; ++j) {
      int64_t first = std::max<int64_t>(0, across.pad - j * across.step + across.spread - 1) / across.spread;
      best[j] = lowest<compute_t<T>>;
      at[j] = int32_t(down.at(i, first_row) * in.w + across.at(j, first));
    }
    for (int64_t r = 0; r < down.k; ++r) {
      int64_t h = down.at(i, r);
      if (h < 0 || h >= in.h) continue;
      for (int64_t q = 0; q < across.k; ++q) {
        int64_t from = across.from(q), n = across.to(q, in.w, out.w) - from, place = h * in.w + across.at(from, q);
        if (n <= 0) continue;
        if (across.step == 1)
          take_row<1>(x + place, 1, int32_t(place), n, best + from, at + from);
        else if (across.step == 2)
          take_row<2>(x + place, 2, int32_t(place), n, best + from, at + from);
        else
          take_row<0>(x + place, across.step, int32_t(place), n, best + from, at + from);
      }
    }
    for (int64_t j = 0; j < out.w; ++j) y[j] = T(best[j]), index[j] = at[j];
  }
}

// `channels` neighbouring channels of one NHWC sample.
template <class T>
void max_channels(const T* x, const Planes& in, const Planes& out, Direction down, Direction across, int64_t channels,
                  T* y, int64_t* index) {
  compute_t<T> best[64];
  int32_t at[64];
  for (int64_t p = 0; p < out.area(); ++p) {
    int64_t i = p / out.w, j = p % out.w;
    bool first = true;
    for (int64_t r = 0; r < down.k; ++r)
      for (int64_t q = 0; q < across.k; ++q) {
        int64_t h = down.at(i, r), v = across.at(j, q), place = h * in.w + v;
        if (h < 0 || h >= in.h || v < 0 || v >= in.w) continue;
        if (first) {
          for (int64_t c = 0; c < channels; ++c) best[c] = lowest<compute_t<T>>, at[c] = int32_t(place);
          first = false;
        }
        const T* from = x + place * in.channels;
        for (int64_t c = 0; c < channels; ++c) take(compute_t<T>(from[c]), int32_t(place), best[c], at[c]);
      }
    for (int64_t c = 0; c < channels; ++c) y[p * in.channels + c] = T(best[c]), index[p * in.channels + c] = at[c];
  }
}

void max_pool(const ops::MaxPool2dWithIndices& op, Tensor& y, Tensor& indices, const Strided& input) {
  if (y.numel() == 0) return;
  bool last = only_channels_last(y);
  Tensor x = laid(input, last);
  Planes in = planes(x), out = planes(y);
  if (in.area() > std::numeric_limits<int32_t>::max()) throw Error("planes of {} elements are too large", in.area());
  Direction down = direction(op, 0), across = direction(op, 1);
  int64_t* index = indices.data<int64_t>();
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data<T>();
    T* to = y.data<T>();
    if (last)
      return each_block(in, [&](int64_t n, int64_t c, int64_t channels) {
        int64_t at = n * out.area() * out.channels + c;
        max_channels(from + n * in.area() * in.channels + c, in, out, down, across, channels, to + at, index + at);
      });
    each_plane(in, [&](int64_t begin, int64_t end) {
      Buffer<compute_t<T>> best(out.w);
      Buffer<int32_t> at(out.w);
      for (int64_t p = begin; p < end; ++p)
        max_plane(from + p * in.area(), in, out, down, across, to + p * out.area(), index + p * out.area(), best.get(),
                  at.get());
    });
  });
  if (op.base)
    for (int64_t i = 0; i < indices.numel(); ++i) index[i] += op.base;
}

// Where an index of a user's tensor points; kernels do not write outside of a plane.
int64_t checked(int64_t index, int64_t base, int64_t area) {
  index -= base;
  if (index < 0 || index >= area) throw Error("index {} is outside of a plane of {} elements", index + base, area);
  return index;
}

void gather(const ops::PoolGather& op, Tensor& y, const Strided& input, const Strided& indices_in) {
  if (y.numel() == 0) return;
  bool last = only_channels_last(y);
  Tensor x = laid(input, last), indices = laid(indices_in, last);
  Planes in = planes(x), out = planes(y);
  const int64_t* index = indices.data<int64_t>();
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data<T>();
    T* to = y.data<T>();
    int64_t step = last ? in.channels : 1;
    auto one = [&](const T* plane, int64_t at) {  // results of one plane
      for (int64_t p = 0; p < out.area(); ++p)
        to[at + p * step] = plane[checked(index[at + p * step], op.base, in.area()) * step];
    };
    each_plane(in, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        int64_t n = p / in.channels, c = p % in.channels;
        if (last)
          one(from + n * in.area() * step + c, n * out.area() * step + c);
        else
          one(from + p * in.area(), p * out.area());
      }
    });
  });
}

// Adds in the order of the results; 16-bit floats in a plane of floats.
template <class T>
void scatter_plane(const T* grad, const int64_t* index, int64_t base, int64_t n, int64_t area, compute_t<T>* sums) {
  std::memset(static_cast<void*>(sums), 0, size_t(area) * sizeof(*sums));
  for (int64_t p = 0; p < n; ++p) sums[checked(index[p], base, area)] += compute_t<T>(grad[p]);
}

void scatter(const ops::PoolScatter& op, Tensor& y, const Strided& grad_in, const Strided& indices_in) {
  if (y.numel() == 0) return;
  bool last = only_channels_last(y);
  Tensor grad = laid(grad_in, last), indices = laid(indices_in, last);
  Planes in = planes(grad), out = planes(y);
  const int64_t* index = indices.data<int64_t>();
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    using C = compute_t<T>;
    const T* from = grad.data<T>();
    T* to = y.data<T>();
    if (last)
      return each_block(out, [&](int64_t n, int64_t c, int64_t channels) {
        Buffer<C> sums(out.area() * channels);
        std::memset(static_cast<void*>(sums.get()), 0, size_t(out.area() * channels) * sizeof(C));
        for (int64_t p = 0; p < in.area(); ++p) {
          int64_t at = (n * in.area() + p) * in.channels + c;
          for (int64_t k = 0; k < channels; ++k)
            sums[checked(index[at + k], op.base, out.area()) * channels + k] += C(from[at + k]);
        }
        for (int64_t p = 0; p < out.area(); ++p)
          for (int64_t k = 0; k < channels; ++k)
            to[(n * out.area() + p) * out.channels + c + k] = T(sums[p * channels + k]);
      });
    each_plane(out, [&](int64_t begin, int64_t end) {
      Buffer<C> sums(is_half<T> ? out.area() : 0);
      for (int64_t p = begin; p < end; ++p) {
        T* plane = to + p * out.area();
        const T* g = from + p * in.area();
        if constexpr (is_half<T>) {
          scatter_plane(g, index + p * in.area(), op.base, in.area(), out.area(), sums.get());
          for (int64_t i = 0; i < out.area(); ++i) plane[i] = T(sums[i]);
        } else {
          scatter_plane(g, index + p * in.area(), op.base, in.area(), out.area(), plane);
        }
      }
    });
  });
}

const Kernel<max_pool> max_pool_;
const Kernel<gather> gather_;
const Kernel<scatter> scatter_;

}  // namespace
}  // namespace luth::cpu
