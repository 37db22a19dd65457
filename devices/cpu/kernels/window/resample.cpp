// Linear maps along up to three dims. Where elements are only selected, runs are copied. Else a row of the result is
// the weighted sum of rows of the input, which vectorises, and then mapped along the last dim.
#include "core/ops/window/resample_layout.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/threads.h"
#include "devices/cpu/kernels/common/copy_short.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

using ops::AxisMap;
constexpr int64_t range_elements = 32768;

/// A run of elements of the result that is a run of the input; from < 0: it is filled with the value.
struct Run {
  int64_t to, from, count;
};
/// One dim of a selection: a map, or a padding.
struct Source {
  const AxisMap& map;
  ops::PadDim pad;
  bool padded;
  int64_t from() const { return padded ? pad.from : map.from; }
  int64_t to() const { return padded ? pad.to : map.to; }
  /// The element that element i of the result is, or -1.
  int64_t at(int64_t i) const {
    if (padded) return pad.at(i);
    const int32_t k = map.start[size_t(i)];
    return k < map.start[size_t(i) + 1] ? map.index[size_t(k)] : -1;
  }
  std::vector<int64_t> all() const {
    std::vector<int64_t> sources;
    for (int64_t i = 0; i < to(); ++i) sources.push_back(at(i));
    return sources;
  }
  std::vector<Run> runs() const {
    std::vector<Run> all;
    for (int64_t i = 0; i < to(); ++i) {
      const int64_t from = at(i);
      if (padded && i == std::max<int64_t>(pad.before, 0) && i - pad.before < pad.from) {  // the middle, in one go
        all.push_back({i, from, std::min(to(), pad.before + pad.from) - i});
        i += all.back().count - 1;
        continue;
      }
      Run* last = all.empty() ? nullptr : &all.back();
      if (last && (from < 0 ? last->from < 0 : last->from >= 0 && last->from + last->count == from))
        ++last->count;
      else
        all.push_back({i, from, 1});
    }
    return all;
  }
};

// Calls f in parallel with ranges of rows of the result: [outer, a, b], of `row` elements each.
template <class F>
void each_row(int64_t rows, int64_t row, F&& f) {
  parallel_for(rows, std::max<int64_t>(1, range_elements / std::max<int64_t>(1, row)), f);
}

template <class U>
void copy_row(const std::vector<Run>& runs, int64_t inner, const U* x, U fill, U* y) {
  for (const Run& r : runs) {
    U* to = y + r.to * inner;
    const int64_t n = r.count * inner;
    if (r.from < 0)
      std::fill(to, to + n, fill);
    else if (n < 8)
      for (int64_t i = 0; i < n; ++i) to[i] = x[r.from * inner + i];
    else
      copy_short<8 * sizeof(U)>(to, x + r.from * inner, n * int64_t(sizeof(U)));
  }
}

/// How a row of the result is taken from one of the input: long runs, and single elements for what is short and has no
/// neighbouring channels.
struct RowPick {
  std::vector<Run> runs, edges;  // an edge is a run of one element
  std::vector<int32_t> singly;   // where most runs are short: the source of each element instead
  bool holes = false;

  RowPick(const Source& c, int64_t inner) : runs(c.runs()) {
    if (inner > 1) return;
    if (int64_t(runs.size()) * 4 > c.to()) {
      const std::vector<int64_t> sources = c.all();
      singly.assign(sources.begin(), sources.end());
      holes = std::any_of(singly.begin(), singly.end(), [](int32_t i) { return i < 0; });
      return;
    }
    for (const Run& r : std::exchange(runs, {}))
      if (r.count >= 8)
        runs.push_back(r);
      else
        for (int64_t k = 0; k < r.count; ++k) edges.push_back({r.to + k, r.from < 0 ? r.from : r.from + k, 1});
  }
  template <class U>
  void copy(int64_t inner, const U* from, U fill, U* to) const {
    if (singly.empty()) {
      copy_row(runs, inner, from, fill, to);
      for (const Run& e : edges) to[e.to] = e.from < 0 ? fill : from[e.from];
    } else if (holes) {
      for (size_t k = 0; k < singly.size(); ++k) to[k] = singly[k] < 0 ? fill : from[singly[k]];
    } else {
      for (size_t k = 0; k < singly.size(); ++k) to[k] = from[singly[k]];
    }
  }
};

template <class U>
void pick(const ops::ResamplePlan& p, const U* x, U fill, U* y) {
  const Source a{p.maps[0], p.pad[0], p.pads}, b{p.maps[1], p.pad[1], p.pads}, c{p.maps[2], p.pad[2], p.pads};
  const RowPick row(c, p.inner);
  const std::vector<int64_t> planes = a.all(), rows = b.all();
  each_row(p.outer * a.to() * b.to(), c.to() * p.inner, [&, inner = p.inner](int64_t begin, int64_t end) {
    const int64_t as = a.to(), bs = b.to(), in_row = c.from() * inner, out_row = c.to() * inner;
    const int64_t in_plane = b.from() * in_row, in_image = a.from() * in_plane;
    int64_t i = begin / bs % as, j = begin % bs;
    const U* image = x + begin / (as * bs) * in_image;
    U* to = y + begin * out_row;
    for (int64_t r = begin; r < end; ++r, to += out_row) {
      if (planes[size_t(i)] < 0 || rows[size_t(j)] < 0)
        std::fill(to, to + out_row, fill);
      else
        row.copy(inner, image + planes[size_t(i)] * in_plane + rows[size_t(j)] * in_row, fill, to);
      if (++j < bs) continue;
      j = 0;
      if (++i == as) i = 0, image += in_image;
    }
  });
}

/// A map of the last dim, of `inner` neighbours each, with weights of compute type. `two`: neighbours are few, and
/// every element is the sum of at most two, whose indices are in `first` and `second`.
template <class C>
struct LastMap {
  const AxisMap& map;
  std::vector<C> weight;
  bool two;
  std::vector<int32_t> first, second;
  std::vector<C> w_first, w_second;

  LastMap(const AxisMap& m, int64_t inner) : map(m), two(inner <= 8 && m.from * inner <= INT32_MAX) {
    for (double w : m.weight) weight.push_back(C(w));
    for (int64_t i = 0; i < m.to; ++i) {
      const int32_t k = m.start[size_t(i)], n = m.start[size_t(i) + 1] - k;
      two = two && n >= 1 && n <= 2;
      if (!two) break;
      // a single one is divided: 0 times an infinity would be nan
      const C b = n == 2 ? weight[size_t(k) + 1] : weight[size_t(k)] / 2, a = weight[size_t(k)] - (n == 2 ? C(0) : b);
      for (int32_t c = 0; c < inner; ++c) {
        first.push_back(m.index[size_t(k)] * int32_t(inner) + c), w_first.push_back(a);
        second.push_back(m.index[size_t(k + n - 1)] * int32_t(inner) + c), w_second.push_back(b);
      }
    }
  }
  template <class T>
  void apply_two(const C* row, T* y) const {
    const int32_t *i = first.data(), *j = second.data();
    const C *u = w_first.data(), *v = w_second.data();
    for (size_t k = 0; k < first.size(); ++k) y[k] = T(row[i[k]] * u[k] + row[j[k]] * v[k]);
  }
  template <class T>
  void apply(const C* row, T* y) const {
    for (int64_t i = 0; i < map.to; ++i) {
      C sum = 0;
      for (int32_t k = map.start[size_t(i)]; k < map.start[size_t(i) + 1]; ++k)
        sum += row[map.index[size_t(k)]] * weight[size_t(k)];
      y[i] = T(sum);
    }
  }
  /// The same for `inner` neighbours at once; `sums` has room for them.
  template <class T>
  void apply(const C* row, int64_t inner, C* sums, T* y) const {
    for (int64_t i = 0; i < map.to; ++i, y += inner) {
      std::fill(sums, sums + inner, C(0));
      for (int32_t k = map.start[size_t(i)]; k < map.start[size_t(i) + 1]; ++k) {
        const C* from = row + map.index[size_t(k)] * inner;
        const C w = weight[size_t(k)];
        for (int64_t c = 0; c < inner; ++c) sums[c] += from[c] * w;
      }
      for (int64_t c = 0; c < inner; ++c) y[c] = T(sums[c]);
    }
  }
};

template <class T>
void weighted_sums(const ops::ResamplePlan& p, const T* x, T* y) {
  using C = compute_t<T>;
  const AxisMap &a = p.maps[0], &b = p.maps[1], &c = p.maps[2];
  const LastMap<C> last(c, p.inner);
  const int64_t in_row = c.from * p.inner, out_row = c.to * p.inner;
  each_row(p.outer * a.to * b.to, std::max(in_row, out_row), [&](int64_t begin, int64_t end) {
    Buffer<C> row(in_row), sums(p.inner);
    for (int64_t r = begin; r < end; ++r) {
      const size_t i = size_t(r / b.to % a.to), j = size_t(r % b.to);
      const T* image = x + r / (a.to * b.to) * a.from * b.from * in_row;
      std::fill(row.get(), row.get() + in_row, C(0));
      for (int32_t k = a.start[i]; k < a.start[i + 1]; ++k)
        for (int32_t l = b.start[j]; l < b.start[j + 1]; ++l) {
          const T* from = image + (int64_t(a.index[size_t(k)]) * b.from + b.index[size_t(l)]) * in_row;
          const C w = C(a.weight[size_t(k)] * b.weight[size_t(l)]);
          C* to = row.get();
          for (int64_t e = 0; e < in_row; ++e) to[e] += C(from[e]) * w;
        }
      if (last.two)
        last.apply_two(row.get(), y + r * out_row);
      else if (p.inner == 1)
        last.apply(row.get(), y + r * out_row);
      else
        last.apply(row.get(), p.inner, sums.get(), y + r * out_row);
    }
  });
}

template <class U>
U bits_of(const Scalar& value, Dtype d) {
  const Tensor t = Tensor::scalar(value, d);
  return *static_cast<const U*>(t.raw());
}

template <class Op>
void resample(const Op& op, Tensor& y, const Strided& input) {
  if (y.numel() == 0) return;
  const ops::ResampleLayout in(op, y, input);
  if (in.plan.picks)
    by_size(y.dtype(), [&]<class U>(Type<U>) {
      pick(in.plan, static_cast<const U*>(in.x.raw()), bits_of<U>(in.plan.value, y.dtype()), static_cast<U*>(y.raw()));
    });
  else
    dispatch(Types<float, double, half, bfloat16, int64_t>{}, y.dtype(),
             [&]<class T>(Type<T>) { weighted_sums(in.plan, in.x.data<T>(), y.data<T>()); });
}

const Kernel<resample<ops::PadNd>> pad_;
const Kernel<resample<ops::InterpolateNd>> interpolate_;
const Kernel<resample<ops::UnfoldNd>> unfold_;

}  // namespace
}  // namespace luth::cpu
