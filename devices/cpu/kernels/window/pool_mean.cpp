// Pooling by means: windows are separable, so rows are summed first, and each row of results reads one row of sums.
#include <utility>
#include <vector>

#include "core/ops/window/pool.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/planes.h"
#include "devices/cpu/kernels/common/rows.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

/// A window along one dim: elements [begin, end) of the input, and its size as the divisor counts it.
struct Span {
  int64_t begin, end, size;
};
struct Windows {
  std::vector<Span> deep, down, across;
  int64_t divisor = 0;  // 0: the product of the sizes
  ops::PoolDim row;     // the dim `across`
  Windows(const ops::AvgPool& op) : divisor(op.divisor_override.value_or(0)), row(op.windows.dim(2)) {
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
  /// The spans of the windows in row i of the results; rows are counted over all planes.
  const Span& deep_of(int64_t i) const { return deep[size_t(i) / down.size()]; }
  const Span& down_of(int64_t i) const { return down[size_t(i) % down.size()]; }
  /// The factor of row i of the results in the divisors of its windows.
  int64_t rows(int64_t i) const { return deep_of(i).size * down_of(i).size; }
  int64_t weight(int64_t rows, int64_t j) const { return divisor ? divisor : rows * across[size_t(j)].size; }
  /// Elements that windows of one size reach along a row, from `row.padding` before its first one on, or more.
  int64_t reach() const { return std::max(row.padding + row.from, (row.to - 1) * row.stride + row.kernel); }
};

// Integers are divided as their dtype holds them: a divisor may wrap to 0, and the lowest number has no opposite.
template <class C>
C divided(C sum, C d) {
  if (d == C(0)) return C(0);
  if constexpr (std::is_integral_v<C> && std::is_signed_v<C>)
    if (d == C(-1)) return C(uint64_t(0) - uint64_t(sum));
  return C(sum / d);
}

// Calls f with each row of a volume, counted over its planes of h rows, that is in the windows of row i of the results.
template <class F>
void each_row(const Windows& win, int64_t i, int64_t h, F&& f) {
  const Span deep = win.deep_of(i), down = win.down_of(i);
  for (int64_t z = deep.begin; z < deep.end; ++z)
    for (int64_t r = down.begin; r < down.end; ++r) f(z * h + r);
}

/// sums[i] += x[i].
template <class T, class C>
void add_row(const T* __restrict x, int64_t n, C* __restrict sums) {
  if constexpr (std::is_same_v<T, half>) {
    constexpr int64_t block = 64;
    C v[block];
    for (int64_t i = 0; i < n; i += block) {
      const int64_t m = std::min(block, n - i);
      convert_row(x + i, v, m);
      for (int64_t k = 0; k < m; ++k) sums[i + k] += v[k];
    }
  } else {
    for (int64_t i = 0; i < n; ++i) sums[i] += C(x[i]);
  }
}

/// The sum of neighbouring elements in `width` lanes, and of the rest in fewer.
template <int width, class C>
C lanes_sum(const C* x, int64_t n) {
  C a[width] = {};
  int64_t i = 0;
  for (; i + width <= n; i += width) each_lane<width, C>([&](int l) { a[l] += x[i + l]; });
  C rest = 0;
  if constexpr (width > 8)
    rest = lanes_sum<width / 4>(x + i, n - i);
  else
    for (; i < n; ++i) rest += x[i];
  return C(joined<width>(a, [](C p, C q) { return C(p + q); }) + rest);
}
/// The sum of neighbouring elements: in lanes within blocks, in type A across blocks.
template <class A, class T>
A run_sum(const T* x, int64_t n) {
  using C = compute_t<T>;
  constexpr int64_t block = 1024;
  A sum = 0;
  for (int64_t i = 0; i < n; i += block) {
    const int64_t m = std::min(block, n - i);
    if constexpr (is_half<T>) {
      C v[block];
      convert_row(x + i, v, m);
      sum += A(lanes_sum<32>(v, m));
    } else {
      sum += A(lanes_sum<32>(x + i, m));
    }
  }
  return sum;
}

/// h rows of w elements, `step` apart in memory; `count` neighbouring channels at once.
struct Image {
  int64_t h, w, step, count;
};

/// A row of one channel for windows of one size. They lie in `line`, between zeros, so that all are whole, and windows
/// side by side are computed together.
template <class C>
struct Line {
  const Windows& win;
  Buffer<C> line, parts, divisors;  // parts: a number for each window
  int64_t rows = -1;                // that the divisors are for
  /// `used`: for windows of one size.
  Line(const Windows& windows, bool used)
      : win(windows), line(used ? win.reach() : 0), parts(used ? win.row.to : 0), divisors(used ? win.row.to : 0) {
    if (used) std::fill(line.get(), line.get() + win.reach(), C(0));
  }
  C* inside() const { return line.get() + win.row.padding; }
  // out[j] = from[j] / the divisor of window j, in windows of `n` rows.
  template <class Out, class In>
  void divide(const In* __restrict from, int64_t n, Out* __restrict out) {
    const int64_t count = win.row.to;
    if (std::exchange(rows, n) != n)
      for (int64_t j = 0; j < count; ++j) divisors[j] = C(win.weight(n, j));
    const C* __restrict d = divisors.get();
    for (int64_t j = 0; j < count; ++j) out[j] = Out(divided(C(from[j]), d[j]));
  }
  // The sums of the windows of what lies in the line.
  const C* sums() {
    const int64_t count = win.row.to, stride = win.row.stride;
    C* __restrict sum = parts.get();
    std::fill(sum, sum + count, C(0));
    for (int64_t q = 0; q < win.row.kernel; ++q) {
      const C* __restrict from = line.get() + q;
      if (stride == 2)
        for (int64_t j = 0; j < count; ++j) sum[j] += from[2 * j];
      else
        for (int64_t j = 0; j < count; ++j) sum[j] += from[j * stride];
    }
    return sum;
  }
  // Adds the part of each window to its elements. The parts of an element are added in the order of their windows: so
  // the last elements of all windows come first.
  void spread() {
    const int64_t count = win.row.to, stride = win.row.stride;
    const C* __restrict part = parts.get();
    int64_t q = win.row.kernel;
    for (; stride == 2 && q >= 2; q -= 2) {  // two neighbours: what is stored has no gaps
      C* __restrict to = line.get() + q - 2;
      for (int64_t j = 0; j < count; ++j) to[2 * j] += part[j], to[2 * j + 1] += part[j];
    }
    while (q-- > 0) {
      C* __restrict to = line.get() + q;
      for (int64_t j = 0; j < count; ++j) to[j * stride] += part[j];
    }
  }
};

/// Pooling of one row of windows, row i of the results; rows are counted over all planes. `one`: one channel, known to
/// the compiler.
template <bool one, class T>
struct RowPooling {
  using C = compute_t<T>;
  const Windows& win;
  const Image& image;
  C* sums;  // room for a row of the image, and one pixel
  Line<C>& line;
  const int64_t w = image.w, step = one ? 1 : image.step, count = one ? 1 : image.count;
  const int64_t outputs = int64_t(win.across.size());
  const bool together = one && win.row.kernel;
  const bool whole = outputs == 1 && win.across[0].end - win.across[0].begin == w;  // a window has all of its rows
  C* const row = together ? line.inside() : sums;

  void clear_row() const { std::fill(row, row + w * count, C(0)); }

  // Rows of the input are summed first, unless they are neighbours in one window.
  void mean(const T* x, int64_t i, T* y) const {
    if constexpr (one)
      if (whole) return mean_of_planes(x, i, y);
    clear_row();
    each_row(win, i, image.h, [&](int64_t h) {
      if (count == step) return add_row(x + h * w * step, w * count, row);
      for (int64_t v = 0; v < w; ++v) add_row(x + (h * w + v) * step, count, row + v * count);
    });
    const int64_t rows = win.rows(i);
    if (together) return line.divide(line.sums(), rows, y + i * outputs);
    C* const total = row + w * count;
    for (int64_t j = 0; j < outputs; ++j) {
      std::fill(total, total + count, C(0));
      for (int64_t v = win.across[size_t(j)].begin; v < win.across[size_t(j)].end; ++v)
        add_row(row + v * count, count, total);
      const C weight = C(win.weight(rows, j));
      for (int64_t c = 0; c < count; ++c) y[(i * outputs + j) * step + c] = T(divided(total[c], weight));
    }
  }
  void mean_of_planes(const T* x, int64_t i, T* y) const {
    using A = std::conditional_t<is_float<T>, double, C>;
    const Span deep = win.deep_of(i), down = win.down_of(i);
    A sum = 0;
    for (int64_t z = deep.begin; z < deep.end; ++z)
      sum += run_sum<A>(x + (z * image.h + down.begin) * w, (down.end - down.begin) * w);
    y[i] = T(C(divided(sum, A(win.weight(win.rows(i), 0)))));
  }
  // The adjoint: adds each gradient's share to dx[h, w, count].
  void spread(const T* dy, int64_t i, C* dx) const {
    clear_row();
    const int64_t rows = win.rows(i);
    if (together) line.divide(dy + i * outputs, rows, line.parts.get()), line.spread();
    for (int64_t j = 0; j < (together ? 0 : outputs); ++j)
      for (int64_t c = 0; c < count; ++c) {
        C part = divided(C(dy[(i * outputs + j) * step + c]), C(win.weight(rows, j)));
        for (int64_t v = win.across[size_t(j)].begin; v < win.across[size_t(j)].end; ++v) row[v * count + c] += part;
      }
    each_row(win, i, image.h, [&](int64_t h) {
      for (int64_t v = 0; v < w * count; ++v) dx[h * w * count + v] += row[v];
    });
  }
};

/// The windows of a pooling, and the planes of its input and its output.
struct MeanPooling {
  Windows win;
  Planes in, out;
  bool last;  // NHWC memory; results of 1 x 1 elements lie in both orders, and the operand decides
  MeanPooling(const ops::AvgPool& op, const Tensor& result, const Tensor& operand)
      : win(op),
        in(planes(result, op.windows.from)),
        out(planes(result, op.windows.to)),
        last(channels_last(op.windows, result.is_contiguous() && result.is_channels_last() ? operand : result)) {}

  /// Calls f(offset in the input, offset in the output, RowPooling) for all planes, or blocks of channels. The planes
  /// of a range share the room for a row.
  template <class T, class F>
  void each_image(F&& f) const {
    using C = compute_t<T>;
    if (last)
      return each_block(in, [&](int64_t n, int64_t c, int64_t channels) {
        const Image image{in.h, in.w, in.channels, channels};
        Buffer<C> sums((in.w + 1) * channels);
        Line<C> line(win, false);
        f(n * in.area() * in.channels + c, n * out.area() * in.channels + c,
          RowPooling<false, T>{win, image, sums.get(), line});
      });
    each_plane(in, [&](int64_t begin, int64_t end) {
      const Image image{in.h, in.w, 1, 1};
      Buffer<C> sums(in.w + 1);
      Line<C> line(win, win.row.kernel);
      const RowPooling<true, T> rows{win, image, sums.get(), line};
      for (int64_t p = begin; p < end; ++p) f(p * in.area(), p * out.area(), rows);
    });
  }
};

/// Calls f(p, from, to) with the elements of `in` and `out` in one memory order.
template <class F>
void with_pooling(const ops::AvgPool& op, Tensor& out, const Tensor& in, F f) {
  if (out.numel() == 0) return;
  const MeanPooling p(op, out, in);
  const Tensor x = laid(in, p.last);
  dispatch(Numbers{}, out.dtype(), [&]<class T>(Type<T>) { f(p, static_cast<const T*>(x.data<T>()), out.data<T>()); });
}

void avg_pool(const ops::AvgPool& op, Tensor& y, const Strided& x) {
  with_pooling(op, y, x, []<class T>(const MeanPooling& p, const T* from, T* to) {
    p.each_image<T>([&](int64_t first, int64_t result, const auto& rows) {
      for (int64_t i = 0; i < p.out.d * p.out.h; ++i) rows.mean(from + first, i, to + result);
    });
  });
}

void avg_pool_grad(const ops::AvgPoolGrad& op, Tensor& dx, const Strided& grad) {
  with_pooling(op.forward, dx, grad, []<class T>(const MeanPooling& p, const T* from, T* to) {
    using C = compute_t<T>;
    p.each_image<T>([&](int64_t result, int64_t first, const auto& rows) {
      const int64_t area = p.in.area(), count = rows.count;
      const bool in_place = std::is_same_v<C, T> && !p.last;  // the result itself takes the sums
      Buffer<C> own(in_place ? 0 : area * count);
      C* const sums = in_place ? reinterpret_cast<C*>(to + result) : own.get();
      std::fill(sums, sums + area * count, C(0));
      for (int64_t i = 0; i < p.out.d * p.out.h; ++i) rows.spread(from + first, i, sums);
      if (in_place) return;
      for (int64_t r = 0; r < area; ++r)
        for (int64_t c = 0; c < count; ++c) to[result + r * rows.step + c] = T(sums[r * count + c]);
    });
  });
}

const Kernel<avg_pool> avg_pool_;
const Kernel<avg_pool_grad> avg_pool_grad_;

}  // namespace
}  // namespace luth::cpu
