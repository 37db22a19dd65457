// Images sampled at the positions of a grid, and the gradients: for a block of points the elements that each takes and
// their weights, which vectorises, then channel by channel the elements themselves.
#include "core/ops/window/grid_sample.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/threads.h"
#include "core/op/memory_order.h"
#include "devices/cpu/kernels/common/convert.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

constexpr int64_t block = 128;            // points whose taps are found at once
constexpr int64_t range_elements = 8192;  // about what one range of parallel_for reads

// f(0), f(1) …: written out where they are few.
template <int count, class F>
[[gnu::always_inline]] inline void each(F f) {
  constexpr int few = count <= 8 ? count : 0;
  const auto all = [&]<int... k>(std::integer_sequence<int, k...>) { (f(k), ...); };
  all(std::make_integer_sequence<int, few>());
  for (int k = few; k < count; ++k) f(k);
}

/// Positions along one dim of n elements; see GridSample::decompose. All loops are over a block of points.
template <class C>
class Axis {
 public:
  int32_t extent;
  C n, scale;  // n: the extent, which a float may round

  Axis(const ops::GridSample& op, int64_t elements)
      : extent(int32_t(elements)),
        n(C(elements)),
        zeros_(op.padding_mode == "zeros"),
        reflects_(op.padding_mode == "reflection") {
    const bool corners = op.align_corners.value_or(false);
    scale = (corners ? n - 1 : n) / 2, shift_ = corners ? C(0) : C(0.5);
    low_ = corners ? C(0) : C(-0.5), span_ = corners ? n - 1 : n;
  }
  // x = the positions of g in elements, not bounded yet.
  void place(const C* __restrict g, int64_t count, C* __restrict x) const {
    for (int64_t p = 0; p < count; ++p) x[p] = (g[p] + 1) * scale - shift_;
  }
  // A nan comes to lie at 0, as in images of PyTorch.
  void bound(C* x, int64_t count) const {
    if (zeros_) return;
    if (reflects_ && !(span_ > 0)) std::fill(x, x + count, C(0));
    if (reflects_ && span_ > 0)
      for (int64_t p = 0; p < count; ++p) x[p] = reflected(x[p]);
    for (int64_t p = 0; p < count; ++p) x[p] = x[p] > 0 ? std::min(x[p], n - 1) : C(0);
  }
  // The element at a whole number; -1: none.
  auto element() const {
    return [end = n - 1, last = extent - 1](C x) { return (x >= 0) & (x <= end) ? std::min(int32_t(x), last) : -1; };
  }
  // d bounded x / d g. Borders count as outside, as in PyTorch.
  void slopes(const C* __restrict x, int64_t count, C* __restrict slope) const {
    for (int64_t p = 0; p < count; ++p) slope[p] = scale;
    if (zeros_) return;
    if (reflects_)
      for (int64_t p = 0; p < count; ++p)
        slope[p] = odd(std::floor(std::abs(x[p] - low_) / span_)) != (x[p] < low_) ? -scale : scale;
    for (int64_t p = 0; p < count; ++p) {
      const C in = reflects_ ? reflected(x[p]) : x[p];
      slope[p] = in > 0 && in < n - 1 ? slope[p] : C(0);
    }
  }

 private:
  static bool odd(C flips) { return flips != 2 * std::floor(flips / 2); }
  C reflected(C at) const {
    const C from = std::abs(at - low_), flips = std::floor(from / span_), extra = from - flips * span_;
    return (odd(flips) ? span_ - extra : extra) + low_;
  }

  C shift_, low_, span_;
  bool zeros_, reflects_;
};

/// What a block of points takes along one dim: element at[k] (-1: none), weight[k] times; slope[k]: d weight / d g.
template <class C>
struct AxisTaps {
  alignas(64) int32_t at[4][block];
  alignas(64) C weight[4][block], slope[4][block];

  void find(const Axis<C>& a, int taps, const C* g, int64_t n, bool slopes) {
    alignas(64) C x[block];
    a.place(g, n, x);
    if (taps == 4) return cubic(a, x, n);
    if (slopes) a.slopes(x, n, slope[1]);
    for (int64_t p = 0; slopes && p < n; ++p) slope[0][p] = -slope[1][p];
    a.bound(x, n);
    if (taps == 2)
      linear(a, x, n);
    else
      nearest(a, x, n);
  }

 private:
  void nearest(const Axis<C>& a, const C* __restrict x, int64_t n) {
    const auto element = a.element();
    for (int64_t p = 0; p < n; ++p) weight[0][p] = 1, at[0][p] = element(std::nearbyint(x[p]));
  }
  void linear(const Axis<C>& a, const C* __restrict x, int64_t n) {
    const auto element = a.element();
    for (int64_t p = 0; p < n; ++p) {
      const C first = std::floor(x[p]), rest = x[p] - first;
      weight[0][p] = 1 - rest, weight[1][p] = rest;
      at[0][p] = element(first), at[1][p] = element(first + 1);
    }
  }
  // Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.75.
  void cubic(const Axis<C>& a, const C* x, int64_t n) {
    const auto near = [](C t) { return (C(1.25) * t - C(2.25)) * t * t + 1; };
    const auto far = [](C t) { return ((C(-0.75) * t + C(3.75)) * t - 6) * t + 3; };
    const auto near_slope = [s = a.scale](C t) { return (C(3.75) * t - C(4.5)) * t * s; };
    const auto far_slope = [s = a.scale](C t) { return ((C(-2.25) * t + C(7.5)) * t - 6) * s; };
    for (int64_t p = 0; p < n; ++p) {
      const C t = x[p] - std::floor(x[p]), rest = 1 - t;
      weight[0][p] = far(t + 1), weight[1][p] = near(t), weight[2][p] = near(rest), weight[3][p] = far(rest + 1);
      slope[0][p] = far_slope(t + 1), slope[1][p] = near_slope(t);
      slope[2][p] = -near_slope(rest), slope[3][p] = -far_slope(rest + 1);
    }
    const auto element = a.element();
    for (int k = 0; k < 4; ++k) {
      alignas(64) C place[block];
      for (int64_t p = 0; p < n; ++p) place[p] = std::floor(x[p]) + C(k - 1);
      a.bound(place, n);
      for (int64_t p = 0; p < n; ++p) at[k][p] = element(place[p]);
    }
  }
};

/// What a block of points takes of a plane, of `count` taps each.
template <class C, int count>
struct Taps {
  alignas(64) int32_t at[count][block];    // -1: outside
  alignas(64) int32_t from[count][block];  // where that is in memory; 0 if it is outside
  alignas(64) C weight[count][block];      // 0 if it is outside; of images nan at nan, as in PyTorch
};

/// A block of points and their taps.
template <class C, int count>
struct Points {
  int64_t sample, first, n;
  AxisTaps<C> along[3];
  Taps<C, count> taps;
};

/// The grid of a call, and the shape of its images.
template <class T>
class Sampler {
 public:
  using C = compute_t<T>;
  int64_t samples, channels, area = 1, points = 1;

  Sampler(const ops::GridSample& op, const Shape& x, const Tensor& grid)
      : samples(x[0]), channels(x[1]), grid_(grid.data<T>()), along_(op.taps()) {
    for (int d = x.size() - 1; d > 1; --d) {
      axes_.push_back(Axis<C>(op, x[d]));
      area *= x[d], points *= grid.shape()[d - 1];
    }
  }
  int dims() const { return int(axes_.size()); }
  /// f(count) with the taps of a point, as a constant.
  void by_count(auto f) const {
    if (along_ == 1) return f(std::integral_constant<int, 1>());
    if (along_ == 4) return f(std::integral_constant<int, 16>());
    if (dims() == 2) return f(std::integral_constant<int, 4>());
    f(std::integral_constant<int, 8>());
  }
  int64_t blocks() const { return (points + block - 1) / block; }

  /// Block b of a sample, with slopes where they are asked for. `step`: between neighbours of a plane in memory.
  template <int count>
  void find(int64_t sample, int64_t b, int64_t step, bool slopes, Points<C, count>& found) const {
    found.sample = sample, found.first = b * block, found.n = std::min(block, points - found.first);
    const int64_t n = found.n, first = sample * points + found.first;
    alignas(64) C g[3][block];
    if (dims() == 2)
      coordinates<2>(grid_ + first * 2, n, g);
    else
      coordinates<3>(grid_ + first * 3, n, g);
    for (int d = 0; d < dims(); ++d) found.along[d].find(axes_[size_t(d)], along_, g[d], n, slopes);
    join(found.along, n, step, found.taps);
  }
  /// Tap k of a point is its t-th along dim d.
  int tap_along(int d, int k) const { return k >> d * (along_ / 2) & (along_ - 1); }  // along_: 1, 2 or 4
 private:
  template <int dims>
  static void coordinates(const T* grid, int64_t n, C (*g)[block]) {
    for (int64_t p = 0; p < n; ++p) each<dims>([&](int d) { g[d][p] = C(grid[p * dims + d]); });
  }
  template <int count>
  void join(const AxisTaps<C>* along, int64_t n, int64_t step, Taps<C, count>& taps) const {
    alignas(64) int32_t rows[block];
    alignas(64) C weights[block];
    for (int k = 0; k < count; ++k) {
      const int32_t* at = along[0].at[tap_along(0, k)];
      const C* weight = along[0].weight[tap_along(0, k)];
      int32_t stride = 1;
      for (int d = 1; d < dims(); ++d) {
        const bool last = d == dims() - 1;
        const int t = tap_along(d, k);
        stride *= axes_[size_t(d) - 1].extent;
        multiply(at, weight, along[d].at[t], along[d].weight[t], stride, n, last ? taps.at[k] : rows,
                 last ? taps.weight[k] : weights, int32_t(step), taps.from[k]);
        at = rows, weight = weights;
      }
    }
  }
  // No weight where either is outside.
  void multiply(const int32_t* a, const C* u, const int32_t* b, const C* v, int32_t stride, int64_t n,
                int32_t* __restrict at, C* __restrict weight, int32_t step, int32_t* __restrict from) const {
    const bool image = dims() == 2;
    for (int64_t p = 0; p < n; ++p) {
      const bool outside = (a[p] | b[p]) < 0;
      const int32_t place = a[p] + b[p] * stride;
      const C both = u[p] * v[p];
      at[p] = outside ? -1 : place;
      from[p] = outside ? 0 : place * step;
      weight[p] = outside & !(image & (both != both)) ? C(0) : both;
    }
  }

  const T* grid_;
  int along_;                  // taps along a dim
  std::vector<Axis<C>> axes_;  // the last dim first, as in a grid
};

/// The planes of images in memory.
template <class T>
class Images {
 public:
  explicit Images(const Tensor& t)
      : last_(only_channels_last(t) && t.numel() / t.shape()[0] <= INT32_MAX),
        tensor_(laid(t, last_)),
        channels_(t.shape()[1]),
        area_(t.numel() / std::max<int64_t>(1, t.shape()[0] * channels_)) {}
  /// The first element of a plane.
  const T* plane(int64_t sample, int64_t c) const {
    return tensor_.data<T>() + sample * channels_ * area_ + c * plane_step();
  }
  int64_t step() const { return last_ ? channels_ : 1; }
  int64_t plane_step() const { return last_ ? 1 : area_; }

 private:
  bool last_;  // NHWC
  Tensor tensor_;
  int64_t channels_, area_;
};

// f(c, count) for all channels: three together where there are as many, which read taps once.
void each_channels(int64_t channels, auto f) {
  int64_t c = 0;
  for (; c + 3 <= channels; c += 3) f(c, std::integral_constant<int, 3>());
  for (; c < channels; ++c) f(c, std::integral_constant<int, 1>());
}
// f(sampler, images, points) for all blocks of points, in parallel.
void each_block(const ops::GridSample& op, const Tensor& input, const Tensor& grid, bool slopes, auto f) {
  dispatch(Floats{}, input.dtype(), [&]<class T>(Type<T>) {
    const Sampler<T> s(op, input.shape(), grid);
    const Images<T> images(input);
    const int64_t grain = std::max<int64_t>(1, range_elements / (block * std::max<int64_t>(1, s.channels)));
    s.by_count([&](auto count) {
      parallel_for(s.samples * s.blocks(), grain, [&](int64_t begin, int64_t end) {
        Points<compute_t<T>, count> points;
        for (int64_t i = begin; i < end; ++i) {
          s.find(i / s.blocks(), i % s.blocks(), images.step(), slopes, points);
          f(s, images, points);
        }
      });
    });
  });
}

// `planes` planes of x and y at once.
template <int planes, int count, class T>
void sample_planes(const Taps<compute_t<T>, count>& taps, const T* x, int64_t x_step, int64_t n, T* __restrict y,
                   int64_t y_step) {
  using C = compute_t<T>;
  for (int64_t p = 0; p < n; ++p) {
    C sum[planes] = {};
    each<count>([&](int k) {
      const T* from = x + taps.from[k][p];
      const C weight = taps.weight[k][p];
      each<planes>([&](int c) { sum[c] += C(from[c * x_step]) * weight; });
    });
    each<planes>([&](int c) { y[c * y_step + p] = T(sum[c]); });
  }
}
// Outside of the input 0 times its first element counts: where that is no finite number this adds what is right.
template <int count, class T>
void sample_inside(const Taps<compute_t<T>, count>& taps, const T* x, int64_t n, T* y) {
  for (int64_t p = 0; p < n; ++p) {
    compute_t<T> sum = 0;
    for (int k = 0; k < count; ++k)
      if (taps.at[k][p] >= 0 || taps.weight[k][p] != 0) sum += compute_t<T>(x[taps.from[k][p]]) * taps.weight[k][p];
    y[p] = T(sum);
  }
}

void grid_sample(const ops::GridSample& op, Tensor& y, const Strided& input, const Dense& grid) {
  if (y.numel() == 0) return;
  each_block(op, input, grid, false, [&]<class T>(const Sampler<T>& s, const Images<T>& images, const auto& points) {
    T* to = y.data<T>() + points.sample * s.channels * s.points + points.first;
    each_channels(s.channels, [&](int64_t c, auto planes) {
      const T* x = images.plane(points.sample, c);
      sample_planes<planes>(points.taps, x, images.plane_step(), points.n, to + c * s.points, s.points);
      for (int i = 0; i < planes; ++i, x += images.plane_step())
        if (!std::isfinite(compute_t<T>(x[0]))) sample_inside(points.taps, x, points.n, to + (c + i) * s.points);
    });
  });
}

// Tap by tap: neighbouring points often have one of another's, and a sum that was just written is slow to read.
template <int count, class T>
void add_plane(const Taps<compute_t<T>, count>& taps, const T* grad, int64_t n, compute_t<T>* dx) {
  compute_t<T> share[block];
  for (int k = 0; k < count; ++k) {
    for (int64_t p = 0; p < n; ++p) share[p] = compute_t<T>(grad[p]) * taps.weight[k][p];
    for (int64_t p = 0; p < n; ++p)
      if (const int32_t at = taps.at[k][p]; at >= 0) dx[at] += share[p];
  }
}
// d input of channels [begin, end) of a sample, added block by block.
template <class T>
void add_planes(const Sampler<T>& s, const T* grad, int64_t sample, int64_t begin, int64_t end, compute_t<T>* dx) {
  s.by_count([&](auto count) {
    Points<compute_t<T>, count> points;
    for (int64_t b = 0; b < s.blocks(); ++b) {
      s.find(sample, b, 1, false, points);
      const T* from = grad + sample * s.channels * s.points + points.first;
      for (int64_t c = begin; c < end; ++c)
        add_plane(points.taps, from + c * s.points, points.n, dx + (c - begin) * s.area);
    }
  });
}
// Parallel by planes; a range of them that lie in one sample finds the taps once, if there are ranges enough.
void input_grad(const ops::GridSampleInputGrad& op, Tensor& dx, const Dense& grad, const Dense& grid) {
  if (dx.numel() == 0) return;
  dispatch(Floats{}, dx.dtype(), [&]<class T>(Type<T>) {
    using C = compute_t<T>;
    const Sampler<T> s(op.forward, dx.shape(), grid);
    const int64_t together = s.samples >= 8 || s.channels >= 32 ? std::min<int64_t>(s.channels, 4) : 1;
    const int64_t grain = std::max(together, range_elements / std::max<int64_t>(1, s.points));
    parallel_for(s.samples * s.channels, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t sample = begin / s.channels, planes = std::min(end, (sample + 1) * s.channels) - begin;
        const int64_t c = begin - sample * s.channels, n = planes * s.area;
        T* to = dx.data<T>() + begin * s.area;
        Buffer<C> wide(is_half<T> ? n : 0);  // 16-bit floats add up in float
        C* sums;
        if constexpr (is_half<T>)
          sums = wide.get();
        else
          sums = to;
        std::fill(sums, sums + n, C(0));
        add_planes(s, grad.data<T>(), sample, c, c + planes, sums);
        if constexpr (is_half<T>)
          for (int64_t i = 0; i < n; ++i) to[i] = T(sums[i]);
        begin += planes;
      }
    });
  });
}

// dots[k][p] += the products over channels of grad and the elements that tap k of point p takes. In double, since there
// may be many; what lies outside counts for something here.
template <int planes, int count, class T>
void add_dots(const Taps<compute_t<T>, count>& taps, const T* x, int64_t x_step, const T* grad, int64_t grad_step,
              int64_t n, double (*dots)[block]) {
  using C = compute_t<T>;
  alignas(64) C sums[count][block];
  for (int64_t p = 0; p < n; ++p) {
    C g[planes];
    each<planes>([&](int c) { g[c] = C(grad[c * grad_step + p]); });
    each<count>([&](int k) {
      const T* from = x + taps.from[k][p];
      C sum = 0;
      each<planes>([&](int c) { sum += C(from[c * x_step]) * g[c]; });
      sums[k][p] = sum;
    });
  }
  for (int k = 0; k < count; ++k)
    for (int64_t p = 0; p < n; ++p) dots[k][p] += double(sums[k][p]);
}
// dgrid of the points, d weight / d g by the product rule.
template <int dims, int count, class T>
void write_grid_grad(const Sampler<T>& s, const Points<compute_t<T>, count>& points, const double (*dots)[block],
                     T* to) {
  using C = compute_t<T>;
  const int64_t n = points.n;
  for (int e = 0; e < dims; ++e) {
    alignas(64) double sum[block] = {};
    for (int k = 0; k < count; ++k) {
      const C* by[dims];
      for (int d = 0; d < dims; ++d)
        by[d] = (d == e ? points.along[d].slope : points.along[d].weight)[s.tap_along(d, k)];
      const int32_t* at = points.taps.at[k];
      for (int64_t p = 0; p < n; ++p) {
        C slope = by[0][p] * by[1][p];
        if constexpr (dims == 3) slope *= by[2][p];
        sum[p] += (at[p] < 0 ? 0.0 : dots[k][p]) * double(slope);
      }
    }
    for (int64_t p = 0; p < n; ++p) to[p * dims + e] = T(C(sum[p]));
  }
}
void grid_grad(const ops::GridSampleGridGrad& op, Tensor& dgrid, const Dense& grad, const Strided& input,
               const Dense& grid) {
  if (dgrid.numel() == 0) return;
  each_block(
      op.forward, input, grid, true,
      [&]<class T, class C, int count>(const Sampler<T>& s, const Images<T>& images, const Points<C, count>& points) {
        alignas(64) double dots[count][block] = {};
        const T* from = grad.data<T>() + points.sample * s.channels * s.points + points.first;
        each_channels(s.channels, [&](int64_t c, auto planes) {
          add_dots<planes>(points.taps, images.plane(points.sample, c), images.plane_step(), from + c * s.points,
                           s.points, points.n, dots);
        });
        T* to = dgrid.data<T>() + (points.sample * s.points + points.first) * s.dims();
        if (s.dims() == 2)
          write_grid_grad<2, count>(s, points, dots, to);
        else if constexpr (count == 8)
          write_grid_grad<3, count>(s, points, dots, to);
      });
}

const Kernel<grid_sample> grid_sample_;
const Kernel<input_grad> input_grad_;
const Kernel<grid_grad> grid_grad_;

}  // namespace
}  // namespace luth::cpu
