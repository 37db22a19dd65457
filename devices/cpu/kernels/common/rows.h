// Work along one axis: rows of compute type whatever the dtype and the axis, and sums and maxima of a row that
// vectorise and do not depend on the number of threads. Kernel libraries only.
#pragma once
#include <algorithm>
#include <vector>

#include "core/base/threads.h"
#include "core/op/define.h"

namespace luth::cpu {

/// f(…f(f(init, x[0]), x[32])…) in 32 lanes, joined in a fixed order by `join`; a short row goes one by one.
template <class A, class T, class F, class J>
inline A lanes(const T* x, int64_t n, A init, F f, J join) {
  constexpr int width = 32;
  if (n < 2 * width) {
    for (int64_t i = 0; i < n; ++i) init = f(init, x[i]);
    return init;
  }
  A a[width];
  for (int l = 0; l < width; ++l) a[l] = init;
  int64_t i = 0;
  for (; i + width <= n; i += width)
    for (int l = 0; l < width; ++l) a[l] = f(a[l], x[i + l]);
  for (int l = 0; i + l < n; ++l) a[l] = f(a[l], x[i + l]);
  for (int w = width / 2; w; w /= 2)
    for (int l = 0; l < w; ++l) a[l] = join(a[l], a[l + w]);
  return a[0];
}

/// The same with two rows: f(f(init, x[0], y[0]), x[32], y[32]) ….
template <class A, class T, class U, class F>
inline A lanes2(const T* x, const U* y, int64_t n, F f) {
  constexpr int width = 32;
  A total = 0;
  int64_t i = 0;
  if (n >= 2 * width) {
    A a[width] = {};
    for (; i + width <= n; i += width)
      for (int l = 0; l < width; ++l) a[l] = f(a[l], x[i + l], y[i + l]);
    for (int w = width / 2; w; w /= 2)
      for (int l = 0; l < w; ++l) a[l] += a[l + w];
    total = a[0];
  }
  for (; i < n; ++i) total = f(total, x[i], y[i]);
  return total;
}

template <class A>
inline A row_sum(const A* x, int64_t n) {
  auto plus = [](A a, A b) { return a + b; };
  return lanes(x, n, A(0), plus, plus);
}
/// Sum of products.
template <class A>
inline A row_dot(const A* x, const A* y, int64_t n) {
  return lanes2<A>(x, y, n, [](A a, A p, A q) { return a + p * q; });
}
/// The largest element; nan where one is nan; -inf for none.
template <class A>
inline A row_max(const A* x, int64_t n) {
  auto larger = [](A a, A b) { return b > a || b != b ? b : a; };
  return lanes(x, n, -std::numeric_limits<A>::infinity(), larger, larger);
}

/// x in another dtype; a copy only where it differs.
inline Tensor in_dtype(const Tensor& x, Dtype d) { return x.dtype() == d ? x : dense_copy(cast_to(x.detach(), d)); }

/// Ranges of rows of n elements that make about 16 thousand elements each.
inline int64_t row_grain(int64_t n) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, n)); }

/// Calls f(row, in, out) for each of the outer * inner rows of n elements; in and out are arrays of contiguous rows of
/// compute type, from and to row-major tensors of element type T. Rows that are not contiguous, or of a 16-bit float,
/// are copied in blocks of neighbours.
template <class T, size_t In, size_t Out, class F>
void for_rows(const Axis& a, const T* const (&in)[In], T* const (&out)[Out], F f) {
  using A = compute_t<T>;
  const int64_t n = a.n, inner = a.inner;
  if (inner == 0) return;  // no rows
  if constexpr (std::is_same_v<A, T>)
    if (inner == 1) {
      parallel_for(a.outer, row_grain(n), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const A* x[In];
          A* y[Out];
          for (size_t k = 0; k < In; ++k) x[k] = in[k] + r * n;
          for (size_t k = 0; k < Out; ++k) y[k] = out[k] + r * n;
          f(r, x, y);
        }
      });
      return;
    }
  const int64_t width = std::min<int64_t>(inner, 16), blocks = (inner + width - 1) / width;
  parallel_for(a.outer * blocks, row_grain(n * width), [&](int64_t begin, int64_t end) {
    std::vector<A> buffer((In + Out) * size_t(width * n));
    for (int64_t b = begin; b < end; ++b) {
      const int64_t j0 = b % blocks * width, w = std::min(width, inner - j0), at = b / blocks * n * inner + j0;
      const A* x[In];
      A* y[Out];
      for (size_t k = 0; k < In; ++k) {
        A* to = buffer.data() + int64_t(k) * width * n;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < w; ++j) to[j * n + i] = A(in[k][at + i * inner + j]);
      }
      for (int64_t j = 0; j < w; ++j) {
        for (size_t k = 0; k < In; ++k) x[k] = buffer.data() + (int64_t(k) * width + j) * n;
        for (size_t k = 0; k < Out; ++k) y[k] = buffer.data() + (int64_t(In + k) * width + j) * n;
        f(b / blocks * inner + j0 + j, x, y);
      }
      for (size_t k = 0; k < Out; ++k) {
        const A* from = buffer.data() + int64_t(In + k) * width * n;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < w; ++j) out[k][at + i * inner + j] = T(from[j * n + i]);
      }
    }
  });
}
/// The same where the rows make numbers, not rows: f(row, in, scratch), with room for n numbers of compute type.
template <class T, size_t In, class F>
void for_rows(const Axis& a, const T* const (&in)[In], F f) {
  using A = compute_t<T>;
  const int64_t n = a.n, inner = a.inner;
  if (inner == 0) return;  // no rows
  if constexpr (std::is_same_v<A, T>)
    if (inner == 1) {
      parallel_for(a.outer, row_grain(n), [&](int64_t begin, int64_t end) {
        std::vector<A> scratch(static_cast<size_t>(n));
        for (int64_t r = begin; r < end; ++r) {
          const A* x[In];
          for (size_t k = 0; k < In; ++k) x[k] = in[k] + r * n;
          f(r, x, scratch.data());
        }
      });
      return;
    }
  const int64_t width = std::min<int64_t>(inner, 16), blocks = (inner + width - 1) / width;
  parallel_for(a.outer * blocks, row_grain(n * width), [&](int64_t begin, int64_t end) {
    std::vector<A> buffer(In * size_t(width * n)), scratch(static_cast<size_t>(n));
    for (int64_t b = begin; b < end; ++b) {
      const int64_t j0 = b % blocks * width, w = std::min(width, inner - j0), at = b / blocks * n * inner + j0;
      for (size_t k = 0; k < In; ++k) {
        A* to = buffer.data() + int64_t(k) * width * n;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < w; ++j) to[j * n + i] = A(in[k][at + i * inner + j]);
      }
      for (int64_t j = 0; j < w; ++j) {
        const A* x[In];
        for (size_t k = 0; k < In; ++k) x[k] = buffer.data() + (int64_t(k) * width + j) * n;
        f(b / blocks * inner + j0 + j, x, scratch.data());
      }
    }
  });
}

}  // namespace luth::cpu
