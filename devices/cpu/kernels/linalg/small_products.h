// Many products of small matrices: a call for each, or packing it, would take longer than the product. For matmul.cpp.
#pragma once
#include <algorithm>

#include "devices/cpu/kernels/common/dot_gemm.h"
#include "devices/cpu/kernels/common/gemm.h"

namespace luth::cpu {

/// Products of [m,k] and [k,n]; each batch stride may be anything.
struct Sizes {
  int64_t batch, m, n, k;
};
template <class T>
struct Operands {
  Matrix<T> a, b;
  int64_t a_step, b_step;
  T* c;  // dense [batch, m, n]
  Operands at(int64_t i, int64_t size) const {
    return {{a.p + i * a_step, a.row, a.col}, {b.p + i * b_step, b.row, b.col}, a_step, b_step, c + i * size};
  }
};

/// Whether small_products() is faster than gemm(), which packs columns of B that lie together faster, or reads them as
/// they lie. Measured on AVX2 and AVX-512.
template <class T>
bool are_small(const Sizes& s, const Operands<T>& o) {
  const bool packs = s.m > 1 && s.n > 1 && o.b.col != 1, slowly = s.n * s.k > 32;
  return s.m * s.n * s.k <= 4096 && !(packs && slowly && (s.m >= 4 || dots_are_faster(s.m, s.k)));
}

// w elements: a number or a vector.
template <class T>
inline constexpr int most_lanes = std::min(16, vector_bytes / int(sizeof(T)));
template <class T, int w>
using Few = typename std::conditional_t<w == 1, std::type_identity<T>, Vector<T, w* int(sizeof(T))>>::type;

// C[R, w] = alpha A[R, k] B[k, w], from the first row to the last
template <class T, int w, int R>
__attribute__((no_sanitize("address,undefined"))) inline void few_rows(int64_t k, T alpha, const Matrix<T>& a,
                                                                       const Matrix<T>& b, T* c, int64_t ldc) {
  using V = Few<T, w>;
  V sum[R]{};
  for (int64_t p = 0; p < k; ++p) {
    const V y = *reinterpret_cast<const V*>(b.p + p * b.row);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) sum[r] = V(sum[r] + V(a.p[r * a.row + p * a.col] - V{}) * y);
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) *reinterpret_cast<V*>(c + r * ldc) = V(alpha * sum[r]);
}

// w columns of B at a time, which lie together. The last w may have been computed before: no access leaves a row.
template <class T, int w>
[[gnu::always_inline]] inline void product_of_lanes(const Sizes& s, T alpha, const Operands<T>& o) {
  for (int64_t j = 0;; j = std::min(j + w, s.n - w)) {
    const Matrix<T> b = o.b.at(0, j);
    T* const c = o.c + j;
    int64_t i = 0;
    for (; i + 4 <= s.m; i += 4) few_rows<T, w, 4>(s.k, alpha, o.a.at(i, 0), b, c + i * s.n, s.n);
    for (; i + 2 <= s.m; i += 2) few_rows<T, w, 2>(s.k, alpha, o.a.at(i, 0), b, c + i * s.n, s.n);
    if (i < s.m) few_rows<T, w, 1>(s.k, alpha, o.a.at(i, 0), b, c + i * s.n, s.n);
    if (j + w == s.n) return;
  }
}
// One column of dot products whose terms lie together.
template <class T>
[[gnu::always_inline]] inline void product_of_dots(const Sizes& s, T alpha, const Operands<T>& o) {
  for (int64_t i = 0; i < s.m; ++i) o.c[i] = T(alpha * dot(s.k, o.a.p + i * o.a.row, o.b.p));
}

template <class T>
using Products = void(const Sizes&, T alpha, const Operands<T>&);
template <class T, auto product>
void each_product(const Sizes& s, T alpha, const Operands<T>& o) {
  for (int64_t i = 0; i < s.batch; ++i) product(s, alpha, o.at(i, s.m * s.n));
}
// By the widest vector that n fills.
template <class T, int w = most_lanes<T>>
Products<T>* products_of_lanes(int64_t n) {
  if constexpr (w > 1)
    if (n < w) return products_of_lanes<T, w / 2>(n);
  return each_product<T, product_of_lanes<T, w>>;
}

/// C = alpha A B + beta C for at least one row and column; C is not read where beta is 0.
template <class T>
void small_products(const Sizes& s, T alpha, const Operands<T>& o, T beta) {
  // a row or a column is its own transpose
  if (s.m == 1 ? s.n > 1 && o.b.col != 1 : s.n == 1 && o.a.row == 1)
    return small_products({s.batch, s.n, s.m, s.k}, alpha,
                          {o.b.transposed(), o.a.transposed(), o.b_step, o.a_step, o.c}, beta);
  const bool dots = s.n == 1 && o.a.col == 1 && o.b.row == 1 && s.k >= 32, packed = s.n > 1 && o.b.col != 1;
  Products<T>* const products = dots ? each_product<T, product_of_dots<T>> : products_of_lanes<T>(s.n);
  const int64_t size = s.m * s.n, of_b = s.k * s.n;
  const int64_t group = std::max<int64_t>(1, 1024 / std::max<int64_t>(size, of_b));  // stays in the first cache
  Buffer<T> strip(packed ? group * of_b : 0), part(beta != T(0) ? group * size : 0);
  for (int64_t first = 0; first < s.batch; first += group) {
    const int64_t count = std::min(group, s.batch - first);
    Operands<T> some = o.at(first, size);
    if (packed) {
      T* to = strip.get();
      for (int64_t i = 0; i < count; ++i)
        for (int64_t p = 0; p < s.k; ++p)
          for (int64_t j = 0; j < s.n; ++j) *to++ = some.b.p[i * o.b_step + p * o.b.row + j * o.b.col];
      some.b = {strip.get(), s.n, 1}, some.b_step = of_b;
    }
    T* const c = some.c;
    if (beta != T(0)) some.c = part.get();
    products({count, s.m, s.n, s.k}, alpha, some);
    for (int64_t x = 0; beta != T(0) && x < count * size; ++x) c[x] = T(part[x] + beta * c[x]);
  }
}

// Rows of C are dense. What a vector writes behind its row, the next row overwrites.
template <class T, int w>
void tall_rows(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T* c) {
  Buffer<T> strip(k * w);
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j < w; ++j) strip[p * w + j] = j < n ? b.p[p * b.row + j * b.col] : T(0);
  b = {strip.get(), w, 1};
  int64_t i = 0;
  for (; (i + 3) * n + w <= m * n; i += 4) few_rows<T, w, 4>(k, alpha, a.at(i, 0), b, c + i * n, n);
  for (T row[w] = {}; i < m; ++i) {
    few_rows<T, w, 1>(k, alpha, a.at(i, 0), b, row, w);
    for (int64_t j = 0; j < std::min<int64_t>(n, w); ++j) c[i * n + j] = row[j];
  }
}
/// Whether tall_product() is faster than gemm(): measured on AVX2 and AVX-512.
template <class T>
bool is_tall(const Sizes& s) {
  return s.n <= std::min(8, most_lanes<T>) && s.k <= 16 && s.m >= 64;
}
/// C = alpha A B for many rows and few columns.
template <class T, int w = most_lanes<T>>
void tall_product(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T* c) {
  if constexpr (w > 1)
    if (2 * n <= w) return tall_product<T, w / 2>(m, n, k, alpha, a, b, c);
  tall_rows<T, w>(m, n, k, alpha, a, b, c);
}

}  // namespace luth::cpu
