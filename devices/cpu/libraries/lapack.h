// LAPACK for the kernels: batches of matrices, factored one by one on the threads of parallel_for. In
// libluth_cpu_libs.so (libraries.h), compiled once, not once per instruction set.
#pragma once
#include "core/tensor/tensor.h"

namespace luth::cpu {

/// All tensors are dense, on the CPU, of one float dtype (float32 or float64), with equal batch dims before the dims
/// that are named; results are allocated. `info` (int32, one per matrix) is LAPACK's: 0 where it succeeded.
struct Lapack {
  /// a [m, n] = P L U: L below the diagonal (ones on it) and U in lu [m, n]; row i was exchanged with row pivots[i]
  /// - 1.
  void (*lu)(const Tensor& a, const Tensor& lu, const Tensor& pivots, const Tensor& info);
  /// The order of rows after those exchanges, `rows` of them, from 0: perm [rows] (int64).
  void (*permutation)(const Tensor& pivots, const Tensor& perm);
  /// a [n, n], of which one triangle is read, = L Lᵀ, or Uᵀ U; the other triangle of l is 0.
  void (*cholesky)(bool upper, const Tensor& a, const Tensor& l, const Tensor& info);
  /// a [n, n] symmetric, of which the lower triangle is read, = L D Lᵀ, as LAPACK's sytrf packs it.
  void (*ldl)(const Tensor& a, const Tensor& ld, const Tensor& pivots, const Tensor& info);
  void (*ldl_solve)(const Tensor& ld, const Tensor& pivots, const Tensor& b, const Tensor& x);
  /// a [m, n]: R and the reflectors' vectors in qr [m, n], their factors in tau [min(m, n)].
  void (*geqrf)(const Tensor& a, const Tensor& qr, const Tensor& tau);
  /// The first columns of the product of the reflectors a [m, k] with tau [k]: q [m, columns].
  void (*orgqr)(const Tensor& a, const Tensor& tau, const Tensor& q);
  /// Q c, Qᵀ c, c Q or c Qᵀ for the whole product Q of those reflectors; c [m, n].
  void (*ormqr)(bool left, bool transpose, const Tensor& a, const Tensor& tau, const Tensor& c, const Tensor& y);
  /// a [m, n] = u s vh; s [k] descends, k = min(m, n); u [m, k or m] and vh [k or n, n] are null where not wanted.
  void (*svd)(const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh);
  /// a [n, n], of which one triangle is read, = v l vᵀ; l ascends; v may be null.
  void (*eigh)(bool upper, const Tensor& a, const Tensor& l, const Tensor& v);
  /// a v = v l; columns of v [n, n] have length 1. Throws where an eigenvalue is not real.
  void (*eig)(const Tensor& a, const Tensor& l, const Tensor& v);
  /// Least squares: a [m, n], b [m, k]; x [max(m, n), k] has the solution in its first n rows; rank (int64) and s
  /// [min(m, n)] where the driver ('s' gels, 'y' gelsy, 'd' gelsd, 'v' gelss) finds them, else untouched.
  void (*lstsq)(char driver, double rcond, const Tensor& a, const Tensor& b, const Tensor& x, const Tensor& rank,
                const Tensor& s);
};

/// Opens the library on first use.
const Lapack& lapack();

}  // namespace luth::cpu
