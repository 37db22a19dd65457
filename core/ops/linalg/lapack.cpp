#include "core/ops/linalg/lapack.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/sort.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/linalg/matrix_parts.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::matrix {

Tensor triangular_solve(const Tensor& a, const Tensor& b, const ops::LapackTriangular& how) {
  const Shape batch = broadcast(batch_of(a.shape()), batch_of(b.shape()));
  return lapack_triangular(with_batch(a, batch), with_batch(b, batch), how);
}
Tensor permuted(const Tensor& m, const Tensor& perm) {
  const Shape batch = broadcast(batch_of(m.shape()), batch_of(perm.shape(), 1));
  const Tensor whole = with_batch(m, batch);
  const Tensor at = expand_to(unsqueeze(with_batch(perm, batch, 1), {-1}), whole.shape());
  return gather(whole, at, {.dim = whole.dim() - 2});
}
Tensor permuted_back(const Tensor& m, const Tensor& perm) { return permuted(m, argsort(perm, {.dim = -1})); }
Tensor unpack_l(const Tensor& lu) {
  const int64_t m = lu.shape(-2), k = std::min(m, lu.shape(-1));
  const Tensor below = tril(columns(lu, 0, k), {-1});
  const Tensor ones = identity(std::max(m, k), lu);
  return add(below, columns(ones, 0, k));
}
Tensor unpack_u(const Tensor& lu) { return triu(rows(lu, 0, std::min(lu.shape(-2), lu.shape(-1)))); }

static Tensor solved(const Tensor& a, const Tensor& b, bool upper, bool left, bool unit = false) {
  return lapack_triangular(a, b, {.upper = upper, .left = left, .unitriangular = unit});
}

// With L = [L1; L2], U = [U1 U2], L1 and U1 square: gA = P [L1⁻ᵀ φ U1⁻ᵀ, L1⁻ᵀ gU2; gL2 U1⁻ᵀ], where φ has the lower
// triangle of L1ᵀ gL1 - gU2 U2ᵀ and the upper one, with the diagonal, of gU1 U1ᵀ - L2ᵀ gL2.
Tensor lu_gradient(const Tensor& lu, const Tensor& pivots, const Tensor& g) {
  const int64_t m = lu.shape(-2), n = lu.shape(-1), k = std::min(m, n);
  const Tensor l = unpack_l(lu), u = unpack_u(lu), l1 = rows(l, 0, k), u1 = columns(u, 0, k);
  const Tensor gl = tril(columns(g, 0, k), {-1}), gu = triu(rows(g, 0, k));
  Tensor below = matmul(swapped(l1), rows(gl, 0, k)), above = matmul(columns(gu, 0, k), swapped(u1));
  if (n > k) below = sub(below, matmul(columns(gu, k, n - k), swapped(columns(u, k, n - k))));
  if (m > k) above = sub(above, matmul(swapped(rows(l, k, m - k)), rows(gl, k, m - k)));
  const Tensor lt = swapped(l1), ut = swapped(u1);
  Tensor ga = solved(lt, solved(ut, add(tril(below, {-1}), triu(above)), false, false), true, true, true);
  if (n > k) ga = cat({ga, solved(lt, columns(gu, k, n - k), true, true, true)}, {-1});
  if (m > k) ga = cat({ga, solved(ut, rows(gl, k, m - k), false, false)}, {-2});
  return permuted_back(ga, lapack_permutation(pivots, {.rows = m}));
}

}  // namespace luth::matrix

namespace luth::ops {
namespace {
using namespace matrix;

template <class Op>
Tensors on_host(const Op& op, const Inputs& in) {
  Inputs there;
  Device* home = nullptr;
  for (auto& v : in) {
    if (!home) home = &v.tensor().device();
    there.push_back(to_device(v, {&host()}));
  }
  Tensors results;
  for (auto& t : apply(info<Op>(), &op, there)) results.push_back(to_device(t, {home}));
  return results;
}

Spec spec_like(const Value& v, const Shape& s) { return {s, v.dtype()}; }
// Throws unless B has n elements along `dim`, and the batch of `a`.
void check_fits(const char* name, const Value& a, int64_t n, const Value& b, int dim) {
  if (b.tensor().shape(dim) != n || !(batch_of(a.shape()) == batch_of(b.shape())))
    throw Error("{} of shape {} does not fit B of shape {}", name, to_string(a.shape()), to_string(b.shape()));
}
Spec info_spec(const Value& v) { return {batch_of(v.shape()), Dtype::i32}; }
struct Extents {
  int64_t m, n, k;
  Shape batch;
};
Extents extents(const Value& v) {
  need_matrix(v, "A");
  const int64_t m = v.tensor().shape(-2), n = v.tensor().shape(-1);
  return {m, n, std::min(m, n), batch_of(v.shape())};
}

}  // namespace

// ---- LU ------------------------------------------------------------------------------------------------------------

Specs LapackLu::infer(const Inputs& in) const {
  const Extents e = extents(in[0]);
  return {spec_like(in[0], in[0].shape()), {with_extents(e.batch, {e.k}), Dtype::i32}, info_spec(in[0])};
}
Tensors LapackLu::decompose(const Inputs& in) const { return on_host(*this, in); }
Tensors LapackLu::vjp(const Call& c, const Tensors& dy) const {
  return {dy[0] ? lu_gradient(c.out[0], c.out[1], dy[0]) : Tensor()};
}
Spec LapackPermutation::infer(const Inputs& in) const {
  if (!in[0].is_tensor() || in[0].dim() < 1 || in[0].dtype() != Dtype::i32)
    throw Error("pivots must be an int32 vector or a batch of them, as lu_factor gives them");
  if (in[0].tensor().shape(-1) > rows) throw Error("there are more pivots than rows");
  return {with_extents(batch_of(in[0].shape(), 1), {rows}), Dtype::i64};
}
Tensors LapackPermutation::decompose(const Inputs& in) const { return on_host(*this, in); }

// ---- Cholesky ------------------------------------------------------------------------------------------------------

Specs LapackCholesky::infer(const Inputs& in) const {
  need_square(in[0], "the matrix");
  return {spec_like(in[0], in[0].shape()), info_spec(in[0])};
}
Tensors LapackCholesky::decompose(const Inputs& in) const { return on_host(*this, in); }
// gA = the symmetric part of L⁻ᵀ φ L⁻¹, where φ is the lower triangle of Lᵀ gL with its diagonal halved (Murray,
// "Differentiation of the Cholesky decomposition", 2016)
Tensors LapackCholesky::vjp(const Call& c, const Tensors& dy) const {
  if (!dy[0]) return {Tensor()};
  const Tensor l = upper ? swapped(c.out[0]) : c.out[0], gl = upper ? swapped(dy[0]) : dy[0];
  const Tensor product = matmul(swapped(l), gl);
  const Tensor phi = mul(add(tril(product), tril(product, {-1})), 0.5);
  const Tensor ga = solved(l, solved(swapped(l), phi, true, true), false, false);
  return {mul(add(ga, swapped(ga)), 0.5)};
}

// ---- triangular systems --------------------------------------------------------------------------------------------

Spec LapackTriangular::infer(const Inputs& in) const {
  need_square(in[0], "A");
  need_matrix(in[1], "B");
  need_same_dtype(in[0], in[1]);
  check_fits("A", in[0], in[0].tensor().shape(-1), in[1], left ? -2 : -1);
  return spec_like(in[0], in[1].shape());
}
Tensors LapackTriangular::decompose(const Inputs& in) const { return on_host(*this, in); }
Tensors LapackTriangular::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &a = c.in[0], &x = c.out[0];
  Tensor gb = solved(swapped(a), dy, !upper, left, unitriangular), ga;
  if (c.wants(0)) {
    ga = neg(left ? matmul(gb, swapped(x)) : matmul(swapped(x), gb));
    ga = upper ? triu(ga, {unitriangular ? 1 : 0}) : tril(ga, {unitriangular ? -1 : 0});
  }
  return {ga, gb};
}

// ---- reflectors ----------------------------------------------------------------------------------------------------

Specs LapackGeqrf::infer(const Inputs& in) const {
  const Extents e = extents(in[0]);
  return {spec_like(in[0], in[0].shape()), spec_like(in[0], with_extents(e.batch, {e.k}))};
}
Tensors LapackGeqrf::decompose(const Inputs& in) const { return on_host(*this, in); }

namespace {
void check_reflectors(const Value& a, const Value& tau) {
  need_matrix(a, "the matrix of reflectors");
  need_same_dtype(a, tau);
  if (tau.dim() != a.dim() - 1 || !(batch_of(tau.shape(), 1) == batch_of(a.shape())) ||
      tau.tensor().shape(-1) > a.tensor().shape(-1))
    throw Error("tau of shape {} does not fit the reflectors of shape {}", to_string(tau.shape()),
                to_string(a.shape()));
}
}  // namespace
Spec LapackOrgqr::infer(const Inputs& in) const {
  check_reflectors(in[0], in[1]);
  const int64_t m = in[0].tensor().shape(-2), k = in[1].tensor().shape(-1);
  if (columns > m || k > columns) throw Error("{} reflectors of {} rows give no {} columns", k, m, columns);
  return spec_like(in[0], with_extents(batch_of(in[0].shape()), {m, columns}));
}
Tensors LapackOrgqr::decompose(const Inputs& in) const { return on_host(*this, in); }
Spec LapackOrmqr::infer(const Inputs& in) const {
  check_reflectors(in[0], in[1]);
  need_matrix(in[2], "the other matrix");
  need_same_dtype(in[0], in[2]);
  const int64_t m = in[0].tensor().shape(-2), k = in[1].tensor().shape(-1);
  if (in[2].tensor().shape(left ? -2 : -1) != m || k > m || !(batch_of(in[2].shape()) == batch_of(in[0].shape())))
    throw Error("reflectors of shape {} do not fit a matrix of shape {}", to_string(in[0].shape()),
                to_string(in[2].shape()));
  return spec_like(in[0], in[2].shape());
}
Tensors LapackOrmqr::decompose(const Inputs& in) const { return on_host(*this, in); }

// ---- least squares, symmetric systems -------------------------------------------------------------------------------

Specs LapackLstsq::infer(const Inputs& in) const {
  const Extents e = extents(in[0]);
  need_matrix(in[1], "B");
  need_same_dtype(in[0], in[1]);
  check_fits("A", in[0], e.m, in[1], -2);
  if (driver != "gels" && driver != "gelsy" && driver != "gelsd" && driver != "gelss")
    throw Error("driver is 'gels', 'gelsy', 'gelsd' or 'gelss', got '{}'", driver);
  const bool values = driver == "gelsd" || driver == "gelss";
  return {spec_like(in[0], with_extents(e.batch, {std::max(e.m, e.n), in[1].tensor().shape(-1)})),
          {driver == "gels" ? Shape{0} : e.batch, Dtype::i64},
          spec_like(in[0], values ? with_extents(e.batch, {e.k}) : Shape{0})};
}
Tensors LapackLstsq::decompose(const Inputs& in) const { return on_host(*this, in); }

Specs LapackLdl::infer(const Inputs& in) const {
  need_square(in[0], "the matrix");
  return {spec_like(in[0], in[0].shape()), {batch_of(in[0].shape(), 1), Dtype::i32}, info_spec(in[0])};
}
Tensors LapackLdl::decompose(const Inputs& in) const { return on_host(*this, in); }
Spec LapackLdlSolve::infer(const Inputs& in) const {
  need_square(in[0], "LD");
  need_matrix(in[2], "B");
  need_same_dtype(in[0], in[2]);
  if (in[1].dtype() != Dtype::i32 || !(in[1].shape() == batch_of(in[0].shape(), 1)))
    throw Error("pivots must be int32 of shape {}, got {} of shape {}", to_string(batch_of(in[0].shape(), 1)),
                name(in[1].dtype()), to_string(in[1].shape()));
  check_fits("LD", in[0], in[0].tensor().shape(-1), in[2], -2);
  return spec_like(in[0], in[2].shape());
}
Tensors LapackLdlSolve::decompose(const Inputs& in) const { return on_host(*this, in); }
static Tensors refused(const Call& c) {
  for (size_t i = 0; i < c.in.size(); ++i)
    if (c.wants(int(i)))
      throw Error("has no gradient by {}, as in PyTorch; detach() it", i == 2 ? "B" : i ? "pivots" : "the matrix");
  return Tensors(c.in.size());
}
Tensors LapackLdl::vjp(const Call& c, const Tensors&) const { return refused(c); }
Tensors LapackLdlSolve::vjp(const Call& c, const Tensor&) const { return refused(c); }

// ---- values and vectors
// ----------------------------------------------------------------------------------------------

Specs LapackSvd::infer(const Inputs& in) const {
  const Extents e = extents(in[0]);
  return {spec_like(in[0], with_extents(e.batch, {e.m, full_matrices ? e.m : e.k})),
          spec_like(in[0], with_extents(e.batch, {e.k})),
          spec_like(in[0], with_extents(e.batch, {full_matrices ? e.n : e.k, e.n}))};
}
Tensors LapackSvd::decompose(const Inputs& in) const { return on_host(*this, in); }
// gA = U (skew(Uᵀ gU) / E S + S skew(Vᵀ gV) / E + gS) Vᵀ and, outside of the spaces of U and V, the projections of
// gU S⁻¹ Vᵀ and U S⁻¹ gVᵀ; E_jk = s_k² - s_j² (Townsend, "Differentiating the singular value decomposition", 2016).
// Columns beyond the k-th, which full_matrices adds, count as constants.
Tensors LapackSvd::vjp(const Call& c, const Tensors& dy) const {
  const Tensor& s = c.out[1];
  const int64_t k = s.shape(-1), m = c.out[0].shape(-2), n = c.out[2].shape(-1);
  const Tensor u = columns(c.out[0], 0, k), vh = rows(c.out[2], 0, k);
  const Tensor gu = dy[0] ? columns(dy[0], 0, k) : Tensor(), gvh = dy[2] ? rows(dy[2], 0, k) : Tensor();
  if (!gu && !gvh) return {dy[1] ? matmul(scale_columns(u, dy[1]), vh) : Tensor()};
  const Tensor squares = mul(s, s);
  const Tensor e = where(diagonal_mask(k, s.device()), 1, sub(unsqueeze(squares, {-2}), unsqueeze(squares, {-1})));
  auto skew = [](const Tensor& t) { return sub(t, swapped(t)); };
  Tensor core = dy[1] ? diagonal_matrix(dy[1]) : Tensor();
  if (gu) core = plus(core, scale_columns(div(skew(matmul(swapped(u), gu)), e), s));
  if (gvh) core = plus(core, scale_rows(div(skew(matmul(vh, swapped(gvh))), e), s));
  Tensor ga = matmul(matmul(u, core), vh);
  if (gu && m > k) {
    const Tensor t = div(gu, unsqueeze(s, {-2}));
    ga = add(ga, matmul(sub(t, matmul(u, matmul(swapped(u), t))), vh));
  }
  if (gvh && n > k) {
    const Tensor t = div(gvh, unsqueeze(s, {-1}));
    ga = add(ga, matmul(u, sub(t, matmul(matmul(t, swapped(vh)), vh))));
  }
  return {ga};
}
Spec LapackSvdvals::infer(const Inputs& in) const {
  const Extents e = extents(in[0]);
  return spec_like(in[0], with_extents(e.batch, {e.k}));
}
Tensors LapackSvdvals::decompose(const Inputs& in) const { return on_host(*this, in); }

static Specs values_and_vectors(const Inputs& in) {
  need_square(in[0], "the matrix");
  return {spec_like(in[0], batch_of(in[0].shape(), 1)), spec_like(in[0], in[0].shape())};
}
Specs LapackEigh::infer(const Inputs& in) const { return values_and_vectors(in); }
Tensors LapackEigh::decompose(const Inputs& in) const { return on_host(*this, in); }
// gA = V (Vᵀ gV / E with gL as its diagonal) Vᵀ, E_jk = l_k - l_j
Tensors LapackEigh::vjp(const Call& c, const Tensors& dy) const {
  const Tensor &l = c.out[0], &v = c.out[1];
  if (!dy[1]) return {dy[0] ? matmul(scale_columns(v, dy[0]), swapped(v)) : Tensor()};
  const Tensor on = diagonal_mask(l.shape(-1), l.device());
  const Tensor e = where(on, 1, sub(unsqueeze(l, {-2}), unsqueeze(l, {-1})));
  Tensor core = where(on, 0, div(matmul(swapped(v), dy[1]), e));
  if (dy[0]) core = add(core, diagonal_matrix(dy[0]));
  return {matmul(matmul(v, core), swapped(v))};
}
Spec LapackEigvalsh::infer(const Inputs& in) const {
  need_square(in[0], "the matrix");
  return spec_like(in[0], batch_of(in[0].shape(), 1));
}
Tensors LapackEigvalsh::decompose(const Inputs& in) const { return on_host(*this, in); }

Specs LapackEig::infer(const Inputs& in) const { return values_and_vectors(in); }
Tensors LapackEig::decompose(const Inputs& in) const { return on_host(*this, in); }
// gA = V⁻ᵀ ((Vᵀ gV - Vᵀ V diag(Vᵀ gV)) / E with gL as its diagonal) Vᵀ, for columns of length 1
Tensors LapackEig::vjp(const Call& c, const Tensors& dy) const {
  const Tensor &l = c.out[0], &v = c.out[1];
  Tensor core = dy[0] ? diagonal_matrix(dy[0]) : Tensor();
  if (dy[1]) {
    const Tensor on = diagonal_mask(l.shape(-1), l.device());
    const Tensor e = where(on, 1, sub(unsqueeze(l, {-2}), unsqueeze(l, {-1})));
    const Tensor g = matmul(swapped(v), dy[1]);
    const Tensor along = scale_columns(matmul(swapped(v), v), main_diagonal(g));
    core = plus(core, where(on, 0, div(sub(g, along), e)));
  }
  if (!core) return {Tensor()};
  // V⁻ᵀ X = P L⁻ᵀ U⁻ᵀ X, for V = P L U
  const Tensors f = lapack_lu(v);
  const Tensor y = solved(swapped(unpack_u(f[0])), matmul(core, swapped(v)), false, true);
  const Tensor z = solved(swapped(unpack_l(f[0])), y, true, true, true);
  return {permuted_back(z, lapack_permutation(f[1], {.rows = v.shape(-1)}))};
}

}  // namespace luth::ops
