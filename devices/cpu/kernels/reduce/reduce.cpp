// Reductions on the CPU. The reduced dims become one axis {outer, n, inner}, by a copy where rows or columns do not lie
// at one distance. Sums have 64 lanes within blocks and are in double across blocks, products keep theirs across
// blocks. Chunks depend on the shape alone, and their results are combined in order.
#include "core/ops/reduce/reduce.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/reduce/statistics.h"
#include "core/ops/shape/view.h"
#include "devices/cpu/kernels/common/convert.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/loops.h"
#include "devices/cpu/kernels/common/vector.h"

namespace luth::cpu {
namespace {

constexpr int64_t lanes = 32, block = 512, tile = 512, long_row = 65536;

/// A tensor of elements (o, i, k), which lie o * apart + i * step + k from the first; i is what is reduced.
struct Slices : Axis {
  int64_t apart, step;
  explicit Slices(const Axis& a) : Axis(a), apart(a.n * a.inner), step(a.inner) {}
};
// A tensor whose reduced dims are one axis.
struct Reduced {
  Tensor x;
  Slices a;
};
/// The stride of dims [from, to) as one dim, 1 where they have one element; none if they are not one.
std::optional<int64_t> joint_stride(const Tensor& t, int from, int to) {
  int64_t innermost = 0, extent = 1;
  for (int i = to - 1; i >= from; --i) {
    if (t.shape()[i] == 1) continue;
    if (extent == 1) innermost = t.strides()[i];
    if (t.strides()[i] != innermost * extent) return {};
    extent *= t.shape()[i];
  }
  return extent == 1 ? 1 : innermost;
}
/// t with its dims as they lie in memory, if the kept ones stay in their order; `mask` goes with them.
Tensor in_memory_order(const Tensor& t, uint32_t& mask) {
  if (t.is_contiguous()) return t;
  Ints order;
  for (int i = 0; i < t.dim(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return t.strides()[a] > t.strides()[b]; });
  uint32_t moved = 0;
  int64_t kept = -1;
  for (int i = 0; i < t.dim(); ++i)
    if (mask >> order[i] & 1)
      moved |= 1u << i;
    else if (order[i] < std::exchange(kept, order[i]))
      return t;
  mask = moved;
  NoGrad no_grad;
  return permute(t, {order});
}
Reduced as_one_axis(const Tensor& given, uint32_t mask) {
  const Tensor t = in_memory_order(given, mask);
  const uint32_t all = (1u << t.dim()) - 1;
  if ((mask & all) == all && t.is_contiguous()) return {t, Slices({1, t.numel(), 1})};
  int first = max_dims, last = -1;
  for (int i = 0; i < t.dim(); ++i)
    if (mask >> i & 1 && t.shape()[i] != 1) first = std::min(first, i), last = i;
  if (last < 0) first = t.dim(), last = first - 1;
  bool neighbours = true;
  for (int i = first; i <= last; ++i) neighbours = neighbours && (mask >> i & 1 || t.shape()[i] == 1);
  Tensor x = t;
  if (!neighbours) {  // the kept dims first, the reduced ones last
    NoGrad no_grad;
    Ints order;
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < t.dim(); ++i)
        if (int(mask >> i & 1) == pass) order.push_back(i);
    x = permute(t, {order});
    int kept = t.dim() - __builtin_popcount(mask & all);
    first = kept, last = t.dim() - 1;
  }
  Axis a{1, 1, 1};
  for (int i = 0; i < x.dim(); ++i) (i < first ? a.outer : i <= last ? a.n : a.inner) *= x.shape()[i];
  Slices slices(a);
  if (x.is_contiguous()) return {x, slices};
  const auto apart = joint_stride(x, 0, first), step = joint_stride(x, first, last + 1),
             next = joint_stride(x, last + 1, x.dim());
  if (apart && step && next && (a.inner == 1 ? *step : *next) == 1)
    slices.apart = *apart, slices.step = *step;
  else
    x = dense_copy(x);
  return {x, slices};
}

// Reductions: `Lane` is the type of totals inside a block, `Total` that across blocks; step() adds an element to a
// lane, fold() a lane to a total. Where any_order, the result does not depend on the order of elements and lanes.
template <class C, int identity>
struct Accumulates {
  static constexpr bool any_order = false;
  using Lane = std::conditional_t<std::is_floating_point_v<C>, C, int64_t>;
  using Total = std::conditional_t<std::is_floating_point_v<C>, double, int64_t>;
  /// A lane that goes on from a total.
  static constexpr Lane lane(Total = identity) { return identity; }
  static constexpr Total total() { return identity; }
};
template <class C>
struct Adds : Accumulates<C, 0> {
  using typename Accumulates<C, 0>::Lane, typename Accumulates<C, 0>::Total;
  static Lane step(Lane l, C x) { return l + Lane(x); }
  static Total fold(Total t, Total l) { return t + l; }
};
/// A nan counts as 0.
template <class C>
struct AddsNumbers : Adds<C> {
  static C step(C l, C x) { return l + (x == x ? x : C(0)); }
};
template <class C>
struct AddsSquares : Adds<C> {
  static C step(C l, C x) { return l + x * x; }
};
template <class C>
struct Multiplies : Accumulates<C, 1> {
  using typename Accumulates<C, 1>::Lane, typename Accumulates<C, 1>::Total;
  /// A product of 0 stays there: to pass numbers near 0 takes long.
  static constexpr Lane lane(Total t = 1) { return t == 0 ? 0 : 1; }
  static Lane step(Lane l, C x) { return l * Lane(x); }
  static Total fold(Total t, Total l) { return t * l; }
};
template <class C>
struct Largest {
  static constexpr bool any_order = true;
  using Lane = C;
  using Total = C;
  static constexpr C lane(C = 0) {
    return std::is_floating_point_v<C> ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
  }
  static constexpr C total() { return lane(); }
  static C step(C l, C x) { return (x > l) | (x != x) ? x : l; }
  static C fold(C t, C l) { return step(t, l); }
  static bool beats(C l, C x) { return !(x <= l) & (l == l); }  // no element is better than a nan
};
template <class C>
struct Smallest {
  static constexpr bool any_order = true;
  using Lane = C;
  using Total = C;
  static constexpr C lane(C = 0) {
    return std::is_floating_point_v<C> ? std::numeric_limits<C>::infinity() : std::numeric_limits<C>::max();
  }
  static constexpr C total() { return lane(); }
  static C step(C l, C x) { return (x < l) | (x != x) ? x : l; }
  static C fold(C t, C l) { return step(t, l); }
  static bool beats(C l, C x) { return !(x >= l) & (l == l); }
};

/// Elements from x on in compute type C: x itself, or `count` 16-bit floats as float.
template <int64_t count, class C, class T>
struct Computed {
  const T* x;
  Computed(const T* from, int64_t) : x(from) {}
  C operator[](int64_t i) const { return static_cast<C>(x[i]); }
};
template <int64_t count, class T>
requires is_half<T>
struct Computed<count, float, T> {
  float x[count];
  Computed(const T* from, int64_t n) { convert_row(from, x, n); }
  float operator[](int64_t i) const { return x[i]; }
};

/// The fold of 2 * half totals, register by register: by joined() of rows.h, sums of rows of 100 bools take 1.5 times
/// as long.
template <class R, int half, class Total>
[[gnu::always_inline]] inline Total joined(Total* total) {
  each_lane<half, Total>([total](int k) { total[k] = R::fold(total[k], total[half + k]); });
  if constexpr (half > 1) return joined<R, half / 2>(total);
  return total[0];
}

/// t and elements [i, n) of x, one by one.
template <class R, class X>
typename R::Total added(typename R::Total t, const X& x, int64_t i, int64_t n) {
  for (; i < n; ++i) t = R::fold(t, typename R::Total(R::step(R::lane(), x[i])));
  return t;
}

/// Totals of a register: more would pass through memory.
template <class Total>
inline constexpr int totals = vector_bytes / int(sizeof(Total));
/// Rows of fewer elements are added up in totals, not in lanes, which would take longer to join.
template <class R>
inline constexpr int64_t short_row = R::any_order ? lanes : 4 * lanes;
/// And those of fewer in one: a loop over few integers is vectorised as it is, halves come through memory, and short
/// registers gain less.
template <class T>
inline constexpr int64_t shortest_row = std::is_floating_point_v<T> ? 512 / vector_bytes
                                        : is_half<T>                ? 1024 / vector_bytes
                                                                    : lanes + 1;

template <class R, class C, class T>
typename R::Total reduce_short_row(const T* given, int64_t n) {
  using Total = typename R::Total;
  constexpr int width = totals<Total>;
  const Computed<short_row<R>, C, T> x(given, n);
  Total part[width];
  std::fill_n(part, width, R::total());
  int64_t i = 0;
  for (; i + width <= n; i += width)
    each_lane<width, Total>([&](int k) { part[k] = R::fold(part[k], Total(R::step(R::lane(), x[i + k]))); });
  return added<R>(joined<R, width / 2>(part), x, i, n);
}

/// Products have lanes across blocks, too, so that each passes the numbers near 0 at most once.
template <class R, class C, class T>
typename R::Total product_of_row(const T* x, int64_t n) {
  using Lane = typename R::Lane;
  using Total = typename R::Total;
  constexpr int64_t width = 2 * lanes, few = 32 * width;
  Total total[width];
  std::fill_n(total, width, R::total());
  for (int64_t i = 0; i < n;) {
    Lane lane[width];
    each_lane<width, Lane>([&](int k) { lane[k] = R::lane(total[k]); });
    for (const int64_t end = std::min(n, i + few); i + width <= end; i += width) {
      const Computed<width, C, T> v(x + i, width);
      each_lane<width, Lane>([&](int k) { lane[k] = R::step(lane[k], v[k]); });
    }
    if (n - i < width) {
      const Computed<width, C, T> v(x + i, n - i);
      for (int64_t k = 0; i < n; ++i, ++k) lane[k] = R::step(lane[k], v[k]);
    }
    each_lane<width, Total>([&](int k) { total[k] = R::fold(total[k], Total(lane[k])); });
  }
  return joined<R, lanes>(total);
}

/// Lanes of a block, and as many more.
template <class R>
struct Lanes {
  using Lane = typename R::Lane;
  Lane lane[lanes], more[lanes];
  Lanes() {
    std::fill_n(lane, lanes, R::lane());
    std::fill_n(more, lanes, R::lane());
  }
  /// Adds elements of [i, end) while there are enough for all lanes, at last for half of them. Returns the next one.
  template <class C, class T>
  [[gnu::always_inline]] int64_t add(const T* x, int64_t i, int64_t end) {
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      const Computed<2 * lanes, C, T> v(x + i, 2 * lanes);
      each_lane<lanes, Lane>([&](int k) { lane[k] = R::step(lane[k], v[k]); });
      each_lane<lanes, Lane>([&](int k) { more[k] = R::step(more[k], v[lanes + k]); });
    }
    if (i + lanes > end) return i;
    const Computed<lanes, C, T> v(x + i, lanes);
    each_lane<lanes, Lane>([&](int k) { lane[k] = R::step(lane[k], v[k]); });
    return i + lanes;
  }
  [[gnu::always_inline]] typename R::Total total() {
    using Total = typename R::Total;
    if constexpr (R::any_order) {
      each_lane<lanes, Lane>([&](int k) { lane[k] = R::step(lane[k], more[k]); });
      return joined<R, lanes / 2>(lane);
    } else {
      constexpr int width = totals<Total>;
      Total part[width];
      std::fill_n(part, width, R::total());
#pragma GCC unroll 16
      for (int g = 0; g < lanes; g += width)
        each_lane<width, Total>(
            [&](int k) { part[k] = R::fold(part[k], R::fold(Total(lane[g + k]), Total(more[g + k]))); });
      return joined<R, width / 2>(part);
    }
  }
};

template <class R, class C, class T>
typename R::Total reduce_row(const T* x, int64_t n) {
  typename R::Total total = R::total();
  if (n < shortest_row<T>) return added<R>(total, Computed<shortest_row<T>, C, T>(x, n), 0, n);
  if (n < short_row<R>) return reduce_short_row<R, C>(x, n);
  if constexpr (std::is_same_v<R, Multiplies<C>>) return product_of_row<R, C>(x, n);
  for (int64_t b = 0; b < n; b += block * lanes) {
    const int64_t end = std::min(n, b + block * lanes);
    Lanes<R> l;
    const int64_t i = l.template add<C>(x, b, end);
    if constexpr (R::any_order) {
      const Computed<lanes, C, T> v(x + i, end - i);
      for (int k = 0; i + k < end; ++k) l.lane[k] = R::step(l.lane[k], v[k]);
    } else if (i < end) {
      total = R::fold(total, reduce_short_row<R, C>(x + i, end - i));
    }
    total = R::fold(total, l.total());
  }
  return total;
}

// `width` (at most `tile`) neighbouring columns of n rows that lie `stride` apart.
template <class R, class C, class T>
void reduce_columns(const T* x, int64_t n, int64_t stride, int64_t width, typename R::Total* total) {
  std::fill_n(total, width, R::total());
  for (int64_t b = 0; b < n; b += block) {
    typename R::Lane lane[tile];
    for (int64_t k = 0; k < width; ++k) lane[k] = R::lane(total[k]);
    const int64_t end = std::min(n, b + block);
    int64_t i = b;
    auto row = [&](int64_t j) { return Computed<tile, C, T>(x + (i + j) * stride, width); };
    for (; i + 4 <= end; i += 4) {  // lanes are loaded and stored once
      const auto first = row(0), second = row(1), third = row(2), fourth = row(3);
      for (int64_t k = 0; k < width; ++k)
        lane[k] = R::step(R::step(R::step(R::step(lane[k], first[k]), second[k]), third[k]), fourth[k]);
    }
    for (; i < end; ++i) {
      const auto a = row(0);
      for (int64_t k = 0; k < width; ++k) lane[k] = R::step(lane[k], a[k]);
    }
    for (int64_t k = 0; k < width; ++k) total[k] = R::fold(total[k], static_cast<typename R::Total>(lane[k]));
  }
}

template <class R, class C, class T, class Store>
void reduce_rows(const T* x, const Slices& a, Store&& store) {
  if (a.n <= long_row || a.outer >= 64) {
    parallel_for(a.outer, std::max<int64_t>(1, grain_elements / std::max<int64_t>(a.n, 1)), [&](int64_t b, int64_t e) {
      for (int64_t o = b; o < e; ++o) store(o, reduce_row<R, C>(x + o * a.apart, a.n));
    });
    return;
  }
  int64_t chunks = (a.n + long_row - 1) / long_row;
  std::vector<typename R::Total> part(a.outer * chunks);
  parallel_for(a.outer * chunks, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      int64_t from = i % chunks * long_row;
      part[i] = reduce_row<R, C>(x + i / chunks * a.apart + from, std::min(long_row, a.n - from));
    }
  });
  for (int64_t o = 0; o < a.outer; ++o) {
    typename R::Total total = R::total();
    for (int64_t k = 0; k < chunks; ++k) total = R::fold(total, part[o * chunks + k]);
    store(o, total);
  }
}

/// Tiles of up to `tile` neighbouring columns, wide ones where there are enough for several threads, as memory is read
/// best: calls f(offset of the first element in x, in the result, columns) for each. `work`: elements of x that are
/// read for a column.
template <class F>
void for_tiles(const Slices& a, int64_t work, F f) {
  const int64_t width = std::clamp<int64_t>(a.outer * a.inner / 512 * 64, 64, tile);
  const int64_t tiles = (a.inner + width - 1) / width;
  const int64_t elements = std::max<int64_t>(1, work * std::min(a.inner, width));
  parallel_for(a.outer * tiles, std::max<int64_t>(1, grain_elements / elements), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t o = i / tiles, from = i % tiles * width;
      f(o * a.apart + from, o * a.inner + from, std::min(width, a.inner - from));
    }
  });
}

/// store(position in the result, total) for every reduced row or column of x.
template <class R, class C, class T, class Store>
void reduce(const T* x, const Slices& a, Store&& store) {
  if (a.inner == 1) return reduce_rows<R, C>(x, a, store);
  for_tiles(a, a.n, [&](int64_t from, int64_t to, int64_t width) {
    typename R::Total total[tile];
    reduce_columns<R, C>(x + from, a.n, a.step, width, total);
    for (int64_t k = 0; k < width; ++k) store(to + k, total[k]);
  });
}

// x in the dtype in which the reduction computes for a result of dtype `result`.
Tensor converted(const Tensor& x, Dtype result) {
  Dtype natural = is_floating(x.dtype()) ? x.dtype() : Dtype::i64;
  if (natural == result) return x;
  NoGrad no_grad;
  return cast_to(x, result);
}
// Calls f(x, a) with the elements of t, a tensor of one of the dtypes in the list, whose reduced dims are axis a.
template <class List, class F>
void with_axis(List list, const Tensor& t, uint32_t mask, F f) {
  const Reduced r = as_one_axis(t, mask);
  dispatch(list, r.x.dtype(), [&]<class T>(Type<T>) { f(static_cast<const T*>(r.x.data<T>()), r.a); });
}
template <template <class> class R>
void accumulate(const Tensor& input, Tensor& y, uint32_t mask) {
  with_axis(AllTypes{}, converted(input, y.dtype()), mask, [&]<class T>(const T* x, const Slices& a) {
    using C = compute_t<T>;
    dispatch(AllTypes{}, y.dtype(), [&]<class Out>(Type<Out>) {
      if constexpr (std::is_same_v<Out, T> || std::is_same_v<Out, int64_t>) {
        Out* out = y.data<Out>();
        reduce<R<C>, C>(x, a, [&](int64_t i, auto total) { out[i] = cast<Out>(total); });
      }
    });
  });
}

void sum(const ops::Sum& op, Tensor& y, const Strided& x) { accumulate<Adds>(x, y, op.dim.mask(x)); }
void prod(const ops::Prod& op, Tensor& y, const Strided& x) {
  accumulate<Multiplies>(x, y, !op.dim ? ~0u : x.dim() ? 1u << wrap_dim(*op.dim, x.dim()) : 0u);
}
/// The sums of a floating tensor, and f of each as result.
template <template <class> class R, class F>
void sum_floats(const auto& op, Tensor& y, const Tensor& input, F f) {
  with_axis(Floats{}, input, op.dim.mask(input), [&]<class T>(const T* x, const Slices& a) {
    using C = compute_t<T>;
    T* out = y.data<T>();
    reduce<R<C>, C>(x, a, [&](int64_t i, double total) { out[i] = cast<T>(f(total)); });
  });
}
void sum_of_numbers(const ops::SumOfNumbers& op, Tensor& y, const Strided& x) {
  sum_floats<AddsNumbers>(op, y, x, [](double total) { return total; });
}
void euclidean_norm(const ops::EuclideanNorm& op, Tensor& y, const Strided& x) {
  sum_floats<AddsSquares>(op, y, x, [](double total) { return std::sqrt(total); });
}
template <template <class> class R>
void extremum(const Tensor& input, Tensor& y, uint32_t mask) {
  with_axis(AllTypes{}, input, mask, [&]<class T>(const T* x, const Slices& a) {
    using C = std::conditional_t<std::is_same_v<T, bool>, uint8_t, compute_t<T>>;
    T* out = y.data<T>();
    reduce<R<C>, C>(x, a, [&](int64_t i, C total) { out[i] = cast<T>(total); });
  });
}
void amax(const ops::Amax& op, Tensor& y, const Strided& x) { extremum<Largest>(x, y, op.dim.mask(x)); }
void amin(const ops::Amin& op, Tensor& y, const Strided& x) { extremum<Smallest>(x, y, op.dim.mask(x)); }

// all: the smallest truth; any: the largest.
template <template <class> class R>
void truth(const Tensor& input, Tensor& y, uint32_t mask) {
  NoGrad no_grad;
  auto [x, a] = as_one_axis(input.dtype() == Dtype::boolean ? input : cast_to(input, Dtype::boolean), mask);
  uint8_t* out = y.data<uint8_t>();
  reduce<R<uint8_t>, uint8_t>(x.data<uint8_t>(), a, [&](int64_t i, uint8_t total) { out[i] = total != 0; });
}
void all(const ops::AllDims& op, Tensor& y, const Strided& x) { truth<Smallest>(x, y, op.dim.mask(x)); }
void any(const ops::AnyDims& op, Tensor& y, const Strided& x) { truth<Largest>(x, y, op.dim.mask(x)); }

// Two passes: the mean, then the squared distances from it, both with sums as above.
template <class C, class T>
void variance_row(const T* x, int64_t n, double divisor, double& result) {
  C mean = C(reduce_row<Adds<C>, C>(x, n) / double(n));
  double total = 0;
  for (int64_t b = 0; b < n; b += block) {
    C lane[lanes] = {};
    int64_t end = std::min(n, b + block), i = b;
    for (; i + lanes <= end; i += lanes)
      each_lane<lanes, C>([&](int k) {
        const C d = static_cast<C>(x[i + k]) - mean;
        lane[k] += d * d;
      });
    for (int64_t k = 0; i < end; ++i, ++k) lane[k] += (static_cast<C>(x[i]) - mean) * (static_cast<C>(x[i]) - mean);
    for (C l : lane) total += double(l);
  }
  result = total / divisor;
}
template <class C, class T>
void variance_columns(const T* x, int64_t n, int64_t stride, int64_t width, double divisor, double* total) {
  reduce_columns<Adds<C>, C>(x, n, stride, width, total);
  C mean[tile];
  for (int64_t k = 0; k < width; ++k) mean[k] = C(total[k] / double(n));
  std::fill_n(total, width, 0.0);
  for (int64_t b = 0; b < n; b += block) {
    C lane[tile];
    std::fill_n(lane, width, C(0));
    for (int64_t i = b; i < std::min(n, b + block); ++i)
      for (int64_t k = 0; k < width; ++k) {
        C d = static_cast<C>(x[i * stride + k]) - mean[k];
        lane[k] += d * d;
      }
    for (int64_t k = 0; k < width; ++k) total[k] += double(lane[k]);
  }
  for (int64_t k = 0; k < width; ++k) total[k] /= divisor;
}
void variance(const auto& op, Tensor& y, const Tensor& input, bool root) {
  double divisor = op.divisor(input);
  with_axis(Floats{}, input, op.dim.mask(input), [&]<class T>(const T* data, const Slices& a) {
    using C = compute_t<T>;
    T* out = y.data<T>();
    auto store = [&](int64_t i, double v) { out[i] = cast<T>(root ? std::sqrt(v) : v); };
    for_tiles(a, a.n, [&](int64_t from, int64_t to, int64_t width) {
      double total[tile];
      if (a.inner == 1)
        variance_row<C>(data + from, a.n, divisor, total[0]);
      else
        variance_columns<C>(data + from, a.n, a.step, width, divisor, total);
      for (int64_t k = 0; k < width; ++k) store(to + k, total[k]);
    });
  });
}
void var(const ops::Var& op, Tensor& y, const Strided& x) { variance(op, y, x, false); }
void stddev(const ops::Std& op, Tensor& y, const Strided& x) { variance(op, y, x, true); }

// Values and first positions. A row: the extremum first, which vectorises, then the first element equal to it. Columns:
// value and position side by side, selected without branches.
template <class R, class C, class T>
void find_row(const T* x, int64_t n, T* value, int64_t* index) {
  const C best = C(reduce_row<R, C>(x, n));
  auto found = [&](int64_t i) {
    const C v = static_cast<C>(x[i]);
    return (v == best) | ((best != best) & (v != v));
  };
  int64_t i = 0;
  constexpr int64_t part = 128, line = 64 / int64_t(sizeof(T));
  for (int any = 0; i + part <= n; i += part) {  // whether it is in there, and where, by loops that vectorise
    for (int64_t k = 0; k < part; k += line) __builtin_prefetch(x + n + i + k);  // memory goes on with the next row
    for (int64_t k = 0; k < part; ++k) any |= found(i + k);
    if (!any) continue;
    int first = part;
    for (int k = 0; k < part; ++k) first = std::min(first, found(i + k) ? k : int(part));
    i += first;
    break;
  }
  while (!found(i)) ++i;
  *value = x[i];
  *index = i;
}
// Rows are counted within a block, by numbers as wide as elements, so that a register holds as many.
template <class R, class C, class T>
void find_columns(const T* x, int64_t n, int64_t stride, int64_t width, T* value, int64_t* index) {
  using Row = std::tuple_element_t<std::countr_zero(sizeof(C)), std::tuple<int8_t, int16_t, int32_t, int64_t>>;
  constexpr int64_t few = 128, line = 64 / int64_t(sizeof(T));
  for (int64_t b = 0; b < n; b += few) {
    C best[tile];
    Row at[tile];
    for (int64_t k = 0; k < width; ++k) best[k] = static_cast<C>(x[b * stride + k]), at[k] = 0;
    for (int64_t i = 1; i < std::min(few, n - b); ++i) {
      const T* p = x + (b + i) * stride;
      for (int64_t k = 0; k < width; k += line) __builtin_prefetch(p + 4 * stride + k);
      for (int64_t k = 0; k < width; ++k) {
        const C v = static_cast<C>(p[k]);
        const bool better = R::beats(best[k], v);
        best[k] = better ? v : best[k];
        at[k] = better ? Row(i) : at[k];
      }
    }
    for (int64_t k = 0; k < width; ++k)
      if (b == 0 || R::beats(static_cast<C>(value[k]), best[k])) value[k] = cast<T>(best[k]), index[k] = b + at[k];
  }
}
template <template <class> class R>
void find(const auto& op, Tensor& values, Tensor& indices, const Tensor& x) {
  const Slices a(axis_of(x.shape(), wrap_dim(op.dim, x.dim())));
  dispatch(AllTypes{}, x.dtype(), [&]<class T>(Type<T>) {
    using C = std::conditional_t<std::is_same_v<T, bool>, uint8_t, compute_t<T>>;
    const T* data = x.data<T>();
    T* value = values.data<T>();
    int64_t* index = indices.data<int64_t>();
    for_tiles(a, a.n, [&](int64_t from, int64_t to, int64_t width) {
      if (a.inner == 1)
        find_row<R<C>, C>(data + from, a.n, value + to, index + to);
      else
        find_columns<R<C>, C>(data + from, a.n, a.inner, width, value + to, index + to);
      for (int64_t k = 0; k < width; ++k) index[to + k] += op.base;
    });
  });
}
void max_dim(const ops::MaxDim& op, Tensor& v, Tensor& i, const Dense& x) { find<Largest>(op, v, i, x); }
void min_dim(const ops::MinDim& op, Tensor& v, Tensor& i, const Dense& x) { find<Smallest>(op, v, i, x); }

const Kernel<sum> sum_;
const Kernel<prod> prod_;
const Kernel<sum_of_numbers> sum_of_numbers_;
const Kernel<euclidean_norm> euclidean_norm_;
const Kernel<amax> amax_;
const Kernel<amin> amin_;
const Kernel<all> all_;
const Kernel<any> any_;
const Kernel<var> var_;
const Kernel<stddev> stddev_;
const Kernel<max_dim> max_dim_;
const Kernel<min_dim> min_dim_;

}  // namespace
}  // namespace luth::cpu
