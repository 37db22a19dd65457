// LAPACK's factorings, batched: LU, Cholesky, QR and LDL, and triangular solves.
#include "devices/cpu/libraries/lapack_batches.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace luth::cpu {
namespace {

void lu(const Tensor& a, const Tensor& lu, const Tensor& pivots, const Tensor& info) {
  const int m = extent(a, -2), n = extent(a, -1), k = std::min(m, n);
  by_dtype(a, [&]<class T>(Type<T>) {
    each(batches(a, 2), cube(m, n), [&](int64_t i) {
      std::vector<T> v = column_major(Batch<T>(a, 2)[i], m, n);
      int lda = at_least_one(m), &code = info.data<int32_t>()[i] = 0;
      if (k) Routines<T>::getrf(&m, &n, v.data(), &lda, pivots.data<int32_t>() + i * k, &code);
      row_major(v, m, n, Batch<T>(lu, 2)[i]);
    });
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
  by_dtype(a, [&]<class T>(Type<T>) {
    each(batches(a, 2), cube(n, n), [&](int64_t i) {
      T* y = Batch<T>(l, 2)[i];
      if (n) std::memcpy(y, Batch<T>(a, 2)[i], size_t(n) * size_t(n) * sizeof(T));
      int lda = at_least_one(n), &code = info.data<int32_t>()[i] = 0;
      if (n) Routines<T>::potrf(upper ? "L" : "U", &n, y, &lda, &code, 1);
      for (int64_t r = 0; r < n; ++r)
        for (int64_t c = upper ? 0 : r + 1; c < (upper ? r : n); ++c) y[r * n + c] = 0;
    });
  });
}

void triangular(bool upper, bool left, bool unit, const Tensor& a, const Tensor& b, const Tensor& x) {
  constexpr int rows = 101, plain = 111, up = 121, low = 122, general = 131, ones = 132, l = 141, r = 142;
  const int n = extent(a, -1), m = extent(b, -2), k = extent(b, -1);
  by_dtype(a, [&]<class T>(Type<T>) {
    each(batches(a, 2), double(n) * m * k, [&](int64_t i) {
      T* y = Batch<T>(x, 2)[i];
      if (!m || !k) return;
      std::memcpy(y, Batch<T>(b, 2)[i], size_t(m) * size_t(k) * sizeof(T));
      Routines<T>::trsm(rows, left ? l : r, upper ? up : low, plain, unit ? ones : general, m, k, T(1),
                        Batch<T>(a, 2)[i], at_least_one(n), y, at_least_one(k));
    });
  });
}

void geqrf(const Tensor& a, const Tensor& qr, const Tensor& tau) {
  const int m = extent(a, -2), n = extent(a, -1);
  by_dtype(a, [&]<class T>(Type<T>) {
    each(batches(a, 2), cube(m, n), [&](int64_t i) {
      std::vector<T> v = column_major(Batch<T>(a, 2)[i], m, n);
      int lda = at_least_one(m), code = 0;
      if (m && n)
        with_work<T>([&](T* work, Int lwork) {
          Routines<T>::geqrf(&m, &n, v.data(), &lda, Batch<T>(tau, 1)[i], work, lwork, &code);
        });
      row_major(v, m, n, Batch<T>(qr, 2)[i]);
    });
  });
}

void orgqr(const Tensor& a, const Tensor& tau, const Tensor& q) {
  const int m = extent(q, -2), n = extent(q, -1), k = extent(tau, -1), given = std::min(extent(a, -1), n);
  by_dtype(a, [&]<class T>(Type<T>) {
    each(batches(q, 2), cube(m, n), [&](int64_t i) {
      std::vector<T> v = column_major(Batch<T>(a, 2)[i], m, extent(a, -1));
      v.resize(size_t(m) * size_t(std::max(n, given)) + 1);
      int lda = at_least_one(m), code = 0;
      if (m && n)
        with_work<T>([&](T* work, Int lwork) {
          Routines<T>::orgqr(&m, &n, &k, v.data(), &lda, Batch<T>(tau, 1)[i], work, lwork, &code);
        });
      row_major(v, m, n, Batch<T>(q, 2)[i]);
    });
  });
}

void ormqr(bool left, bool transpose, const Tensor& a, const Tensor& tau, const Tensor& c, const Tensor& y) {
  const int m = extent(c, -2), n = extent(c, -1), k = extent(tau, -1), rows = extent(a, -2), cols = extent(a, -1);
  by_dtype(a, [&]<class T>(Type<T>) {
    each(batches(c, 2), double(m) * n * k, [&](int64_t i) {
      std::vector<T> v = column_major(Batch<T>(a, 2)[i], rows, cols), x = column_major(Batch<T>(c, 2)[i], m, n);
      int lda = at_least_one(rows), ldc = at_least_one(m), code = 0;
      if (m && n && k)
        with_work<T>([&](T* work, Int lwork) {
          Routines<T>::ormqr(left ? "L" : "R", transpose ? "T" : "N", &m, &n, &k, v.data(), &lda, Batch<T>(tau, 1)[i],
                             x.data(), &ldc, work, lwork, &code, 1, 1);
        });
      row_major(x, m, n, Batch<T>(y, 2)[i]);
    });
  });
}

// Column-major: the lower triangle there.
void ldl(const Tensor& a, const Tensor& ld, const Tensor& pivots, const Tensor& info) {
  const int n = extent(a, -1);
  by_dtype(a, [&]<class T>(Type<T>) {
    each(batches(a, 2), cube(n, n), [&](int64_t i) {
      std::vector<T> v = column_major(Batch<T>(a, 2)[i], n, n);
      int lda = at_least_one(n), &code = info.data<int32_t>()[i] = 0;
      if (n)
        with_work<T>([&](T* work, Int lwork) {
          Routines<T>::sytrf("L", &n, v.data(), &lda, pivots.data<int32_t>() + int64_t(n) * i, work, lwork, &code, 1);
        });
      T* y = Batch<T>(ld, 2)[i];
      row_major(v, n, n, y);
      for (int64_t r = 0; r < n; ++r) std::fill(y + r * n + r + 1, y + r * n + n, T(0));
    });
  });
}

void ldl_solve(const Tensor& ld, const Tensor& pivots, const Tensor& b, const Tensor& x) {
  const int n = extent(ld, -1), k = extent(b, -1);
  by_dtype(ld, [&]<class T>(Type<T>) {
    each(batches(ld, 2), double(n) * n * k, [&](int64_t i) {
      std::vector<T> v = column_major(Batch<T>(ld, 2)[i], n, n), y = column_major(Batch<T>(b, 2)[i], n, k);
      const int* p = pivots.data<int32_t>() + int64_t(n) * i;
      for (int r = 0; r < n; ++r) {
        const bool pair = p[r] < 0;  // of two rows, which both say so
        if (p[r] == 0 || p[r] > n || p[r] < -n || (pair && (r + 1 == n || p[r + 1] != p[r])))
          throw Error("pivot {} is {}, which ldl_factor does not give for {} rows", shown(r), p[r], n);
        r += pair;
      }
      int lda = at_least_one(n), code = 0;
      if (n && k) Routines<T>::sytrs("L", &n, &k, v.data(), &lda, p, y.data(), &lda, &code, 1);
      row_major(y, n, k, Batch<T>(x, 2)[i]);
    });
  });
}

}  // namespace

const Lapack lapack_table{lu,  permutation, cholesky, triangular, geqrf, orgqr,    ormqr,
                          svd, eigh,        eig,      lstsq,      ldl,   ldl_solve};

}  // namespace luth::cpu
