// Max pooling: plain loops that vectorise, over the width of NC… planes and over the channels of NHWC ones.
#include "core/ops/window/pool.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/planes.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

using ops::PoolDim;

/// The windows of a pooling, and the planes of its input and its output.
struct Pooling {
  PoolDim deep, down, across;
  Planes in, out;
  bool last;  // NHWC memory
  /// `result`: of the kernel, with the samples and channels of the pooling.
  Pooling(const ops::PoolWindows& w, const Tensor& result)
      : deep(w.dim(0)),
        down(w.dim(1)),
        across(w.dim(2)),
        in(planes(result, w.from)),
        out(planes(result, w.to)),
        last(channels_last(w, result)) {}
  /// The position of the first row that is in the windows of row (a, i).
  int64_t first_row(int64_t a, int64_t i) const { return (deep.first(a) * in.h + down.first(i)) * in.w; }
  /// Calls f(position of the row's first element) for each row of the input that is in the windows of row (a, i).
  template <class F>
  void each_row(int64_t a, int64_t i, F&& f) const {
    const int64_t z1 = std::min(deep.end(a), in.d), h0 = down.first(i), h1 = std::min(down.end(i), in.h);
    for (int64_t z = deep.first(a); z < z1; z += deep.dilation)
      for (int64_t h = h0; h < h1; h += down.dilation) f((z * in.h + h) * in.w);
  }
};

/// The indices of a max pooling, for its adjoints.
struct PoolIndices {
  Tensor tensor;
  const int64_t* index;
  int64_t base, area;
  std::vector<bool> outside;  // by position: whether its window steps over the whole input; empty where none does

  PoolIndices(const ops::MaxPool& op, const Pooling& p, const Tensor& t)
      : tensor(laid(t, p.last)), index(tensor.data<int64_t>()), base(op.base), area(p.in.area()) {
    if (p.deep.dilation <= p.in.d && p.down.dilation <= p.in.h && p.across.dilation <= p.in.w) return;
    for (int64_t r = 0; r < p.out.area(); ++r)
      outside.push_back(p.deep.outside(r / (p.out.h * p.out.w)) || p.down.outside(r / p.out.w % p.out.h) ||
                        p.across.outside(r % p.out.w));
  }
  /// Whether result r of a plane has an element of the input.
  bool inside(int64_t r) const { return outside.empty() || !outside[size_t(r)]; }
  /// The position in the input plane that the index at offset i names; -1 for none.
  int64_t position(int64_t i) const {
    const int64_t at = index[i] - base;
    return uint64_t(at) < uint64_t(area) ? at : -1;
  }
};

/// Calls f(p, indices, from, to) with the elements of `in` and `out`, laid alike.
template <class F>
void with_indices(const ops::MaxPool& op, Tensor& out, const Tensor& in, const Tensor& indices, F f) {
  if (out.numel() == 0) return;
  const Pooling p(op.windows, out);
  const PoolIndices at(op, p, indices);
  const Tensor x = laid(in, p.last);
  dispatch(Numbers{}, out.dtype(),
           [&]<class T>(Type<T>) { f(p, at, static_cast<const T*>(x.data<T>()), out.data<T>()); });
}

// A later element wins where it is larger or nan; PyTorch's order, so that ties go to the first and nans to the last.
template <class C>
void take(C v, int32_t index, C& best, int32_t& at) {
  bool wins = (v > best) | (v != v);
  best = wins ? v : best;
  at = wins ? index : at;
}
// The same for the extremum of some elements of a window, where others come between them.
template <class C>
void join(C v, int32_t index, C& best, int32_t& at) {
  const bool wins = (v > best) | ((v == best) & (index < at)) | ((v != v) & ((best == best) | (index > at)));
  best = wins ? v : best;
  at = wins ? index : at;
}
template <class C>
constexpr C lowest = std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                          : std::numeric_limits<C>::lowest();

template <int64_t step, class T, class C>
void take_row(const T* __restrict x, int64_t any_step, int32_t first, int64_t n, C* __restrict best,
              int32_t* __restrict at) {
  int64_t s = step ? step : any_step;
  for (int64_t j = 0; j < n; ++j) take(C(x[j * s]), int32_t(first + j * s), best[j], at[j]);
}

// `block` windows of 2 x 2 elements side by side, of two rows: one pass. `first`: the index of the first element of the
// upper row, `low` that of the lower one from there. A call and a check for aliases would cost as much as a block.
template <int64_t block, class T>
[[gnu::always_inline]] inline void take_squares(const T* upper, const T* lower, int64_t first, int64_t low,
                                                T* __restrict y, int64_t* __restrict index) {
  using C = compute_t<T>;
  for (int64_t j = 0; j < block; ++j) {
    C best = C(upper[2 * j]);
    int32_t at = int32_t(2 * j);
    take(C(upper[2 * j + 1]), int32_t(2 * j + 1), best, at);
    take(C(lower[2 * j]), int32_t(low + 2 * j), best, at);
    take(C(lower[2 * j + 1]), int32_t(low + 2 * j + 1), best, at);
    y[j] = T(best);
    index[j] = first + at;
  }
}
// The same for n windows of rows of w elements from row `row` on, `block` at a time: a loop over single windows would
// branch by their elements. The last block overlaps the one before it; fewer windows than the smallest are copied.
template <int64_t block = 8, class T>
void max_pairs(const T* x, int64_t w, int64_t row, int64_t n, int64_t base, T* y, int64_t* index) {
  if constexpr (block > 4)
    if (n < block) return max_pairs<4>(x, w, row, n, base, y, index);
  const T *upper = x + row * w, *lower = upper + w;
  const int64_t first = row * w + base;
  if (n >= block) {
    for (int64_t j = 0; j < n; j += block) {
      const int64_t at = std::min(j, n - block);
      take_squares<block>(upper + 2 * at, lower + 2 * at, first + 2 * at, w, y + at, index + at);
    }
    return;
  }
  T above[2 * block], below[2 * block], best[block];
  int64_t at[block];
  for (int64_t j = 0; j < 2 * block; ++j) above[j] = j < 2 * n ? upper[j] : T(0);
  for (int64_t j = 0; j < 2 * block; ++j) below[j] = j < 2 * n ? lower[j] : T(0);
  take_squares<block>(above, below, first, w, best, at);
  for (int64_t j = 0; j < block; ++j)
    if (j < n) y[j] = best[j];
  for (int64_t j = 0; j < block; ++j)
    if (j < n) index[j] = at[j];
}

/// Whether extrema of columns come first: for windows of equal shares, and for few that do not overlap.
bool by_columns(const PoolDim& across) {
  return across.kernel == 0 || (across.to < 8 && across.to * across.kernel <= across.from);
}

/// What rows of the input have of each window of a row, kept as long as windows of later rows meet them. A row is
/// copied between the lowest numbers, so that all windows are whole, and there are as many as fill vectors.
template <class T>
class RowExtrema {
 public:
  using C = compute_t<T>;
  explicit RowExtrema(const Pooling& p)
      : across_(p.across),
        single_(p.deep.kernel == 1 && p.down.kernel == 1),
        width_((p.out.w + 15) / 16 * 16),
        length_(std::max<int64_t>(1, (width_ - 1) * across_.stride + (across_.kernel - 1) * across_.dilation + 1)),
        rows_(size_t(std::max<int64_t>(1, (p.down.kernel - 1) * p.down.dilation + 1)), -1),
        best_(std::max(width_ * int64_t(rows_.size()), p.in.w)),
        at_(std::max(width_ * int64_t(rows_.size()), p.in.w)),
        firsts_(width_),
        line_(length_) {
    for (int64_t j = 0; j < width_; ++j) firsts_[j] = int32_t(across_.first(j));
    std::fill(line_.get(), line_.get() + length_, lowest<C>);
  }
  /// Windows that fill vectors: so many extrema update() changes.
  int64_t width() const { return width_; }
  /// Extrema of windows of which no element was seen, in rows from offset `first` on.
  void begin(int64_t first, C* best, int32_t* at) const {
    const int32_t* firsts = firsts_.get();
    for (int64_t j = 0; j < width_; ++j) best[j] = lowest<C>;
    for (int64_t j = 0; j < width_; ++j) at[j] = int32_t(first) + firsts[j];
  }
  /// Extrema of the windows in row (a, i) of the results. Of several rows those of columns come first, which
  /// vectorises.
  void find_by_columns(const T* x, const Pooling& p, int64_t a, int64_t i, C* best, int32_t* at) {
    const int64_t first = p.first_row(a, i), w = across_.from;
    auto each_window = [&](auto element) {
      for (int64_t j = 0; j < across_.to; ++j) {
        const int64_t end = std::min(across_.end(j), w);
        best[j] = lowest<C>, at[j] = int32_t(first + firsts_[j]);
        for (int64_t v = firsts_[j]; v < end; v += across_.dilation) element(v, best[j], at[j]);
      }
    };
    if (p.in.d * p.in.h == 1 && first == 0)
      return each_window([&](int64_t v, C& b, int32_t& k) { take(C(x[v]), int32_t(v), b, k); });
    C* const __restrict column = best_.get();
    int32_t* const __restrict index = at_.get();
    for (int64_t v = 0; v < w; ++v) column[v] = lowest<C>, index[v] = int32_t(first + v);
    p.each_row(a, i, [&](int64_t row) { take_row<1>(x + row, 1, int32_t(row), w, column, index); });
    each_window([&](int64_t v, C& b, int32_t& k) { join(column[v], index[v], b, k); });
  }
  void forget() { std::fill(rows_.begin(), rows_.end(), -1); }
  /// Updates extrema by row number `row` of x.
  void update(const T* x, int64_t row, C* __restrict best, int32_t* __restrict at) {
    const int32_t first = int32_t(row * across_.from);
    if (single_) return find(x + first, first, best, at);
    const size_t slot = size_t(row) % rows_.size();
    C* const __restrict b = best_.get() + int64_t(slot) * width_;
    int32_t* const __restrict a = at_.get() + int64_t(slot) * width_;
    if (std::exchange(rows_[slot], row) != row) find(x + first, 0, b, a);
    const int64_t n = width_;
    for (int64_t j = 0; j < n; ++j) take(b[j], first + a[j], best[j], at[j]);
  }

 private:
  /// Extrema of windows in one row. `start`: the index of its first element.
  void find(const T* row, int32_t start, C* best, int32_t* at) {
    const int64_t pad = across_.padding, n = std::min(across_.from, length_ - pad);
    for (int64_t v = 0; v < n; ++v) line_[pad + v] = C(row[v]);
    begin(start, best, at);
    for (int64_t q = 0; q < across_.kernel; ++q) {
      const C* from = line_.get() + q * across_.dilation;
      const auto first = int32_t(start + q * across_.dilation - pad);
      if (across_.stride == 1)
        take_row<1>(from, 1, first, width_, best, at);
      else if (across_.stride == 2)
        take_row<2>(from, 2, first, width_, best, at);
      else
        take_row<0>(from, across_.stride, first, width_, best, at);
    }
  }

  const PoolDim across_;
  const bool single_;  // windows have elements of one row
  const int64_t width_, length_;
  std::vector<int64_t> rows_;  // by slot: which row is in it; -1: none
  Buffer<C> best_;
  Buffer<int32_t> at_, firsts_;
  Buffer<C> line_;
};

// Whether windows lie side by side along a dim, two elements each, all inside.
bool side_by_side(const PoolDim& d) {
  return d.kernel == 2 && d.stride == 2 && !d.padding && d.dilation == 1 && 2 * d.to <= d.from;
}
// The same by two rows of the input at once, for windows of 2 x 2 elements side by side.
template <class T, class C>
void take_pairs(const T* x, int64_t w, int64_t row, int64_t n, C* best, int32_t* at) {
  const T *top = x + row, *low = top + w;
  for (int64_t j = 0; j < n; ++j) {
    C b = best[j];
    int32_t i = at[j];
    take(C(top[2 * j]), int32_t(row + 2 * j), b, i);
    take(C(top[2 * j + 1]), int32_t(row + 2 * j + 1), b, i);
    take(C(low[2 * j]), int32_t(row + w + 2 * j), b, i);
    take(C(low[2 * j + 1]), int32_t(row + w + 2 * j + 1), b, i);
    best[j] = b, at[j] = i;
  }
}

template <class T, class C>
void write_row(const C* __restrict best, const int32_t* __restrict at, int64_t n, int64_t base, T* __restrict y,
               int64_t* __restrict index) {
  for (int64_t j = 0; j < n; ++j) y[j] = T(best[j]);
  for (int64_t j = 0; j < n; ++j) index[j] = at[j] + base;
}

// One plane; `best` and `at` have room for as many results as `rows` changes at once.
template <class T>
void max_plane(const T* x, const Pooling& p, int64_t base, T* y, int64_t* index, compute_t<T>* best, int32_t* at,
               RowExtrema<T>& rows) {
  const PoolDim& deep = p.deep;
  rows.forget();
  const bool pairs = side_by_side(p.down) && side_by_side(p.across);
  for (int64_t a = 0; a < p.out.d; ++a)
    for (int64_t i = 0; i < p.out.h; ++i, y += p.out.w, index += p.out.w) {
      if (pairs && deep.kernel == 1 && !deep.padding) {
        max_pairs(x, p.in.w, deep.begin(a) * p.in.h + 2 * i, p.out.w, base, y, index);
        continue;
      }
      if (by_columns(p.across)) {
        rows.find_by_columns(x, p, a, i, best, at);
        write_row(best, at, p.out.w, base, y, index);
        continue;
      }
      // the index of a window without an element above the lowest value: its first element
      rows.begin(p.first_row(a, i), best, at);
      if (pairs)
        for (int64_t z = deep.first(a); z < std::min(deep.end(a), p.in.d); z += deep.dilation)
          take_pairs(x, p.in.w, (z * p.in.h + 2 * i) * p.in.w, p.out.w, best, at);
      else
        p.each_row(a, i, [&](int64_t row) { rows.update(x, row / p.in.w, best, at); });
      write_row(best, at, p.out.w, base, y, index);
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
    const int64_t first = p.first_row(a, i) + p.across.first(j), end = std::min(p.across.end(j), p.in.w);
    for (int64_t c = 0; c < channels; ++c) best[c] = lowest<compute_t<T>>, at[c] = int32_t(first);
    p.each_row(a, i, [&](int64_t row) {
      for (int64_t v = p.across.first(j); v < end; v += p.across.dilation) {
        const T* from = x + (row + v) * all;
        for (int64_t c = 0; c < channels; ++c) take(compute_t<T>(from[c]), int32_t(row + v), best[c], at[c]);
      }
    });
    for (int64_t c = 0; c < channels; ++c) y[r * all + c] = T(best[c]), index[r * all + c] = at[c] + base;
  }
}

template <int64_t step, class T, class C>
void take_largest(const T* __restrict x, int64_t any_step, int64_t n, C* __restrict best) {
  const int64_t s = step ? step : any_step;
  for (int64_t j = 0; j < n; ++j) {
    const C v = C(x[j * s]);
    best[j] = (v > best[j]) | (v != v) ? v : best[j];
  }
}
// The largest elements of one plane alone; `best` has room for a row of wider results.
template <class T>
void largest_plane(const T* x, const Pooling& p, T* y, compute_t<T>* best) {
  const PoolDim& across = p.across;
  auto take_row_of = [&across](const T* row, compute_t<T>* to) {
    for (int64_t q = 0; q < across.kernel; ++q) {
      const int64_t at = q * across.dilation - across.padding, s = across.stride;
      const int64_t begin = at < 0 ? (s - 1 - at) / s : 0;  // the first window whose element q is inside, and the end
      const int64_t n = (across.from - at > 0 ? std::min(across.to, (across.from - at - 1) / s + 1) : 0) - begin;
      const T* from = row + at + begin * s;
      if (s == 1)
        take_largest<1>(from, s, n, to + begin);
      else if (s == 2)
        take_largest<2>(from, s, n, to + begin);
      else if (s == 4)
        take_largest<4>(from, s, n, to + begin);
      else
        take_largest<0>(from, s, n, to + begin);
    }
  };
  for (int64_t a = 0; a < p.out.d; ++a)
    for (int64_t i = 0; i < p.out.h; ++i, y += p.out.w) {
      if constexpr (std::is_same_v<T, compute_t<T>>) best = y;
      std::fill(best, best + p.out.w, lowest<compute_t<T>>);
      p.each_row(a, i, [&](int64_t row) { take_row_of(x + row, best); });
      if constexpr (!std::is_same_v<T, compute_t<T>>)
        for (int64_t j = 0; j < p.out.w; ++j) y[j] = T(best[j]);
    }
}

template <class T>
void max_nhwc(const T* x, const Pooling& p, int64_t base, T* y, int64_t* index) {
  each_block(p.in, [&](int64_t n, int64_t c, int64_t channels) {
    const int64_t at = n * p.out.area() * p.out.channels + c;
    max_channels(x + n * p.in.area() * p.in.channels + c, p, channels, base, y + at, index + at);
  });
}
// t, of `planes` planes, with each plane as a channel of NHWC memory; and back.
Tensor as_channels(const Tensor& t, int64_t planes) {
  const int64_t area = t.numel() / planes;
  return dense_copy(Tensor::alias(t.storage(), {area, planes}, {1, area}, t.offset(), t.dtype()));
}
void from_channels(Tensor& t, const Tensor& channels) {
  const int64_t area = channels.shape()[0], planes = channels.shape()[1];
  Tensor turned = Tensor::alias(t.storage(), {area, planes}, {1, area}, t.offset(), t.dtype());
  copy_elements(turned, channels);
}
// Whether rows are so short that planes as channels are quicker.
bool has_short_rows(const Pooling& p) {
  return p.in.w < 16 && p.in.count >= 16 && by_columns(p.across) && !(side_by_side(p.down) && side_by_side(p.across));
}

void max_pool(const ops::MaxPool& op, Tensor& y, Tensor& indices, const Strided& input) {
  if (y.numel() == 0) return;
  Pooling p(op.windows, y);
  if (op.windows.dims() == 2 && p.out.area() == 1 && only_channels_last(input))
    p.last = true;  // one pixel is in either order
  const Tensor x = laid(input, p.last);
  int64_t* index = indices.data<int64_t>();
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data<T>();
    T* to = y.data<T>();
    if (!op.positions)
      return each_plane(p.in, [&](int64_t begin, int64_t end) {
        Buffer<compute_t<T>> best(p.out.w);
        for (int64_t i = begin; i < end; ++i)
          largest_plane(from + i * p.in.area(), p, to + i * p.out.area(), best.get());
      });
    if (p.last) return max_nhwc(from, p, op.base, to, index);
    if (has_short_rows(p)) {
      const int64_t planes = p.in.channels = p.out.channels = p.in.count;
      const Tensor turned = as_channels(x, planes);
      Tensor best = Tensor::empty({p.out.area(), planes}, y.dtype(), y.device());
      Tensor at = Tensor::empty({p.out.area(), planes}, Dtype::i64, y.device());
      max_nhwc(static_cast<const T*>(turned.data<T>()), p, op.base, best.data<T>(), at.data<int64_t>());
      return from_channels(y, best), from_channels(indices, at);
    }
    each_plane(p.in, [&](int64_t begin, int64_t end) {
      RowExtrema<T> rows(p);
      Buffer<compute_t<T>> best(rows.width());
      Buffer<int32_t> at(rows.width());
      for (int64_t i = begin; i < end; ++i)
        max_plane(from + i * p.in.area(), p, op.base, to + i * p.out.area(), index + i * p.out.area(), best.get(),
                  at.get(), rows);
    });
  });
}

void pick(const ops::MaxPoolPick& op, Tensor& y, const Strided& x, const Strided& indices) {
  with_indices(op.forward, y, x, indices, []<class T>(const Pooling& p, const PoolIndices& at, const T* from, T* to) {
    const int64_t step = p.last ? p.in.channels : 1, area = p.in.area();
    auto one = [&](const T* plane, int64_t start) {  // results of one plane
      for (int64_t r = 0; r < p.out.area(); ++r) {
        const int64_t i = at.inside(r) ? at.position(start + r * step) : -1;
        to[start + r * step] = i >= 0 ? plane[i * step] : T(0);
      }
    };
    each_plane(p.in, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t n = i / p.in.channels, c = i % p.in.channels;
        if (p.last)
          one(from + n * area * step + c, n * p.out.area() * step + c);
        else
          one(from + i * area, i * p.out.area());
      }
    });
  });
}

// sums[plane] = the gradients whose indices name its elements, added in the order of the results; `first`: offset of
// the plane's results.
template <class T>
void add_plane(const T* grad, const PoolIndices& at, int64_t first, int64_t n, compute_t<T>* sums) {
  std::memset(static_cast<void*>(sums), 0, size_t(at.area) * sizeof(*sums));
  auto add = [&](auto inside) {
    for (int64_t r = 0; r < n; ++r)
      if (const int64_t i = at.position(first + r); i >= 0 && inside(r)) sums[i] += compute_t<T>(grad[first + r]);
  };
  if (at.outside.empty())
    add([](int64_t) { return true; });
  else
    add([&](int64_t r) { return at.inside(r); });
}

// The same for `channels` neighbouring channels of an NHWC sample.
template <class T>
void add_channels(const T* grad, const PoolIndices& at, int64_t first, const Pooling& p, int64_t channels, T* y) {
  using C = compute_t<T>;
  const int64_t area = p.in.area(), all = p.in.channels;
  Buffer<C> sums(area * channels);
  std::memset(static_cast<void*>(sums.get()), 0, size_t(area * channels) * sizeof(C));
  for (int64_t r = 0; r < p.out.area(); ++r) {
    if (!at.inside(r)) continue;
    for (int64_t k = first + r * all, c = 0; c < channels; ++c, ++k)
      if (const int64_t i = at.position(k); i >= 0) sums[i * channels + c] += C(grad[k]);
  }
  for (int64_t r = 0; r < area; ++r)
    for (int64_t k = 0; k < channels; ++k) y[r * all + k] = T(sums[r * channels + k]);
}

void max_pool_grad(const ops::MaxPoolGrad& op, Tensor& dx, const Strided& grad, const Strided& indices) {
  with_indices(
      op.forward, dx, grad, indices, []<class T>(const Pooling& p, const PoolIndices& at, const T* from, T* to) {
        const int64_t small = p.out.area(), large = p.in.area();
        if (p.last)
          return each_block(p.in, [&](int64_t n, int64_t c, int64_t channels) {
            add_channels(from, at, n * small * p.in.channels + c, p, channels, to + n * large * p.in.channels + c);
          });
        each_plane(p.in, [&](int64_t begin, int64_t end) {
          Buffer<compute_t<T>> sums(is_half<T> ? large : 0);
          for (int64_t i = begin; i < end; ++i) {
            T* plane = to + i * large;
            if constexpr (is_half<T>) {
              add_plane(from, at, i * small, small, sums.get());
              for (int64_t r = 0; r < large; ++r) plane[r] = T(sums[r]);
            } else {
              add_plane(from, at, i * small, small, plane);
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
