// LAPACK's factorizations, batched: LU, Cholesky, QR and LDL.
#include "devices/cpu/libraries/lapack_batches.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace luth::cpu {
namespace {

// Results y [m, n] of a routine that works in place: calls f(v, lda, i) with a column-major copy v of each matrix of
// a [m, …], with room for m x n elements; y is what f leaves there.
template <class F>
void in_column_major(const Tensor& a, const Tensor& y, F f) {
  const int m = extent(y, -2), n = extent(y, -1), given = extent(a, -1), lda = at_least_one(m);
  each_matrix(a, cube(m, n), [&]<class T>(Type<T>, int64_t i) {
    std::vector<T> v = column_major(Batch<T>(a, 2)[i], m, given);
    v.resize(size_t(m) * size_t(n) + 1);
    f(v.data(), &lda, i);
    row_major(v, m, n, Batch<T>(y, 2)[i]);
  });
}

// OpenBLAS leaves what stands right below and beside a pivot of nan as it was, where LAPACK divides by it.
template <class T>
void spread_nan(T* v, int m, int n) {
  int64_t k = 0;
  while (k < std::min(m, n) && v[k * m + k] == v[k * m + k]) ++k;
  for (int64_t c = k; c < n && k < m; ++c)
    std::fill(v + c * m + k + 1, v + (c + 1) * m, std::numeric_limits<T>::quiet_NaN());
}

// ---- small matrices, row-major: to transpose them and to call LAPACK would take longer than the work ----------------

constexpr int small = 16;  // rows and columns of what is factored; measured

// Rows are exchanged and eliminated one by one, as LAPACK's getf2 does.
template <class T>
void small_lu(T* v, int64_t m, int64_t n, int* pivots, int& code) {
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    int64_t p = k;
    for (int64_t i = k + 1; i < m; ++i)
      if (std::abs(v[i * n + k]) > std::abs(v[p * n + k])) p = i;
    pivots[k] = int(p) + 1;
    if (p != k) std::swap_ranges(v + k * n, v + (k + 1) * n, v + p * n);
    const T *row = v + k * n, pivot = row[k];
    if (pivot == 0 && !code) code = int(k) + 1;
    for (int64_t i = k + 1; i < m; ++i) {
      const T factor = v[i * n + k] /= pivot == 0 ? T(1) : pivot;
      for (int64_t j = k + 1; j < n; ++j) v[i * n + j] -= factor * row[j];
    }
  }
}

// The lower factor of what lies in the lower triangle, whose element (i, j) is v[i * row + j * col].
template <class T>
void small_cholesky(T* v, int64_t n, int64_t row, int64_t col, int& code) {
  for (int64_t j = 0; j < n; ++j) {
    T* const of_j = v + j * row;
    for (int64_t i = j; i < n; ++i) {
      T& x = v[i * row + j * col];
      for (int64_t k = 0; k < j; ++k) x -= v[i * row + k * col] * of_j[k * col];
      if (i > j) {
        x /= of_j[j * col];
      } else if (x > 0) {
        x = std::sqrt(x);
      } else {
        code = int(j) + 1;
        return;
      }
    }
  }
}

// ---- of any size --------------------------------------------------------------------------------------------------

void lu(const Tensor& a, const Tensor& lu, const Tensor& pivots, const Tensor& info) {
  const int m = extent(a, -2), n = extent(a, -1), k = std::min(m, n);
  if (std::max(m, n) <= small)
    return each_matrix(a, cube(m, n), [&]<class T>(Type<T>, int64_t i) {
      T* const v = Batch<T>(lu, 2)[i];
      std::copy_n(Batch<T>(a, 2)[i], m * n, v);
      small_lu(v, m, n, pivots.data<int32_t>() + i * k, info.data<int32_t>()[i] = 0);
    });
  in_column_major(a, lu, [&]<class T>(T* v, Int lda, int64_t i) {
    int& code = info.data<int32_t>()[i] = 0;
    if (!k) return;
    routines<T>.getrf(&m, &n, v, lda, pivots.data<int32_t>() + i * k, &code);
    spread_nan(v, m, n);
  });
}

void permutation(const Tensor& pivots, const Tensor& perm) {
  const int64_t k = pivots.shape(-1), rows = perm.shape(-1);
  each(batches(pivots, 1), double(rows), [&](int64_t i) {
    int64_t* p = perm.data<int64_t>() + i * rows;
    for (int64_t r = 0; r < rows; ++r) p[r] = r;
    for (int64_t r = 0; r < k; ++r) {
      int64_t other = pivots.data<int32_t>()[i * k + r] - 1;
      if (other < 0 || other >= rows) throw Error("pivot {} names row {} of {}", shown(r), other + 1, rows);
      std::swap(p[r], p[other]);
    }
  });
}

// Row-major L is column-major Lᵀ: the other triangle.
void cholesky(bool upper, const Tensor& a, const Tensor& l, const Tensor& info) {
  const int n = extent(a, -1);
  each_matrix(a, cube(n, n), [&]<class T>(Type<T>, int64_t i) {
    T* y = Batch<T>(l, 2)[i];
    if (n) std::memcpy(y, Batch<T>(a, 2)[i], size_t(n) * size_t(n) * sizeof(T));
    int lda = at_least_one(n), &code = info.data<int32_t>()[i] = 0;
    if (n <= small)
      small_cholesky(y, n, upper ? 1 : n, upper ? n : 1, code);
    else
      routines<T>.potrf(upper ? "L" : "U", &n, y, &lda, &code, 1);
    for (int r = 0; r < n && !code; ++r)  // OpenBLAS takes nan for positive
      if (std::isnan(y[r * int64_t(n) + r])) code = r + 1;
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = upper ? 0 : r + 1; c < (upper ? r : n); ++c) y[r * n + c] = 0;
  });
}

// The same for a routine with a workspace, where y has elements: f(v, lda, i, work, lwork).
template <class F>
void in_column_major_with_work(const Tensor& a, const Tensor& y, F f) {
  if (y.numel() == 0) return;
  in_column_major(a, y, [&]<class T>(T* v, Int lda, int64_t i) {
    with_work<T>([&](T* work, Int lwork) { f(v, lda, i, work, lwork); });
  });
}

void geqrf(const Tensor& a, const Tensor& qr, const Tensor& tau) {
  const int m = extent(a, -2), n = extent(a, -1);
  in_column_major_with_work(a, qr, [&]<class T>(T* v, Int lda, int64_t i, T* work, Int lwork) {
    int code = 0;
    routines<T>.geqrf(&m, &n, v, lda, Batch<T>(tau, 1)[i], work, lwork, &code);
  });
}

void orgqr(const Tensor& a, const Tensor& tau, const Tensor& q) {
  const int m = extent(q, -2), n = extent(q, -1), k = extent(tau, -1);
  in_column_major_with_work(a, q, [&]<class T>(T* v, Int lda, int64_t i, T* work, Int lwork) {
    int code = 0;
    routines<T>.orgqr(&m, &n, &k, v, lda, Batch<T>(tau, 1)[i], work, lwork, &code);
  });
}

// Results y of a routine that changes b [m, n] in place by a: f(v, x, i) with column-major copies v of a and x of b.
template <class F>
void in_column_major(const Tensor& a, const Tensor& b, const Tensor& y, double work, F f) {
  const int rows = extent(a, -2), cols = extent(a, -1), m = extent(b, -2), n = extent(b, -1);
  each_matrix(b, work, [&]<class T>(Type<T>, int64_t i) {
    std::vector<T> v = column_major(Batch<T>(a, 2)[i], rows, cols), x = column_major(Batch<T>(b, 2)[i], m, n);
    f(v.data(), x.data(), i);
    row_major(x, m, n, Batch<T>(y, 2)[i]);
  });
}

void ormqr(bool left, bool transpose, const Tensor& a, const Tensor& tau, const Tensor& c, const Tensor& y) {
  const int m = extent(c, -2), n = extent(c, -1), k = extent(tau, -1);
  const int lda = at_least_one(extent(a, -2)), ldc = at_least_one(m);
  in_column_major(a, c, y, double(m) * n * k, [&]<class T>(const T* v, T* x, int64_t i) {
    int code = 0;
    if (m && n && k)
      with_work<T>([&](T* work, Int lwork) {
        routines<T>.ormqr(left ? "L" : "R", transpose ? "T" : "N", &m, &n, &k, v, &lda, Batch<T>(tau, 1)[i], x, &ldc,
                          work, lwork, &code, 1, 1);
      });
  });
}

// The lower triangle; LAPACK leaves the strictly upper one as it was.
void ldl(const Tensor& a, const Tensor& ld, const Tensor& pivots, const Tensor& info) {
  const int n = extent(a, -1);
  in_column_major(a, ld, [&]<class T>(T* v, Int lda, int64_t i) {
    int& code = info.data<int32_t>()[i] = 0;
    if (n == 0) return;
    with_work<T>([&](T* work, Int lwork) {
      routines<T>.sytrf("L", &n, v, lda, pivots.data<int32_t>() + int64_t(n) * i, work, lwork, &code, 1);
    });
    for (int64_t c = 0; c < n; ++c) std::fill(v + c * n, v + c * n + c, T(0));
  });
}

// Throws where sytrf cannot have made these pivots: 1 to n, or a pair of equal ones from -n to -1.
void check_ldl_pivots(const int* p, int n) {
  for (int r = 0; r < n; ++r) {
    const bool pair = p[r] < 0;  // both rows of a 2 x 2 block have it
    if (p[r] == 0 || p[r] > n || p[r] < -n || (pair && (r + 1 == n || p[r + 1] != p[r])))
      throw Error("pivot {} is {}, which ldl_factor does not give for {} rows", shown(r), p[r], n);
    r += pair;
  }
}
void ldl_solve(const Tensor& ld, const Tensor& pivots, const Tensor& b, const Tensor& x) {
  const int n = extent(ld, -1), k = extent(b, -1), lda = at_least_one(n);
  in_column_major(ld, b, x, double(n) * n * k, [&]<class T>(const T* v, T* y, int64_t i) {
    const int* p = pivots.data<int32_t>() + int64_t(n) * i;
    check_ldl_pivots(p, n);
    int code = 0;
    if (n && k) routines<T>.sytrs("L", &n, &k, v, &lda, p, y, &lda, &code, 1);
  });
}

}  // namespace

const Lapack lapack_table{lu, permutation, cholesky, ldl, ldl_solve, geqrf, orgqr, ormqr, svd, eigh, eig, lstsq};

}  // namespace luth::cpu
