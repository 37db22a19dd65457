// Totals of rows and columns. Sums have 64 lanes within blocks and are in double across blocks, products keep theirs
// across blocks. Chunks depend on the shape alone, and their results are combined in order. Kernel libraries only.
#pragma once
#include <vector>

#include "core/math/functions.h"
#include "devices/cpu/kernels/common/convert.h"
#include "devices/cpu/kernels/common/vector.h"
#include "devices/cpu/kernels/reduce/slices.h"

namespace luth::cpu {

inline constexpr int64_t lane_count = 32, block = 512, long_row = 65536;

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
inline constexpr int64_t short_row = R::any_order ? lane_count : 4 * lane_count;
/// And those of fewer in one: a loop over few integers is vectorised as it is, halves come through memory, and short
/// registers gain less.
template <class T>
inline constexpr int64_t shortest_row = std::is_floating_point_v<T> ? 512 / vector_bytes
                                        : is_half<T>                ? 1024 / vector_bytes
                                                                    : lane_count + 1;

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
  constexpr int64_t width = 2 * lane_count, few = 32 * width;
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
  return joined<R, lane_count>(total);
}

/// Lanes of a block, and as many more.
template <class R>
struct Lanes {
  using Lane = typename R::Lane;
  Lane lane[lane_count], more[lane_count];
  Lanes() {
    std::fill_n(lane, lane_count, R::lane());
    std::fill_n(more, lane_count, R::lane());
  }
  /// Adds elements of [i, end) while there are enough for all lanes, at last for half of them. Returns the next one.
  template <class C, class T>
  [[gnu::always_inline]] int64_t add(const T* x, int64_t i, int64_t end) {
    for (; i + 2 * lane_count <= end; i += 2 * lane_count) {
      const Computed<2 * lane_count, C, T> v(x + i, 2 * lane_count);
      each_lane<lane_count, Lane>([&](int k) { lane[k] = R::step(lane[k], v[k]); });
      each_lane<lane_count, Lane>([&](int k) { more[k] = R::step(more[k], v[lane_count + k]); });
    }
    if (i + lane_count > end) return i;
    const Computed<lane_count, C, T> v(x + i, lane_count);
    each_lane<lane_count, Lane>([&](int k) { lane[k] = R::step(lane[k], v[k]); });
    return i + lane_count;
  }
  [[gnu::always_inline]] typename R::Total total() {
    using Total = typename R::Total;
    if constexpr (R::any_order) {
      each_lane<lane_count, Lane>([&](int k) { lane[k] = R::step(lane[k], more[k]); });
      return joined<R, lane_count / 2>(lane);
    } else {
      constexpr int width = totals<Total>;
      Total part[width];
      std::fill_n(part, width, R::total());
#pragma GCC unroll 16
      for (int g = 0; g < lane_count; g += width)
        each_lane<width, Total>(
            [&](int k) { part[k] = R::fold(part[k], R::fold(Total(lane[g + k]), Total(more[g + k]))); });
      return joined<R, width / 2>(part);
    }
  }
};

template <class R, class C, class T>
typename R::Total reduce_long_row(const T* x, int64_t n) {
  if constexpr (std::is_same_v<R, Multiplies<C>>) return product_of_row<R, C>(x, n);
  typename R::Total total = R::total();
  for (int64_t b = 0; b < n; b += block * lane_count) {
    const int64_t end = std::min(n, b + block * lane_count);
    Lanes<R> l;
    const int64_t i = l.template add<C>(x, b, end);
    if constexpr (R::any_order) {
      const Computed<lane_count, C, T> v(x + i, end - i);
      for (int k = 0; i + k < end; ++k) l.lane[k] = R::step(l.lane[k], v[k]);
    } else if (i < end) {
      total = R::fold(total, reduce_short_row<R, C>(x + i, end - i));
    }
    total = R::fold(total, l.total());
  }
  return total;
}

template <class R, class C, class T>
[[gnu::always_inline]] inline typename R::Total reduce_row(const T* x, int64_t n) {
  if (n < shortest_row<T>) return added<R>(R::total(), Computed<shortest_row<T>, C, T>(x, n), 0, n);
  return n < short_row<R> ? reduce_short_row<R, C>(x, n) : reduce_long_row<R, C>(x, n);
}

/// Adds n rows, which lie `stride` apart, to the totals of their columns, `width` (at most `tile`) neighbours.
template <class R, class C, class T>
void add_rows(const T* x, int64_t n, int64_t stride, int64_t width, typename R::Total* total) {
  constexpr int64_t few = 64;  // a lane of more equal elements would be off by as many roundings
  for (int64_t b = 0; b < n; b += few) {
    typename R::Lane lane[tile];
    for (int64_t k = 0; k < width; ++k) lane[k] = R::lane(total[k]);
    const int64_t end = std::min(n, b + few);
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

/// The fold of n totals.
template <class R, class Total>
Total folded(const Total* total, int64_t n) {
  constexpr int width = totals<Total>;
  Total part[width];
  std::fill_n(part, width, R::total());
  int64_t i = 0;
  for (; i + width <= n; i += width) each_lane<width, Total>([&](int k) { part[k] = R::fold(part[k], total[i + k]); });
  Total all = joined<R, width / 2>(part);
  for (; i < n; ++i) all = R::fold(all, total[i]);
  return all;
}

/// `rows` rows of n elements, which lie `next` apart: by columns where that takes fewer steps.
template <class R, class C, class T>
typename R::Total reduce_part(const T* x, int64_t rows, int64_t next, int64_t n) {
  if (rows > 2 && n <= tile) {
    typename R::Total total[tile];
    std::fill_n(total, n, R::total());
    add_rows<R, C>(x, rows, next, n, total);
    return folded<R>(total, n);
  }
  typename R::Total total = R::total();
  for (int64_t p = 0; p < rows; ++p) total = R::fold(total, reduce_row<R, C>(x + p * next, n));
  return total;
}

/// Several rows in one chunk, or long ones in several.
template <class R, class C, class T, class Store>
void reduce_chunks(const T* x, const Slices& a, Store&& store) {
  const int64_t length = std::min(a.n, long_row), cuts = length ? (a.n + length - 1) / length : 0;
  const int64_t rows = cuts > 1 ? 1 : long_row / std::max<int64_t>(length, 1);
  const int64_t chunks = (a.parts + rows - 1) / rows * cuts;
  std::vector<typename R::Total> part(a.outer * chunks);
  const int64_t elements = std::max<int64_t>(1, length * std::min(rows, a.parts));
  parallel_for(a.outer * chunks, std::max<int64_t>(1, grain_elements / elements), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t chunk = i % chunks, row = chunk / cuts * rows, from = chunk % cuts * length;
      part[i] = reduce_part<R, C>(x + i / chunks * a.apart + row * a.next + from, std::min(rows, a.parts - row), a.next,
                                  std::min(length, a.n - from));
    }
  });
  for (int64_t o = 0; o < a.outer; ++o) store(o, folded<R>(part.data() + o * chunks, chunks));
}

template <class R, class C, class T, class Store>
void reduce_rows(const T* x, const Slices& a, Store&& store) {
  if (a.parts != 1 || (a.n > long_row && a.outer < 64)) return reduce_chunks<R, C>(x, a, store);
  if constexpr (R::any_order)
    if (short_rows(a, std::min<int64_t>(32 * sizeof(T), 128) - 1))  // wide elements take longer in rows
      return for_short_rows(x, a, [&](int64_t first, int64_t w, const T* columns, int64_t step) {
        typename R::Total total[tile];
        std::fill_n(total, w, R::total());
        add_rows<R, C>(columns, a.n, step, w, total);
        for (int64_t k = 0; k < w; ++k) store(first + k, total[k]);
      });
  parallel_for(a.outer, std::max<int64_t>(1, grain_elements / std::max<int64_t>(a.n, 1)), [&](int64_t b, int64_t e) {
    for (int64_t o = b; o < e; ++o) store(o, reduce_row<R, C>(x + o * a.apart, a.n));
  });
}

/// store(position in the result, total) for every reduced row or column of x.
template <class R, class C, class T, class Store>
void reduce(const T* x, const Slices& a, Store&& store) {
  if (a.inner == 1) return reduce_rows<R, C>(x, a, store);
  for_tiles(a, a.parts * a.n, [&](int64_t from, int64_t to, int64_t width) {
    typename R::Total total[tile];
    std::fill_n(total, width, R::total());
    for (int64_t p = 0; p < a.parts; ++p) add_rows<R, C>(x + from + p * a.next, a.n, a.step, width, total);
    for (int64_t k = 0; k < width; ++k) store(to + k, total[k]);
  });
}

}  // namespace luth::cpu
