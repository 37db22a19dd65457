// Products of row-major matrices on one thread: own loops for small ones, a library by size for the rest. For the
// kernels of matmul, conv and whoever else needs a product.
#pragma once
#include <cstdint>

#include "core/base/dtype.h"
#include "devices/cpu/kernels/common/matrix.h"

namespace luth::cpu {

/// C[m,n] = alpha A[m,k] B[k,n] + beta C, with C's rows ldc apart and its columns adjacent; C is not read where beta is
/// 0. T is float, double or an integer (which wraps). Any strides of A and B: what is not dense is packed. Serial; the
/// bits of the result depend on shapes and strides alone.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc);

/// Tiles of C that a product of this size is computed in, by one thread each: `down` times `across` of rows x cols.
struct Tiles {
  int64_t rows, cols, down, across;
};
Tiles tiles_of(int64_t m, int64_t n, int64_t k);

/// The same on several threads, by tiles of C that depend on the shape alone.
template <class T>
void parallel_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t ldc);

/// sum of x[i] * y[i]; the order of summation depends on n alone.
template <class T>
T dot(int64_t n, const T* x, const T* y);

}  // namespace luth::cpu
