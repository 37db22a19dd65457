#include "core/ops/linalg/solve.h"

#include <cmath>
#include <limits>

#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/factor.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/linalg/matrix_parts.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
using namespace matrix;
namespace {

void throw_if_singular(const Tensor& info) {
  if (Failure bad = first_failure(info); bad.code)
    throw Error("{} is singular: element {} of the diagonal of its U is 0", bad.which, shown(bad.code - 1));
}
// A batch of vectors in place of matrices, by PyTorch's rule.
bool holds_vectors(const Tensor& a, const Value& b) {
  return b.dim() == 1 || (b.dim() == a.dim() - 1 && b.shape() == batch_of(a.shape(), 1));
}

}  // namespace

// ---- systems -------------------------------------------------------------------------------------------------------

Tensors SolveLu::decompose(const Inputs& in) const {
  const Tensors f = lapack_lu(in[0]);
  return {lu_solve(f[0], f[1], in[1]), f[0], f[1], f[2]};
}
Tensors SolveLu::vjp(const Call& c, const Tensors& dy) const {
  const Tensor &x = c.out[0], &lu = c.out[1], &pivots = c.out[2];
  Tensor ga, gb;
  if (dy[0]) {
    gb = lu_solve(lu, pivots, dy[0], {.adjoint = true});
    if (c.wants(0)) ga = neg(matmul(gb, swapped(x)));
  }
  if (dy[1] && c.wants(0)) ga = plus(ga, lu_gradient(lu, pivots, dy[1]));  // of a gradient that used the factors
  return {ga, gb};
}
Tensors SolveEx::decompose(const Inputs& in) const {
  need_square(in[0], "A");
  need_same_dtype(in[0], in[1]);
  const Tensor& a = in[0];
  const bool vectors = holds_vectors(a, in[1]);
  if (vectors && !left) throw Error("left = false wants matrices B, got shape {}", to_string(in[1].shape()));
  Tensor b = vectors ? unsqueeze(in[1], {-1}) : in[1].tensor();
  need_matrix(b, "B");
  if (a.shape(-1) != b.shape(left ? -2 : -1))
    throw Error("A of shape {} does not fit B of shape {}", to_string(a.shape()), to_string(in[1].shape()));
  const Shape batch = broadcast(batch_of(a.shape()), batch_of(b.shape()));
  const Tensor wide_a = with_batch(a, batch), wide_b = with_batch(b, batch);
  const Tensors f = left ? solve_lu(wide_a, wide_b) : solve_lu(swapped(wide_a), swapped(wide_b));
  if (check_errors) throw_if_singular(f[3]);
  const Tensor x = left ? f[0] : swapped(f[0]);
  return {vectors ? squeeze(x, {Ints{-1}}) : x, f[3]};
}
Tensor Solve::decompose(const Inputs& in) const { return SolveEx{left, true}.decompose(in)[0]; }
Tensor SolveTriangular::decompose(const Inputs& in) const {
  need_square(in[0], "A");
  need_matrix(in[1], "B");
  return triangular_solve(in[0], in[1], {.upper = upper, .left = left, .unitriangular = unitriangular});
}

Tensors InvEx::decompose(const Inputs& in) const {
  need_square(in[0], "A");
  const Tensors f = lapack_lu(in[0]);
  if (check_errors) throw_if_singular(f[2]);
  return {lu_solve(f[0], f[1], identity(f[0].shape(-1), f[0])), f[2]};
}
Tensors InvEx::vjp(const Call& c, const Tensors& dy) const {
  if (!dy[0]) return {Tensor()};
  const Tensor t = swapped(c.out[0]);
  return {neg(matmul(t, matmul(dy[0], t)))};
}
Tensor LinalgInv::decompose(const Inputs& in) const { return inv_ex(in[0], {true})[0]; }
Tensor Inverse::decompose(const Inputs& in) const { return inv_ex(in[0], {true})[0]; }

// ---- determinants --------------------------------------------------------------------------------------------------

namespace {
// The sign of the permutation that the pivots make, 1 or -1.
Tensor parity(const Tensor& pivots, Dtype dtype) {
  const Tensor moved = ne(pivots, add(counting(pivots.shape(-1), pivots.device()), 1));
  return cast_to(sub(1, mul(remainder(sum_over(moved, {-1}), 2), 2)), dtype);
}
Prod last_dim() {
  Prod over;
  over.dim = -1;
  return over;
}
Tensor each_matrix(const Tensor& t) { return unsqueeze(unsqueeze(t, {-1}), {-1}); }
// d det / dA for any matrix, by its singular values: det U det V U diag(products of the others) Vᵀ.
Tensor cofactors(const Tensor& a) {
  const Tensors f = lapack_svd(a);
  const int64_t n = a.shape(-1);
  const Tensor row = unsqueeze(f[1], {-2});
  const Tensor others = prod(where(diagonal_mask(n, a.device()), 1, expand_to(row, a.shape())), last_dim());
  const Tensor sign = mul(det(f[0]), det(f[2]));
  return mul(matmul(scale_columns(f[0], others), f[2]), each_matrix(sign));
}
}  // namespace

Tensor LinalgDet::decompose(const Inputs& in) const {
  need_square(in[0], "A");
  const Tensors f = lapack_lu(in[0]);
  return mul(prod(main_diagonal(f[0]), last_dim()), parity(f[1], f[0].dtype()));
}
Tensors LinalgDet::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& a = c.in[0];
  if (!holds_everywhere(ne(c.out[0], 0))) return {mul(cofactors(a), each_matrix(dy))};
  return {mul(swapped(inv_ex(a)[0]), each_matrix(mul(dy, c.out[0])))};
}
Tensor Det::decompose(const Inputs& in) const { return det(in[0]); }

Tensors LinalgSlogdet::decompose(const Inputs& in) const {
  need_square(in[0], "A");
  const Tensors f = lapack_lu(in[0]);
  const Tensor d = main_diagonal(f[0]);
  return {mul(prod(sign(d), last_dim()), parity(f[1], d.dtype())), sum_over(log(abs(d)), {-1})};
}
Tensors LinalgSlogdet::vjp(const Call& c, const Tensors& dy) const {
  if (!dy[1]) return {Tensor()};
  return {mul(swapped(inv_ex(c.in[0])[0]), each_matrix(dy[1]))};
}
Tensors Slogdet::decompose(const Inputs& in) const { return slogdet(in[0]); }
Tensor Logdet::decompose(const Inputs& in) const {
  const Tensors f = slogdet(in[0]);
  return where(lt(f[0], 0), std::numeric_limits<double>::quiet_NaN(), f[1]);
}

// ---- least squares and pseudo-inverses ------------------------------------------------------------------------------

namespace {
double precision(Dtype d) {
  return d == Dtype::f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}
// The gradient by A of the pseudo-inverse P of A (Golub and Pereyra, 1973), g that of P.
Tensor pinv_gradient(const Tensor& a, const Tensor& p, const Tensor& g) {
  const Tensor gt = swapped(g), pt = swapped(p);
  if (a.shape(-2) <= a.shape(-1)) {
    const Tensor k = matmul(gt, p), kp = matmul(k, pt);
    const Tensor first = sub(kp, swapped(matmul(p, k)));
    return add(sub(first, matmul(matmul(a, p), kp)), matmul(matmul(pt, p), sub(gt, matmul(k, a))));
  }
  const Tensor k = matmul(p, gt), pk = matmul(pt, k);
  const Tensor first = sub(pk, swapped(matmul(k, p)));
  return sub(add(first, matmul(matmul(sub(gt, matmul(a, k)), p), pt)), matmul(matmul(pk, p), a));
}
}  // namespace

Tensors LstsqMatrix::decompose(const Inputs& in) const {
  const Tensor &a = in[0], &b = in[1];
  const int64_t m = a.shape(-2), n = a.shape(-1);
  const Tensors f = lapack_lstsq(a, b, {.driver = driver, .rcond = rcond});
  Tensor residuals = full({0}, 0, a.dtype(), a.device());
  if (m > n && driver != "gelsy" && (driver == "gels" || holds_everywhere(eq(f[1], n)))) {
    const Tensor rest = rows(f[0], n, m - n);
    residuals = sum_over(mul(rest, rest), {-2});
  }
  return {contiguous(rows(f[0], 0, n)), residuals, f[1], f[2]};
}
Tensors LstsqMatrix::vjp(const Call& c, const Tensors& dy) const {
  const Tensor &a = c.in[0], &b = c.in[1], &x = c.out[0];
  Tensor ga, gb;
  if (dy[0]) {
    const Tensor p = pinv(a, {}, {});
    gb = matmul(swapped(p), dy[0]);
    ga = pinv_gradient(a, p, matmul(dy[0], swapped(b)));
  }
  if (dy[1] && dy[1].numel()) {  // where they are least, residuals do not depend on X
    const Tensor apart = mul(sub(matmul(a, x), b), mul(unsqueeze(dy[1], {-2}), 2));
    ga = plus(ga, matmul(apart, swapped(x)));
    gb = plus(gb, neg(apart));
  }
  if (dy[3] && dy[3].numel()) {
    const Tensors f = lapack_svd(a);
    ga = plus(ga, matmul(scale_columns(f[0], dy[3]), f[2]));
  }
  return {ga, gb};
}
Tensors Lstsq::decompose(const Inputs& in) const {
  need_matrix(in[0], "A");
  const Tensor& a = in[0];
  const bool vectors = holds_vectors(a, in[1]);
  const int64_t larger = std::max(a.shape(-1), a.shape(-2));
  Tensors f = lstsq_matrix(a, vectors ? unsqueeze(in[1], {-1}) : in[1].tensor(),
                           {driver.value_or("gelsy"), rcond.value_or(precision(a.dtype()) * double(larger))});
  if (vectors) f[0] = squeeze(f[0], {Ints{-1}});
  return f;
}

}  // namespace luth::ops

namespace luth::matrix {
Tensor cutoff(const Value& atol, const Value& rtol, const Tensor& largest, int64_t n) {
  const double natural = ops::precision(largest.dtype()) * double(n);
  Value relative = rtol, absolute = atol;
  if (!rtol) {
    if (!atol)
      relative = natural;
    else if (atol.is_scalar())
      relative = atol.scalar().value() > 0 ? 0.0 : natural;
    else
      relative = cast_to(where(gt(atol, 0), 0, natural), largest.dtype());
  }
  if (!atol) absolute = 0.0;
  const Tensor scaled = mul(largest, relative);
  return maximum(scaled, absolute);
}
}  // namespace luth::matrix

namespace luth::ops {

Tensor Pinv::decompose(const Inputs& in) const {
  hermitian ? need_square(in[0], "input") : need_matrix(in[0], "input");
  const Tensor& a = in[0];
  const int64_t m = a.shape(-2), n = a.shape(-1);
  if (a.numel() == 0) return full(with_extents(batch_of(a.shape()), {n, m}), 0, a.dtype(), a.device());
  Tensor values, left, right;  // a = left diag(values) rightᵀ
  if (hermitian) {
    const Tensors f = lapack_eigh(a);
    values = f[0], left = right = f[1];
  } else {
    const Tensors f = lapack_svd(a);
    values = f[1], left = f[0], right = swapped(f[2]);
  }
  const Tensor size = abs(values), least = cutoff(in[1], in[2], amax(size, {.dim = {-1}}), std::max(m, n));
  const Tensor kept = gt(size, unsqueeze(least, {-1}));
  const Tensor inverse = where(kept, reciprocal(where(kept, values, 1)), 0);
  return matmul(scale_columns(right, inverse), swapped(left));
}
Tensors Pinv::vjp(const Call& c, const Tensor& dy) const {
  return {pinv_gradient(c.in[0], c.out[0], dy), Tensor(), Tensor()};
}
Tensor Pinverse::decompose(const Inputs& in) const { return pinv(in[0], {}, rcond); }

// ---- tensors as matrices
// ---------------------------------------------------------------------------------------------

Tensor Tensorinv::decompose(const Inputs& in) const {
  const Shape s = in[0].shape();
  if (ind < 1 || ind > s.size()) throw Error("ind must be from 1 to the number of dims, {}, got {}", s.size(), ind);
  const Shape first(s.begin(), s.begin() + ind), rest(s.begin() + ind, s.end());
  if (first.numel() != rest.numel())
    throw Error("the first {} dims of shape {} have {} elements and the others {}; they must have equally many", ind,
                to_string(s), first.numel(), rest.numel());
  Shape back = rest;
  for (int64_t n : first) back.push_back(n);
  return reshape(inv(reshape(in[0], {{first.numel(), rest.numel()}})), {back});
}
Tensor Tensorsolve::decompose(const Inputs& in) const {
  Tensor a = in[0];
  const Tensor& b = in[1];
  if (dims) {
    Ints places;
    for (int i = 0; i < dims->size(); ++i) places.push_back(a.dim() - dims->size() + i);
    a = movedim(a, {*dims, places});
  }
  if (b.dim() > a.dim()) throw Error("other has more dims than input, {} and {}", b.dim(), a.dim());
  const Shape s = a.shape(), unknown(s.begin() + b.dim(), s.end());
  if (unknown.numel() != b.numel() || a.numel() != b.numel() * b.numel())
    throw Error("input of shape {} is no square map for other of shape {}", to_string(s), to_string(b.shape()));
  const Tensor x = solve(reshape(a, {{b.numel(), b.numel()}}), reshape(b, {{b.numel()}}));
  return reshape(x, {unknown});
}

// ---- powers
// ----------------------------------------------------------------------------------------------------------

Tensor LinalgMatrixPower::decompose(const Inputs& in) const {
  if (n < 0) need_square(in[0], "input");
  if (in[0].dtype() == Dtype::boolean) throw Error("there are no products of bool matrices; convert with :to() first");
  if (in[0].dim() < 2 || in[0].shape().back() != in[0].shape()[in[0].dim() - 2])
    throw Error("input must be square matrices, but has shape {}", to_string(in[0].shape()));
  Tensor base = n < 0 ? inv(in[0]) : in[0].tensor(), y;
  if (n == 0)  // depends on the input all the same: its gradient is 0
    return where(full({}, false, Dtype::boolean, base.device()), base, identity(base.shape(-1), base));
  for (uint64_t e = n < 0 ? -uint64_t(n) : uint64_t(n); e; e >>= 1) {
    if (e & 1) y = y ? matmul(y, base) : base;
    if (e > 1) base = matmul(base, base);
  }
  return y.same(in[0]) ? clone(y) : y;
}

namespace {
// Taylor's polynomial of degree 19, in blocks of four powers: exact to float64 for norms up to 1.09 (Bader, Blanes and
// Casas, 2019).
Tensor exponential_of_small(const Tensor& a) {
  double c[20] = {1};
  for (int i = 1; i < 20; ++i) c[i] = c[i - 1] / i;
  const Tensor a2 = matmul(a, a), a3 = matmul(a2, a), a4 = matmul(a2, a2), one = identity(a.shape(-1), a);
  auto block = [&](int at) {
    return add(add(mul(one, c[at]), mul(a, c[at + 1])), add(mul(a2, c[at + 2]), mul(a3, c[at + 3])));
  };
  Tensor y = block(16);
  for (int at = 12; at >= 0; at -= 4) y = add(matmul(y, a4), block(at));
  return y;
}
}  // namespace
// exp(A) = exp(A / 2^s)^(2^s), with s by the norm of each matrix.
Tensor MatrixExp::decompose(const Inputs& in) const {
  const Tensor& given = in[0];
  if (!is_floating(given.dtype())) throw Error("input must be of a float dtype, got {}", name(given.dtype()));
  const bool half = given.dtype() != Dtype::f32 && given.dtype() != Dtype::f64;
  const Tensor a = half ? cast_to(given, Dtype::f32) : given;
  need_square(a, "input");
  if (a.numel() == 0) return clone(given);
  const Tensor norm = amax(sum_over(abs(a.detach()), {-2}), {.dim = {-1}});
  const double small = a.dtype() == Dtype::f32 ? 3.01 : 1.09;
  const Tensor steps = maximum(ceil(mul(log(div(norm, small)), 1 / std::log(2.0))), 0.0);
  const Tensor some = where(lt(steps, 1100), steps, 0), count = each_matrix(some);  // not of infinite ones
  double most = 0;
  if (a.device().has_data()) most = amax(of_all_samples(some)).item().value();
  Tensor y = exponential_of_small(mul(a, exp(mul(count, -std::log(2.0)))));
  for (int i = 0; i < most; ++i) y = where(gt(count, i), matmul(y, y), y);
  return half ? cast_to(y, given.dtype()) : y;
}
// exp [Aᵀ G; 0 Aᵀ] has the gradient in its upper right corner (Mathias, 1996).
Tensors MatrixExp::vjp(const Call& c, const Tensor& dy) const {
  const Tensor at = swapped(c.in[0]);
  const int64_t n = at.shape(-1);
  if (at.numel() == 0) return {zeros_of(c.in[0])};
  const Tensor upper = cat({at, dy}, {-1}), lower_half = cat({zeros_of(at), at}, {-1});
  return {columns(rows(matrix_exp(cat({upper, lower_half}, {-2})), 0, n), n, n)};
}

}  // namespace luth::ops
