// OpenBLAS's LAPACK by dtype, and how its routines run over batches. LAPACK is column-major: a row-major matrix is its
// transpose there, which some routines take as it is; for the others matrices are transposed before and after.
#pragma once
#include <algorithm>
#include <climits>
#include <cmath>
#include <vector>

#include "core/base/threads.h"
#include "devices/cpu/libraries/internal.h"
#include "devices/cpu/libraries/lapack.h"

namespace luth::cpu {

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
// clang-format on

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
}

template <class T>
struct Routines {
  Getrf<T>* getrf;
  Potrf<T>* potrf;
  Geqrf<T>* geqrf;
  Orgqr<T>* orgqr;
  Ormqr<T>* ormqr;
  Gesdd<T>* gesdd;
  Syevd<T>* syevd;
  Geev<T>* geev;
  Gels<T>* gels;
  Gelsy<T>* gelsy;
  Gelss<T>* gelss;
  Gelsd<T>* gelsd;
  Sytrf<T>* sytrf;
  Sytrs<T>* sytrs;
};
template <class T>
inline constexpr Routines<T> routines;
template <>
inline constexpr Routines<float> routines<float>{sgetrf_, spotrf_, sgeqrf_, sorgqr_, sormqr_, sgesdd_, ssyevd_,
                                                 sgeev_,  sgels_,  sgelsy_, sgelss_, sgelsd_, ssytrf_, ssytrs_};
template <>
inline constexpr Routines<double> routines<double>{dgetrf_, dpotrf_, dgeqrf_, dorgqr_, dormqr_, dgesdd_, dsyevd_,
                                                   dgeev_,  dgels_,  dgelsy_, dgelss_, dgelsd_, dsytrf_, dsytrs_};

inline int extent(const Tensor& t, int64_t dim) {
  int64_t n = t.shape(dim);
  if (n > INT_MAX) throw Error("a matrix has {} rows or columns; LAPACK counts to {}", n, INT_MAX);
  return int(n);
}
inline int at_least_one(int n) { return std::max(n, 1); }

// A batch of matrices, or vectors: element i is where the i-th begins.
template <class T>
struct Batch {
  Batch(const Tensor& t, int dims)
      : data(t ? t.data<T>() : nullptr), size(t ? Shape(t.shape().end() - dims, t.shape().end()).numel() : 0) {}
  T* operator[](int64_t i) const { return data ? data + i * size : nullptr; }
  T* data;
  int64_t size;
};
inline int64_t batches(const Tensor& t, int dims) { return Shape(t.shape().begin(), t.shape().end() - dims).numel(); }

// Calls f(i) for each i < count, in parallel. `work`: multiplications of one call; they decide how many a thread takes
// at once.
template <class F>
void each(int64_t count, double work, F&& f) {
  const int64_t grain = std::max<int64_t>(1, int64_t(32768 / (work + 1)));
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    one_thread();
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}
inline double cube(int m, int n) { return double(m) * n * std::min(m, n); }

template <class F>
void by_dtype(const Tensor& t, F&& f) {
  dispatch(Types<float, double>{}, t.dtype(), f);
}
// Calls f(Type<T>(), i) for each matrix of a, in parallel; T is the type of its elements.
template <class F>
void each_matrix(const Tensor& a, double work, F f) {
  by_dtype(a, [&]<class T>(Type<T> type) { each(batches(a, 2), work, [&](int64_t i) { f(type, i); }); });
}

// to [cols, rows] = from [rows, cols] transposed, both row-major; by tiles that fit the cache.
template <class T>
void transposed(const T* from, int64_t rows, int64_t cols, T* to) {
  constexpr int64_t tile = 16;
  for (int64_t r = 0; r < rows; r += tile)
    for (int64_t c = 0; c < cols; c += tile)
      for (int64_t i = r; i < std::min(r + tile, rows); ++i)
        for (int64_t j = c; j < std::min(c + tile, cols); ++j) to[j * rows + i] = from[i * cols + j];
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
// Calls routine(work, lwork) twice: first for the size of its workspace, then with the workspace.
template <class T, class F>
void with_work(F&& routine) {
  T size = 0;
  int query = -1;
  routine(&size, &query);
  int lwork = at_least_one(int(std::ceil(double(size) * (1 + 1e-6))));  // a float does not have every size exactly
  std::vector<T> work(static_cast<size_t>(lwork));
  routine(work.data(), &lwork);
}

// Members of the table Lapack that spectral.cpp defines.
void svd(const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh);
void eigh(bool upper, const Tensor& a, const Tensor& l, const Tensor& v);
void eig(const Tensor& a, const Tensor& l, const Tensor& v);
void lstsq(char driver, double rcond, const Tensor& a, const Tensor& b, const Tensor& x, const Tensor& rank,
           const Tensor& s);

}  // namespace luth::cpu
