// OpenBLAS's LAPACK, batched. LAPACK is column-major: a row-major matrix is its transpose there, which some routines
// take as it is; for the others matrices are transposed on the way in and out.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/threads.h"
#include "devices/cpu/lapack.h"
#include "devices/cpu/libs_internal.h"

namespace {

// Fortran passes everything by address, and the lengths of strings at the end.
// clang-format off
using Int = const int*;
using Char = const char*;
template <class T> using Getrf = void(Int m, Int n, T* a, Int lda, int* pivots, int* info);
template <class T> using Potrf = void(Char uplo, Int n, T* a, Int lda, int* info, size_t);
template <class T> using Geqrf = void(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info);
template <class T> using Orgqr = void(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork, int* info);
template <class T> using Ormqr = void(Char side, Char trans, Int m, Int n, Int k, const T* a, Int lda, const T* tau, T* c, Int ldc, T* work, Int lwork, int* info, size_t, size_t);
template <class T> using Gesdd = void(Char job, Int m, Int n, T* a, Int lda, T* s, T* u, Int ldu, T* vt, Int ldvt, T* work, Int lwork, int* iwork, int* info, size_t);
template <class T> using Syevd = void(Char job, Char uplo, Int n, T* a, Int lda, T* w, T* work, Int lwork, int* iwork, Int liwork, int* info, size_t, size_t);
template <class T> using Geev = void(Char jobvl, Char jobvr, Int n, T* a, Int lda, T* wr, T* wi, T* vl, Int ldvl, T* vr, Int ldvr, T* work, Int lwork, int* info, size_t, size_t);
template <class T> using Gels = void(Char trans, Int m, Int n, Int k, T* a, Int lda, T* b, Int ldb, T* work, Int lwork, int* info, size_t);
template <class T> using Gelsy = void(Int m, Int n, Int k, T* a, Int lda, T* b, Int ldb, int* jpvt, const T* rcond, int* rank, T* work, Int lwork, int* info);
template <class T> using Gelss = void(Int m, Int n, Int k, T* a, Int lda, T* b, Int ldb, T* s, const T* rcond, int* rank, T* work, Int lwork, int* info);
template <class T> using Gelsd = void(Int m, Int n, Int k, T* a, Int lda, T* b, Int ldb, T* s, const T* rcond, int* rank, T* work, Int lwork, int* iwork, int* info);
template <class T> using Sytrf = void(Char uplo, Int n, T* a, Int lda, int* pivots, T* work, Int lwork, int* info, size_t);
template <class T> using Sytrs = void(Char uplo, Int n, Int k, const T* a, Int lda, const int* pivots, T* b, Int ldb, int* info, size_t);
template <class T> using Trsm = void(int order, int side, int uplo, int trans, int diag, int m, int n, T alpha, const T* a, int lda, T* b, int ldb);
// clang-format on

}  // namespace

extern "C" {
Getrf<float> sgetrf_;
Getrf<double> dgetrf_;
Potrf<float> spotrf_;
Potrf<double> dpotrf_;
Geqrf<float> sgeqrf_;
Geqrf<double> dgeqrf_;
Orgqr<float> sorgqr_;
Orgqr<double> dorgqr_;
Ormqr<float> sormqr_;
Ormqr<double> dormqr_;
Gesdd<float> sgesdd_;
Gesdd<double> dgesdd_;
Syevd<float> ssyevd_;
Syevd<double> dsyevd_;
Geev<float> sgeev_;
Geev<double> dgeev_;
Gels<float> sgels_;
Gels<double> dgels_;
Gelsy<float> sgelsy_;
Gelsy<double> dgelsy_;
Gelss<float> sgelss_;
Gelss<double> dgelss_;
Gelsd<float> sgelsd_;
Gelsd<double> dgelsd_;
Sytrf<float> ssytrf_;
Sytrf<double> dsytrf_;
Sytrs<float> ssytrs_;
Sytrs<double> dsytrs_;
Trsm<float> cblas_strsm;
Trsm<double> cblas_dtrsm;
}

namespace luth::cpu {
namespace {

template <class T>
struct Routines;
template <>
struct Routines<float> {
  static constexpr auto getrf = sgetrf_;
  static constexpr auto potrf = spotrf_;
  static constexpr auto geqrf = sgeqrf_;
  static constexpr auto orgqr = sorgqr_;
  static constexpr auto ormqr = sormqr_;
  static constexpr auto gesdd = sgesdd_;
  static constexpr auto syevd = ssyevd_;
  static constexpr auto geev = sgeev_;
  static constexpr auto gels = sgels_;
  static constexpr auto gelsy = sgelsy_;
  static constexpr auto gelss = sgelss_;
  static constexpr auto gelsd = sgelsd_;
  static constexpr auto sytrf = ssytrf_;
  static constexpr auto sytrs = ssytrs_;
  static constexpr auto trsm = cblas_strsm;
};
template <>
struct Routines<double> {
  static constexpr auto getrf = dgetrf_;
  static constexpr auto potrf = dpotrf_;
  static constexpr auto geqrf = dgeqrf_;
  static constexpr auto orgqr = dorgqr_;
  static constexpr auto ormqr = dormqr_;
  static constexpr auto gesdd = dgesdd_;
  static constexpr auto syevd = dsyevd_;
  static constexpr auto geev = dgeev_;
  static constexpr auto gels = dgels_;
  static constexpr auto gelsy = dgelsy_;
  static constexpr auto gelss = dgelss_;
  static constexpr auto gelsd = dgelsd_;
  static constexpr auto sytrf = dsytrf_;
  static constexpr auto sytrs = dsytrs_;
  static constexpr auto trsm = cblas_dtrsm;
};

int extent(const Tensor& t, int64_t dim) {
  int64_t n = t.shape(dim);
  if (n > INT_MAX) throw Error("a matrix has {} rows or columns; LAPACK counts to {}", n, INT_MAX);
  return int(n);
}
int at_least_one(int n) { return std::max(n, 1); }

// The matrices, or vectors, of a batch.
template <class T>
struct Batch {
  Batch(const Tensor& t, int dims)
      : data(t ? t.data<T>() : nullptr), size(t ? Shape(t.shape().end() - dims, t.shape().end()).numel() : 0) {}
  T* operator[](int64_t i) const { return data ? data + i * size : nullptr; }
  T* data;
  int64_t size;
};
int64_t batches(const Tensor& t, int dims) { return Shape(t.shape().begin(), t.shape().end() - dims).numel(); }

// Calls f(i) for each matrix; what there is to do for one, in multiplications, decides how many a thread takes at once.
template <class F>
void each(int64_t count, double work, F&& f) {
  const int64_t grain = std::max<int64_t>(1, int64_t(32768 / (work + 1)));
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    one_thread();
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}
double cube(int m, int n) { return double(m) * n * std::min(m, n); }

template <class F>
void by_dtype(const Tensor& t, F&& f) {
  dispatch(Types<float, double>{}, t.dtype(), f);
}

// to [cols, rows] = from [rows, cols] transposed, both row-major; in squares that stay in the cache.
template <class T>
void transposed(const T* from, int64_t rows, int64_t cols, T* to) {
  constexpr int64_t side = 16;
  for (int64_t r = 0; r < rows; r += side)
    for (int64_t c = 0; c < cols; c += side)
      for (int64_t i = r; i < std::min(r + side, rows); ++i)
        for (int64_t j = c; j < std::min(c + side, cols); ++j) to[j * rows + i] = from[i * cols + j];
}
// A column-major copy of a row-major matrix.
template <class T>
std::vector<T> column_major(const T* a, int m, int n) {
  std::vector<T> v(size_t(m) * size_t(n) + 1);
  transposed(a, m, n, v.data());
  return v;
}
template <class T>
void row_major(const std::vector<T>& v, int m, int n, T* a) {
  transposed(v.data(), n, m, a);
}
template <class T>
void identity(T* a, int n) {
  if (!a) return;
  std::fill(a, a + int64_t(n) * n, T(0));
  for (int i = 0; i < n; ++i) a[int64_t(i) * n + i] = 1;
}

// Calls routine(work, lwork) twice: for the size of its workspace, and with it.
template <class T, class F>
void with_work(F&& routine) {
  T size = 0;
  int query = -1;
  routine(&size, &query);
  int lwork = at_least_one(int(std::ceil(double(size) * (1 + 1e-6))));  // float cannot count all sizes
  std::vector<T> work(static_cast<size_t>(lwork));
  routine(work.data(), &lwork);
}

// The iterations below run forever, or stop with a code, where they meet nan.
template <class T>
void check_finite(const Tensor& a) {
  const T* p = a.data<T>();
  for (int64_t i = 0; i < a.numel(); ++i)
    if (!std::isfinite(p[i])) throw Error("the matrix has an element that is nan or infinite");
}
void check_converged(const std::vector<int>& info) {
  for (size_t i = 0; i < info.size(); ++i)
    if (info[i]) throw Error("did not converge for matrix {} of the batch (LAPACK: {})", shown(int64_t(i)), info[i]);
}

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
      std::memcpy(y, Batch<T>(a, 2)[i], size_t(n) * size_t(n) * sizeof(T));
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
      std::memcpy(y, Batch<T>(b, 2)[i], size_t(m) * size_t(k) * sizeof(T));
      if (m && k)
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

// aᵀ = (vhᵀ) s (uᵀ): column-major vectors of aᵀ are the row-major ones of a, left and right exchanged.
void svd(const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh) {
  const int m = extent(a, -2), n = extent(a, -1), k = std::min(m, n);
  const int rank_u = u ? extent(u, -1) : 0;
  const char* job = !u ? "N" : rank_u > k || extent(vh, -2) > k ? "A" : "S";
  by_dtype(a, [&]<class T>(Type<T>) {
    check_finite<T>(a);
    std::vector<int> info(size_t(batches(a, 2)));
    each(batches(a, 2), 8 * cube(m, n), [&](int64_t i) {
      T *left = Batch<T>(u, 2)[i], *right = Batch<T>(vh, 2)[i], none = 0;
      if (!k) {
        if (u && rank_u == m) identity(left, m);
        if (vh && extent(vh, -2) == n) identity(right, n);
        return;
      }
      std::vector<T> v(Batch<T>(a, 2)[i], Batch<T>(a, 2)[i] + int64_t(m) * n);
      std::vector<int> iwork(size_t(8 * k));
      int ldu = at_least_one(n), ldv = u ? at_least_one(rank_u) : 1;
      with_work<T>([&](T* work, Int lwork) {
        Routines<T>::gesdd(job, &n, &m, v.data(), &n, Batch<T>(s, 1)[i], right ? right : &none, &ldu,
                           left ? left : &none, &ldv, work, lwork, iwork.data(), &info[size_t(i)], 1);
      });
    });
    check_converged(info);
  });
}

void eigh(bool upper, const Tensor& a, const Tensor& l, const Tensor& v) {
  const int n = extent(a, -1);
  by_dtype(a, [&]<class T>(Type<T>) {
    check_finite<T>(a);
    std::vector<int> info(size_t(batches(a, 2)));
    each(batches(a, 2), 4 * cube(n, n), [&](int64_t i) {
      if (!n) return;
      std::vector<T> x(Batch<T>(a, 2)[i], Batch<T>(a, 2)[i] + int64_t(n) * n);
      std::vector<int> iwork(1);
      int liwork = -1;
      with_work<T>([&](T* work, Int lwork) {
        Routines<T>::syevd(v ? "V" : "N", upper ? "L" : "U", &n, x.data(), &n, Batch<T>(l, 1)[i], work, lwork,
                           iwork.data(), &liwork, &info[size_t(i)], 1, 1);
        if (*lwork == -1) {
          liwork = iwork[0];
          iwork.resize(size_t(liwork));
        }
      });
      if (v) row_major(x, n, n, Batch<T>(v, 2)[i]);
    });
    check_converged(info);
  });
}

void eig(const Tensor& a, const Tensor& l, const Tensor& v) {
  const int n = extent(a, -1);
  by_dtype(a, [&]<class T>(Type<T>) {
    check_finite<T>(a);
    std::vector<int> info(size_t(batches(a, 2)));
    std::vector<T> imaginary(size_t(l.numel()));
    each(batches(a, 2), 16 * cube(n, n), [&](int64_t i) {
      if (!n) return;
      std::vector<T> x = column_major(Batch<T>(a, 2)[i], n, n), right(x.size());
      T none = 0;
      int one = 1;
      with_work<T>([&](T* work, Int lwork) {
        Routines<T>::geev("N", "V", &n, x.data(), &n, Batch<T>(l, 1)[i], imaginary.data() + i * n, &none, &one,
                          right.data(), &n, work, lwork, &info[size_t(i)], 1, 1);
      });
      row_major(right, n, n, Batch<T>(v, 2)[i]);
    });
    check_converged(info);
    for (size_t k = 0; k < imaginary.size(); ++k)
      if (imaginary[k] != 0)
        throw Error(
            "matrix {} of the batch has the complex eigenvalues {:.6g} ± {:.6g}i, and luth has no complex "
            "numbers; symmetric matrices have real ones (eigh)",
            shown(int64_t(k) / n), double(l.data<T>()[k]), double(std::abs(imaginary[k])));
  });
}

template <class T>
int least_squares(char driver, T rcond, int m, int n, int k, T* a, T* b, int* rank, T* s) {
  int lda = at_least_one(m), ldb = at_least_one(std::max(m, n)), code = 0;
  std::vector<int> ints(size_t(n) + 1);  // gelsy: which columns may move, all; gelsd: workspace
  with_work<T>([&](T* work, Int lwork) {
    switch (driver) {
      case 's': return Routines<T>::gels("N", &m, &n, &k, a, &lda, b, &ldb, work, lwork, &code, 1);
      case 'y': return Routines<T>::gelsy(&m, &n, &k, a, &lda, b, &ldb, ints.data(), &rcond, rank, work, lwork, &code);
      case 'v': return Routines<T>::gelss(&m, &n, &k, a, &lda, b, &ldb, s, &rcond, rank, work, lwork, &code);
      default:
        Routines<T>::gelsd(&m, &n, &k, a, &lda, b, &ldb, s, &rcond, rank, work, lwork, ints.data(), &code);
        if (*lwork == -1) ints.resize(size_t(ints[0]) + 1);
    }
  });
  return code;
}
void lstsq(char driver, double rcond, const Tensor& a, const Tensor& b, const Tensor& x, const Tensor& rank,
           const Tensor& s) {
  const int m = extent(a, -2), n = extent(a, -1), k = extent(b, -1), rows = std::max(m, n);
  by_dtype(a, [&]<class T>(Type<T>) {
    check_finite<T>(a);
    check_finite<T>(b);
    std::vector<int> info(size_t(batches(a, 2)));
    each(batches(a, 2), 4 * cube(m, n), [&](int64_t i) {
      std::vector<T> v = column_major(Batch<T>(a, 2)[i], m, n), y(size_t(rows) * size_t(k) + 1);
      const T* from = Batch<T>(b, 2)[i];
      for (int r = 0; r < m; ++r)
        for (int c = 0; c < k; ++c) y[size_t(c) * size_t(rows) + size_t(r)] = from[int64_t(r) * k + c];
      int found = 0;
      std::vector<T> values(size_t(std::min(m, n)) + 1);
      if (m && n)
        info[size_t(i)] = least_squares<T>(driver, T(rcond), m, n, k, v.data(), y.data(), &found, values.data());
      row_major(y, rows, k, Batch<T>(x, 2)[i]);
      if (driver != 's' && rank.numel()) rank.data<int64_t>()[i] = found;
      if ((driver == 'd' || driver == 'v') && s.numel()) std::copy_n(values.data(), std::min(m, n), Batch<T>(s, 1)[i]);
    });
    for (size_t i = 0; driver == 's' && i < info.size(); ++i)
      if (info[i] > 0)
        throw Error("matrix {} of the batch has not full rank, which driver 'gels' needs; use 'gelsy' or 'gelsd'",
                    shown(int64_t(i)));
    check_converged(info);
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
