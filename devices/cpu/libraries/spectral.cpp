// LAPACK's singular values, eigenvalues and least squares, batched.
#include <algorithm>
#include <cmath>
#include <vector>

#include "devices/cpu/libraries/lapack_batches.h"

namespace luth::cpu {
namespace {

template <class T>
void identity(T* a, int n) {
  if (!a) return;
  std::fill(a, a + int64_t(n) * n, T(0));
  for (int i = 0; i < n; ++i) a[int64_t(i) * n + i] = 1;
}

// LAPACK's iterations run forever, or stop with a code, where they meet nan.
void check_finite(const Tensor& a) {
  by_dtype(a, [&]<class T>(Type<T>) {
    const T* p = a.data<T>();
    for (int64_t i = 0; i < a.numel(); ++i)
      if (!std::isfinite(p[i])) throw Error("the matrix has an element that is nan or infinite");
  });
}
void check_converged(const std::vector<int>& info) {
  for (size_t i = 0; i < info.size(); ++i)
    if (info[i]) throw Error("did not converge for matrix {} of the batch (LAPACK: {})", shown(int64_t(i)), info[i]);
}
// The codes of iterative routines: f(Type<T>(), i, code) for each matrix of a, all of which must be finite.
template <class F>
std::vector<int> iterate(const Tensor& a, double work, F f) {
  check_finite(a);
  std::vector<int> info(size_t(batches(a, 2)));
  each_matrix(a, work, [&](auto type, int64_t i) { f(type, i, &info[size_t(i)]); });
  return info;
}

template <class T>
int least_squares(char driver, T rcond, int m, int n, int k, T* a, T* b, int* rank, T* s) {
  int lda = at_least_one(m), ldb = at_least_one(std::max(m, n)), code = 0;
  std::vector<int> ints(size_t(n) + 1);  // gelsy: which columns may move, all; gelsd: workspace
  with_work<T>([&](T* work, Int lwork) {
    switch (driver) {
      case 's': return routines<T>.gels("N", &m, &n, &k, a, &lda, b, &ldb, work, lwork, &code, 1);
      case 'y': return routines<T>.gelsy(&m, &n, &k, a, &lda, b, &ldb, ints.data(), &rcond, rank, work, lwork, &code);
      case 'v': return routines<T>.gelss(&m, &n, &k, a, &lda, b, &ldb, s, &rcond, rank, work, lwork, &code);
      default:
        routines<T>.gelsd(&m, &n, &k, a, &lda, b, &ldb, s, &rcond, rank, work, lwork, ints.data(), &code);
        if (*lwork == -1) ints.resize(size_t(ints[0]) + 1);
    }
  });
  return code;
}
}  // namespace

// aᵀ = (vhᵀ) s (uᵀ): column-major vectors of aᵀ are the row-major ones of a, left and right exchanged.
void svd(const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh) {
  const int m = extent(a, -2), n = extent(a, -1), k = std::min(m, n);
  const int rank_u = u ? extent(u, -1) : 0;
  const char* job = !u ? "N" : rank_u > k || extent(vh, -2) > k ? "A" : "S";
  check_converged(iterate(a, 8 * cube(m, n), [&]<class T>(Type<T>, int64_t i, int* code) {
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
      routines<T>.gesdd(job, &n, &m, v.data(), &n, Batch<T>(s, 1)[i], right ? right : &none, &ldu, left ? left : &none,
                        &ldv, work, lwork, iwork.data(), code, 1);
    });
  }));
}

void eigh(bool upper, const Tensor& a, const Tensor& l, const Tensor& v) {
  const int n = extent(a, -1);
  check_converged(iterate(a, 4 * cube(n, n), [&]<class T>(Type<T>, int64_t i, int* code) {
    if (!n) return;
    std::vector<T> x(Batch<T>(a, 2)[i], Batch<T>(a, 2)[i] + int64_t(n) * n);
    std::vector<int> iwork(1);
    int liwork = -1;
    with_work<T>([&](T* work, Int lwork) {
      routines<T>.syevd(v ? "V" : "N", upper ? "L" : "U", &n, x.data(), &n, Batch<T>(l, 1)[i], work, lwork,
                        iwork.data(), &liwork, code, 1, 1);
      if (*lwork == -1) {
        liwork = iwork[0];
        iwork.resize(size_t(liwork));
      }
    });
    if (v) row_major(x, n, n, Batch<T>(v, 2)[i]);
  }));
}

void eig(const Tensor& a, const Tensor& l, const Tensor& v) {
  const int n = extent(a, -1);
  const Tensor imaginary = Tensor::empty(l.shape(), l.dtype(), l.device());
  check_converged(iterate(a, 16 * cube(n, n), [&]<class T>(Type<T>, int64_t i, int* code) {
    if (!n) return;
    std::vector<T> x = column_major(Batch<T>(a, 2)[i], n, n), right(x.size());
    T none = 0;
    int one = 1;
    with_work<T>([&](T* work, Int lwork) {
      routines<T>.geev("N", "V", &n, x.data(), &n, Batch<T>(l, 1)[i], Batch<T>(imaginary, 1)[i], &none, &one,
                       right.data(), &n, work, lwork, code, 1, 1);
    });
    row_major(right, n, n, Batch<T>(v, 2)[i]);
  }));
  by_dtype(a, [&]<class T>(Type<T>) {
    const T *re = l.data<T>(), *im = imaginary.data<T>();
    for (int64_t k = 0; k < l.numel(); ++k)
      if (im[k] != 0)
        throw Error(
            "matrix {} of the batch has the complex eigenvalues {:.6g} ± {:.6g}i, and luth has no complex "
            "numbers; symmetric matrices have real ones (eigh)",
            shown(k / n), double(re[k]), double(std::abs(im[k])));
  });
}

void lstsq(char driver, double rcond, const Tensor& a, const Tensor& b, const Tensor& x, const Tensor& rank,
           const Tensor& s) {
  const int m = extent(a, -2), n = extent(a, -1), k = extent(b, -1), rows = std::max(m, n);
  check_finite(b);
  const std::vector<int> info = iterate(a, 4 * cube(m, n), [&]<class T>(Type<T>, int64_t i, int* code) {
    std::vector<T> v = column_major(Batch<T>(a, 2)[i], m, n), y(size_t(rows) * size_t(k) + 1);
    const T* from = Batch<T>(b, 2)[i];
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < k; ++c) y[size_t(c) * size_t(rows) + size_t(r)] = from[int64_t(r) * k + c];
    int found = 0;
    std::vector<T> values(size_t(std::min(m, n)) + 1);
    if (m && n) *code = least_squares<T>(driver, T(rcond), m, n, k, v.data(), y.data(), &found, values.data());
    row_major(y, rows, k, Batch<T>(x, 2)[i]);
    if (driver != 's' && rank.numel()) rank.data<int64_t>()[i] = found;
    if ((driver == 'd' || driver == 'v') && s.numel()) std::copy_n(values.data(), std::min(m, n), Batch<T>(s, 1)[i]);
  });
  for (size_t i = 0; driver == 's' && i < info.size(); ++i)
    if (info[i] > 0)
      throw Error("matrix {} of the batch has not full rank, which driver 'gels' needs; use 'gelsy' or 'gelsd'",
                  shown(int64_t(i)));
  check_converged(info);
}

}  // namespace luth::cpu
