// Work along one axis: rows of compute type whatever the dtype and the axis, and sums and maxima of a row that
// vectorise and do not depend on the number of threads. Kernel libraries only.
#pragma once
#include <algorithm>
#include <vector>

#include "core/base/threads.h"
#include "core/math/functions.h"
#include "core/op/define.h"
#include "devices/cpu/kernels/common/convert.h"
#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/transpose.h"
#include "devices/cpu/kernels/common/vector.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {

/// The join of `width` lanes, always in halves. The lengths are constants, so that halves are joined as vectors: a loop
/// over the lengths compares lane by lane, with a branch that data decide.
template <int width, class A, class J>
inline A joined(A* a, J join) {
  if constexpr (width > 1) {
    constexpr int half = width / 2;
    for (int l = 0; l < half; ++l) a[l] = join(a[l], a[l + half]);
    return joined<half>(a, join);
  }
  return a[0];
}

/// The fold of a row by f in 32 lanes: lane l is f(…f(f(init, x[l]), x[l + 32])…). `join` combines the lanes in a fixed
/// order. A short row has one lane.
template <class A, class X, class F, class J>
inline A lanes(X x, int64_t n, A init, F f, J join) {
  constexpr int width = 32;
  if (n < 2 * width) {
    for (int64_t i = 0; i < n; ++i) init = f(init, x[i]);
    return init;
  }
  A a[width];
  for (int l = 0; l < width; ++l) a[l] = init;
  int64_t i = 0;
  for (; i + width <= n; i += width) each_lane<width, A>([&](int l) { a[l] = f(a[l], x[i + l]); });
  for (int l = 0; i + l < n; ++l) a[l] = f(a[l], x[i + l]);
  return joined<width>(a, join);
}

/// The same for two rows, from 0, with a sum of the lanes: f(…f(f(0, x[l], y[l]), x[l + 32], y[l + 32])…).
template <class A, class T, class U, class F>
inline A lanes2(const T* x, const U* y, int64_t n, F f) {
  constexpr int width = 32;
  A total = 0;
  int64_t i = 0;
  if (n >= 2 * width) {
    A a[width] = {};
    for (; i + width <= n; i += width) each_lane<width, A>([&](int l) { a[l] = f(a[l], x[i + l], y[i + l]); });
    total = joined<width>(a, [](A p, A q) { return p + q; });
  }
  for (; i < n; ++i) total = f(total, x[i], y[i]);
  return total;
}

/// The sum of f(i) for i < n, which may store what it makes.
template <class A, class F>
inline A sum_of(int64_t n, F f) {
  struct Terms {
    F f;
    A operator[](int64_t i) const { return f(i); }
  };
  auto plus = [](A a, A b) { return a + b; };
  return lanes(Terms{f}, n, A(0), plus, plus);
}
template <class A>
inline A row_sum(const A* x, int64_t n) {
  return sum_of<A>(n, [x](int64_t i) { return x[i]; });
}
/// Sum of products.
template <class A>
inline A row_dot(const A* x, const A* y, int64_t n) {
  return lanes2<A>(x, y, n, [](A a, A p, A q) { return a + p * q; });
}
/// The largest element, -inf for none, for a sum of exp(x - top): beside a number above -inf a nan is passed over, as
/// the sum has it anyway.
template <class A>
inline A row_max(const A* x, int64_t n) {
  constexpr A least = -std::numeric_limits<A>::infinity();
  auto larger = [](A a, A b) { return b > a ? b : a; };  // one instruction, which keeps a where b is nan
  const A top = lanes(x, n, least, larger, larger);
  if (top > least) return top;
  return std::any_of(x, x + n, [](A v) { return v != v; }) ? std::numeric_limits<A>::quiet_NaN() : top;
}

/// The sum of exp(x - top).
template <class A>
[[gnu::flatten]] inline A exp_sum(const A* x, int64_t n, A top) {
  return sum_of<A>(n, [=](int64_t i) { return math::exp(x[i] - top); });
}

/// x in another dtype; a copy only where it differs.
inline Tensor in_dtype(const Tensor& x, Dtype d) { return x.dtype() == d ? x : dense_copy(cast_to(x.detach(), d)); }

/// Dim `dim` of t (a negative one counts from the end) as an axis.
inline Axis axis(const Tensor& t, int64_t dim) { return axis_of(t.shape(), wrap_dim(dim, t.dim())); }

/// Calls f(i) for each i < n, in parallel ranges of `grain`.
template <class F>
inline void parallel_each(int64_t n, int64_t grain, F f) {
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}
/// How many rows of n elements a range of parallel_for takes: about 16 thousand elements.
inline int64_t row_grain(int64_t n) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, n)); }

/// Blocks of at most `most` neighbouring rows: calls f(offset of the first element, rows) for each, in parallel.
/// Element i of row j of a block is i * a.inner + j from there.
template <class F>
void for_row_blocks(const Axis& a, int64_t most, F f) {
  const int64_t width = std::min(a.inner, most), blocks = width ? (a.inner + width - 1) / width : 0;
  parallel_each(a.outer * blocks, row_grain(a.n * width), [&](int64_t b) {
    const int64_t j0 = b % blocks * width;
    f(b / blocks * a.n * a.inner + j0, std::min(width, a.inner - j0));
  });
}

/// Where n elements of x are easy to read: in place, or those of half in `wide`, as g++ vectorises none of its
/// conversions.
template <class T>
inline constexpr bool is_easy = !std::is_same_v<T, half>;
template <class T>
auto easy_row(const T* x, compute_t<T>* wide, int64_t n) {
  if constexpr (is_easy<T>)
    return x;
  else
    return convert_row(x, wide, n), static_cast<const float*>(wide);
}
/// The same with its own memory.
template <class T>
class EasyRow {
 public:
  EasyRow(const T* x, int64_t n) : wide_(is_easy<T> ? 0 : n), data_(easy_row(x, wide_.get(), n)) {}
  EasyRow(const EasyRow&) = delete;
  auto data() const { return data_; }

 private:
  Buffer<compute_t<T>> wide_;
  std::conditional_t<is_easy<T>, const T*, const float*> data_;
};

/// y[i] = f(i, x[i]…) for i < n, in compute type.
template <class T, class F, class... In>
void map_row(int64_t n, T* y, F f, const In*... x) {
  if constexpr (!is_easy<T>) {
    constexpr int64_t block = 512;
    float out[block], in[sizeof...(In)][block];
    for (int64_t begin = 0; begin < n; begin += block) {
      const int64_t m = std::min(block, n - begin);
      size_t k = 0;
      (convert_row(x + begin, in[k++], m), ...);
      [&]<size_t... K>(std::index_sequence<K...>) {
        for (int64_t i = 0; i < m; ++i) out[i] = f(begin + i, in[K][i]...);
      }
      (std::index_sequence_for<In...>());
      convert_row(out, y + begin, m);
    }
  } else {
    T* __restrict q = y;
    for (int64_t i = 0; i < n; ++i) q[i] = T(f(i, compute_t<In>(x[i])...));
  }
}

/// Rows of an axis whose elements lie `inner` apart are moved this many neighbours at a time.
inline constexpr int64_t row_block = 16;

/// Calls f(i, part) for the first of each eight of n elements of a block of whole width, with room for them as float;
/// returns where it ends.
template <class A, class F>
int64_t by_eights(int64_t n, int64_t w, F f) {
  int64_t i = 0;
  if constexpr (std::is_same_v<A, float>)
    for (; w == row_block && i + 8 <= n; i += 8) {
      float part[8][row_block];
      f(i, part);
    }
  return i;
}
/// Copies w rows of n elements, which are neighbours and whose own elements lie `inner` apart, to rows `stride` apart.
// Lines are asked for before they are moved, as no processor foresees them.
template <class T, class A>
void gather_rows(const T* in, int64_t inner, int64_t n, int64_t w, A* out, int64_t stride) {
  if (inner == 1) return convert_row(in, out, n);
  int64_t i = by_eights<A>(n, w, [&](int64_t at, auto& part) {
    for (int r = 0; r < 8; ++r) {
      fetch_ahead(in + (at + 16 + r) * inner, row_block);
      convert_row(in + (at + r) * inner, part[r], row_block);
    }
    for (int64_t j = 0; j < row_block; j += 8)
      transpose8(&part[0][j], sizeof(part[0]), out + j * stride + at, stride * int64_t(sizeof(float)));
  });
  for (; i < n; ++i)
    for (int64_t j = 0; j < w; ++j) out[j * stride + i] = converted<A>(in[i * inner + j]);
}
/// The reverse.
template <class A, class T>
void scatter_rows(const A* in, int64_t stride, int64_t n, int64_t w, T* out, int64_t inner) {
  if (inner == 1) return convert_row(in, out, n);
  int64_t i = by_eights<A>(n, w, [&](int64_t at, auto& part) {
    for (int r = 0; r < 8; ++r) fetch_ahead<1>(out + (at + 16 + r) * inner, row_block);
    for (int64_t j = 0; j < row_block; j += 8)
      transpose8(in + j * stride + at, stride * int64_t(sizeof(float)), &part[0][j], sizeof(part[0]));
    for (int r = 0; r < 8; ++r) convert_row(part[r], out + (at + r) * inner, row_block);
  });
  for (; i < n; ++i)
    for (int64_t j = 0; j < w; ++j) out[i * inner + j] = converted<T>(in[j * stride + i]);
}

/// Calls f(row, in…, out) for each of the outer * inner rows of n elements. in… and out are contiguous rows of compute
/// type; they come from and go to row-major tensors of element type T. With nullptr for `out` there are no rows of
/// results, and f gets scratch memory for n elements. Rows that are not contiguous, or of a 16-bit float, are copied in
/// blocks of neighbours.
template <class T, size_t Inputs, class Out, class F>
void for_rows(const Axis& a, const T* const (&in)[Inputs], Out out, F f) {
  using A = compute_t<T>;
  constexpr bool stored = !std::is_null_pointer_v<Out>;
  constexpr auto all = std::make_index_sequence<Inputs>();
  const int64_t n = a.n, inner = a.inner;
  if (inner == 0) return;  // no rows
  if constexpr (std::is_same_v<A, T>)
    if (inner == 1) {
      parallel_for(a.outer, row_grain(n), [&](int64_t begin, int64_t end) {
        std::vector<A> scratch(stored ? 0 : size_t(n));
        for (int64_t r = begin; r < end; ++r) {
          A* y = scratch.data();
          if constexpr (stored) y = out + r * n;
          [&]<size_t... K>(std::index_sequence<K...>) { f(r, in[K] + r * n..., y); }
          (all);
        }
      });
      return;
    }
  const int64_t width = std::min(inner, row_block), blocks = (inner + width - 1) / width;
  const int64_t stride = ((n / 16 + 1) | 1) * 16;  // an odd number of lines: rows begin at different places of a cache
  parallel_for(a.outer * blocks, row_grain(n * width), [&](int64_t begin, int64_t end) {
    const int64_t wide = int64_t(Inputs) * width * stride;
    std::vector<A> buffer(size_t(wide + (stored ? width : 1) * stride));
    A* const results = buffer.data() + wide;
    for (int64_t b = begin; b < end; ++b) {
      const int64_t j0 = b % blocks * width, w = std::min(width, inner - j0), at = b / blocks * n * inner + j0;
      for (size_t k = 0; k < Inputs; ++k)
        gather_rows(in[k] + at, inner, n, w, buffer.data() + int64_t(k) * width * stride, stride);
      for (int64_t j = 0; j < w; ++j) {
        const A* x = buffer.data() + j * stride;
        [&]<size_t... K>(std::index_sequence<K...>) {
          f(b / blocks * inner + j0 + j, x + int64_t(K) * width * stride..., results + (stored ? j * stride : 0));
        }
        (all);
      }
      if constexpr (stored) scatter_rows(results, stride, n, w, out + at, inner);
    }
  });
}

}  // namespace luth::cpu
