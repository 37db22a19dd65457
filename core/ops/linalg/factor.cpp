#include "core/ops/linalg/factor.h"

#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/linalg/matrix_parts.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/diagonal.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
using namespace matrix;

// ---- LU ------------------------------------------------------------------------------------------------------------

Tensors LuFactorEx::decompose(const Inputs& in) const {
  need_matrix(in[0], "A");
  if (!pivot) throw Error("LAPACK exchanges rows always; leave out pivot = false");
  Tensors f = lapack_lu(in[0]);
  if (check_errors)
    if (Failure bad = first_failure(f[2]); bad.code)
      throw Error("{} is singular: element {} of U's diagonal is 0", bad.which, shown(bad.code - 1));
  return f;
}
Tensors LuFactor::decompose(const Inputs& in) const {
  Tensors f = lu_factor_ex(in[0], {{pivot}, true});
  f.pop_back();
  return f;
}
namespace {
Tensor permutation_matrix(const Tensor& pivots, const Tensor& like, int64_t m) {
  const Tensor perm = lapack_permutation(pivots, {.rows = m});
  return cast_to(eq(unsqueeze(perm, {-2}), unsqueeze(counting(m, perm.device()), {1})), like.dtype());
}
}  // namespace
Tensors LinalgLu::decompose(const Inputs& in) const {
  const Tensors f = lu_factor_ex(in[0], {{pivot}, false});
  return {permutation_matrix(f[1], f[0], f[0].shape(-2)), unpack_l(f[0]), unpack_u(f[0])};
}
Tensors LuUnpack::decompose(const Inputs& in) const {
  need_matrix(in[0], "LU_data");
  const Tensor &lu = in[0], none = full({0}, 0, lu.dtype(), lu.device());
  return {unpack_pivots ? permutation_matrix(in[1], lu, lu.shape(-2)) : none, unpack_data ? unpack_l(lu) : none,
          unpack_data ? unpack_u(lu) : none};
}
// A = P L U, and X A = B is Aᵀ Xᵀ = Bᵀ.
Tensor LuSolve::decompose(const Inputs& in) const {
  need_square(in[0], "LU");
  need_matrix(in[2], "B");
  need_same_dtype(in[0], in[2]);
  const Tensor &lu = in[0], b = left ? in[2].tensor() : swapped(in[2]);
  if (b.shape(-2) != lu.shape(-1))
    throw Error("LU of shape {} does not fit B of shape {}", to_string(lu.shape()), to_string(in[2].shape()));
  const Tensor perm = lapack_permutation(in[1], {.rows = lu.shape(-1)});
  Tensor x;
  if (left != adjoint) {
    const Tensor y = triangular_solve(lu, permuted(b, perm), {.upper = false, .unitriangular = true});
    x = triangular_solve(lu, y, {.upper = true});
  } else {
    const Tensor t = swapped(lu), y = triangular_solve(t, b, {.upper = false});
    x = permuted_back(triangular_solve(t, y, {.upper = true, .unitriangular = true}), perm);
  }
  return left ? x : swapped(x);
}

Tensors Lu::decompose(const Inputs& in) const {
  Tensors f = lu_factor_ex(in[0], {{pivot}, false});
  if (!get_infos) f.pop_back();
  return f;
}
Tensor LuSolveFor::decompose(const Inputs& in) const { return lu_solve(in[1], in[2], in[0]); }

// ---- Cholesky ------------------------------------------------------------------------------------------------------

Tensors CholeskyEx::decompose(const Inputs& in) const {
  need_square(in[0], "the matrix");
  Tensors f = lapack_cholesky(in[0], {.upper = upper});
  if (check_errors)
    if (Failure bad = first_failure(f[1]); bad.code)
      throw Error("{} is not positive definite: its leading minor of order {} is not positive", bad.which, bad.code);
  return f;
}
Tensor LinalgCholesky::decompose(const Inputs& in) const { return CholeskyEx{upper, true}.decompose(in)[0]; }
Tensor Cholesky::decompose(const Inputs& in) const { return CholeskyEx{upper, true}.decompose(in)[0]; }

namespace {
// A X = B with A = L Lᵀ, or Uᵀ U.
Tensor solve_by_cholesky(const Tensor& b, const Tensor& factor, bool upper) {
  const Tensor l = upper ? swapped(factor) : factor;
  return triangular_solve(swapped(l), triangular_solve(l, b, {.upper = false}), {.upper = true});
}
}  // namespace
Tensor CholeskySolve::decompose(const Inputs& in) const {
  need_matrix(in[0], "input");
  need_square(in[1], "the factor");
  return solve_by_cholesky(in[0], in[1], upper);
}
// The gradients by the factor fill its other triangle too, as PyTorch's do: those of L Lᵀ for any L.
Tensors CholeskySolve::vjp(const Call& c, const Tensor& dy) const {
  const Tensor gb = cholesky_solve(dy, c.in[1], {upper});
  if (!c.wants(1)) return {sum_to(gb, c.in[0].shape()), Tensor()};
  const Tensor &l = c.in[1], outer = matmul(gb, swapped(c.out[0])), both = add(outer, swapped(outer));
  return {c.wants(0) ? sum_to(gb, c.in[0].shape()) : Tensor(),
          sum_to(neg(upper ? matmul(l, both) : matmul(both, l)), l.shape())};
}
Tensor CholeskyInverse::decompose(const Inputs& in) const {
  need_square(in[0], "the factor");
  const Tensor zeros =
      cast_to(sum_over(cast_to(eq(luth::diagonal(in[0], {{0, -2, -1}}), 0), Dtype::i32), {-1}), Dtype::i32);
  if (Failure bad = first_failure(zeros); bad.code)
    throw Error("{} has a 0 in its diagonal, and no inverse", bad.which);
  return solve_by_cholesky(identity(in[0].tensor().shape(-1), in[0]), in[0], upper);
}

Tensors CholeskyInverse::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &l = c.in[0], &y = c.out[0];
  const Tensor inner = matmul(y, matmul(add(dy, swapped(dy)), y));
  return {neg(upper ? matmul(l, inner) : matmul(inner, l))};
}

// ---- QR ------------------------------------------------------------------------------------------------------------

Tensors LinalgQr::decompose(const Inputs& in) const {
  need_matrix(in[0], "A");
  if (mode != "reduced" && mode != "complete" && mode != "r")
    throw Error("mode is 'reduced', 'complete' or 'r', got '{}'", mode);
  const Tensors f = lapack_geqrf(in[0]);
  const int64_t m = f[0].shape(-2), n = f[0].shape(-1), k = mode == "complete" ? m : std::min(m, n);
  const Tensor r = triu(rows(f[0], 0, k));
  if (mode == "r") return {full({0}, 0, r.dtype(), r.device()), r};
  return {lapack_orgqr(columns(f[0], 0, std::min(m, n)), f[1], {.columns = k}), r};
}
// With N = triu(gR Rᵀ - Qᵀ gQ) and its strict part mirrored: gA = (gQ + Q (N + Nᵀ - diag N)) R⁻ᵀ. A wide A = [X Y] with
// R = [U V] has gX as above with gQ + Y gVᵀ, and gY = Q gV (Walter and Lehmann, 2010).
Tensors LinalgQr::vjp(const Call& c, const Tensors& dy) const {
  if (mode == "r") throw Error("mode 'r' has no gradient; use 'reduced'");
  const Tensor &q = c.out[0], &r = c.out[1];
  const int64_t m = q.shape(-2), n = r.shape(-1), k = std::min(m, n);
  if (mode == "complete" && m > n) throw Error("mode 'complete' has no gradient for more rows than columns");
  const Tensor u = columns(r, 0, k);
  Tensor gq = dy[0], gu = dy[1] ? columns(dy[1], 0, k) : Tensor(), gv;
  if (n > k && dy[1]) {
    gv = columns(dy[1], k, n - k);
    gq = plus(gq, matmul(matmul(q, columns(r, k, n - k)), swapped(gv)));
  }
  Tensor inner = gu ? matmul(gu, swapped(u)) : Tensor();
  if (gq) inner = inner ? sub(inner, matmul(swapped(q), gq)) : mul(matmul(swapped(q), gq), -1);
  if (!inner) return {Tensor()};
  const Tensor above = triu(inner);
  const Tensor whole = plus(gq, matmul(q, add(above, swapped(triu(inner, {1})))));
  Tensor ga = triangular_solve(swapped(u), whole, {.upper = false, .left = false});
  if (n > k) ga = cat({ga, gv ? matmul(q, gv) : zeros_of(matmul(q, columns(r, k, n - k)))}, {-1});
  return {ga};
}
Tensors Qr::decompose(const Inputs& in) const { return linalg_qr(in[0], {some ? "reduced" : "complete"}); }

Tensors Geqrf::decompose(const Inputs& in) const {
  need_matrix(in[0], "input");
  return lapack_geqrf(in[0].tensor().detach());
}

namespace {
// H_i c for the reflector of column i: I - tau_i v vᵀ with v = (0 … 0, 1, below the diagonal of a).
Tensor reflect(const Tensor& vectors, const Tensor& tau, int64_t i, const Tensor& c) {
  const Tensor v = columns(vectors, i, 1), t = unsqueeze(narrow(tau, {-1, i, 1}), {-1});
  return sub(c, mul(matmul(v, matmul(swapped(v), c)), t));
}
// By operators that have gradients: one reflector after the other.
Tensor product_of_reflectors(const Tensor& a, const Tensor& tau, bool transpose, Tensor c) {
  const int64_t k = tau.shape(-1);
  const Tensor vectors = unpack_l(columns(a, 0, std::min(a.shape(-1), a.shape(-2))));
  for (int64_t i = 0; i < k; ++i) c = reflect(vectors, tau, transpose ? i : k - 1 - i, c);
  return c;
}
Tensor householder(const Inputs& in) {
  need_matrix(in[0], "input");
  const Tensor &a = in[0], &tau = in[1];
  const int64_t m = a.shape(-2), n = a.shape(-1);
  if (m < n) throw Error("input must have at least as many rows as columns, got shape {}", to_string(a.shape()));
  const Tensor q = lapack_orgqr(a, tau, {.columns = n});
  if (!recorded(in)) return q;
  const Tensor start = with_batch(columns(identity(m, a), 0, n), batch_of(a.shape()));
  return product_of_reflectors(a, tau, false, start);
}
}  // namespace
Tensor HouseholderProduct::decompose(const Inputs& in) const { return householder(in); }
Tensor Orgqr::decompose(const Inputs& in) const { return householder(in); }
Tensor Ormqr::decompose(const Inputs& in) const {
  need_matrix(in[0], "input");
  const Tensor y = lapack_ormqr(in[0], in[1], in[2], {.left = left, .transpose = transpose});
  if (!recorded(in)) return y;
  if (left) return product_of_reflectors(in[0], in[1], transpose, in[2]);
  return swapped(product_of_reflectors(in[0], in[1], !transpose, swapped(in[2])));
}

// ---- LDL -----------------------------------------------------------------------------------------------------------

Tensors LdlFactorEx::decompose(const Inputs& in) const {
  need_square(in[0], "the matrix");
  Tensors f = lapack_ldl(in[0]);
  if (check_errors)
    if (Failure bad = first_failure(f[2]); bad.code)
      throw Error("{} is singular: element {} of D's diagonal is 0", bad.which, shown(bad.code - 1));
  return f;
}
Tensors LdlFactor::decompose(const Inputs& in) const {
  Tensors f = LdlFactorEx{{hermitian}, true}.decompose(in);
  f.pop_back();
  return f;
}
Tensor LdlSolve::decompose(const Inputs& in) const {
  need_square(in[0], "LD");
  need_matrix(in[2], "B");
  const Shape batch = broadcast(batch_of(in[0].shape()), batch_of(in[2].shape()));
  return lapack_ldl_solve(with_batch(in[0], batch), with_batch(in[1], batch, 1), with_batch(in[2], batch));
}

}  // namespace luth::ops
