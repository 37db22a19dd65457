// OpenBLAS's LAPACK by dtype, and how its routines run over batches. LAPACK is column-major: a row-major matrix is its
// transpose there, which some routines take as it is; for the others matrices are transposed on the way in and out.
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
template <class T> using Trsm = void(int order, int side, int uplo, int trans, int diag, int m, int n, T alpha, const T* a, int lda, T* b, int ldb);
// clang-format on

}  // namespace luth::cpu

extern "C" {
luth::cpu::Getrf<float> sgetrf_;
luth::cpu::Getrf<double> dgetrf_;
luth::cpu::Potrf<float> spotrf_;
luth::cpu::Potrf<double> dpotrf_;
luth::cpu::Geqrf<float> sgeqrf_;
luth::cpu::Geqrf<double> dgeqrf_;
luth::cpu::Orgqr<float> sorgqr_;
luth::cpu::Orgqr<double> dorgqr_;
luth::cpu::Ormqr<float> sormqr_;
luth::cpu::Ormqr<double> dormqr_;
luth::cpu::Gesdd<float> sgesdd_;
luth::cpu::Gesdd<double> dgesdd_;
luth::cpu::Syevd<float> ssyevd_;
luth::cpu::Syevd<double> dsyevd_;
luth::cpu::Geev<float> sgeev_;
luth::cpu::Geev<double> dgeev_;
luth::cpu::Gels<float> sgels_;
luth::cpu::Gels<double> dgels_;
luth::cpu::Gelsy<float> sgelsy_;
luth::cpu::Gelsy<double> dgelsy_;
luth::cpu::Gelss<float> sgelss_;
luth::cpu::Gelss<double> dgelss_;
luth::cpu::Gelsd<float> sgelsd_;
luth::cpu::Gelsd<double> dgelsd_;
luth::cpu::Sytrf<float> ssytrf_;
luth::cpu::Sytrf<double> dsytrf_;
luth::cpu::Sytrs<float> ssytrs_;
luth::cpu::Sytrs<double> dsytrs_;
luth::cpu::Trsm<float> cblas_strsm;
luth::cpu::Trsm<double> cblas_dtrsm;
}

namespace luth::cpu {

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

inline int extent(const Tensor& t, int64_t dim) {
  int64_t n = t.shape(dim);
  if (n > INT_MAX) throw Error("a matrix has {} rows or columns; LAPACK counts to {}", n, INT_MAX);
  return int(n);
}
inline int at_least_one(int n) { return std::max(n, 1); }

// The matrices, or vectors, of a batch.
template <class T>
struct Batch {
  Batch(const Tensor& t, int dims)
      : data(t ? t.data<T>() : nullptr), size(t ? Shape(t.shape().end() - dims, t.shape().end()).numel() : 0) {}
  T* operator[](int64_t i) const { return data ? data + i * size : nullptr; }
  T* data;
  int64_t size;
};
inline int64_t batches(const Tensor& t, int dims) { return Shape(t.shape().begin(), t.shape().end() - dims).numel(); }

// Calls f(i) for each matrix; what there is to do for one, in multiplications, decides how many a thread takes at once.
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

// Of the table Lapack, in libs_spectral.cpp.
void svd(const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh);
void eigh(bool upper, const Tensor& a, const Tensor& l, const Tensor& v);
void eig(const Tensor& a, const Tensor& l, const Tensor& v);
void lstsq(char driver, double rcond, const Tensor& a, const Tensor& b, const Tensor& x, const Tensor& rank,
           const Tensor& s);

}  // namespace luth::cpu
