// LAPACK's factorizations, as the operators of torch.linalg (linalg_*.h) are made of them: internal, of batches of
// matrices of float32 or float64 with their shapes checked. They have kernels on the CPU alone. On another device
// `decompose` moves the inputs to the host, applies the operator there and moves the results back: it waits for the
// device. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Lapack {
  static constexpr Traits family{.internal = true}, traits = family;
};
struct LapackConstant : Lapack {
  static constexpr Traits family = Lapack::family.with(
                              {.not_differentiable = "the operators that use it have the gradient"}),
                          traits = family;
};

/// A = P L U, packed; see lapack.h of devices/cpu.
struct LapackLu : Lapack {
  static constexpr Doc doc{"lapack_lu", "A", "The factors of A = P L U in one matrix.", "LU, pivots, info"};
  static constexpr Traits traits = family.with({.saves = "A: LU, pivots"});
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LapackLu> samples();
};
/// perm [..., rows] with P[perm[i], i] = 1, for LAPACK's pivots [..., k].
struct LapackPermutation : LapackConstant {
  static constexpr Doc doc{"lapack_permutation", "pivots", "The order of rows that exchanges lead to."};
  int64_t rows = 0;
  void describe(auto& field) { field("rows", rows, "of the matrix", as::required); }
  Spec infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<LapackPermutation> samples();
};
/// Reads one triangle; the gradient is that of a function of symmetric matrices, symmetric too, as PyTorch's.
struct LapackCholesky : Lapack {
  static constexpr Doc doc{"lapack_cholesky", "A", "L with A = L Lᵀ, or U with A = Uᵀ U.", "L, info"};
  static constexpr Traits traits = family.with({.saves = "A: L"});
  bool upper = false;
  void describe(auto& field) { field("upper", upper, "read and return the upper triangle"); }
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LapackCholesky> samples();
};
/// The solution of A X = B, or X A = B, for a triangular A. Batch dims are equal.
struct LapackTriangular : Lapack {
  static constexpr Doc doc{"lapack_triangular", "A, B", "The solution of a triangular system."};
  static constexpr Traits traits = family.with({.saves = "A: A, result; B: A"});
  bool upper = false, left = true, unitriangular = false;
  void describe(auto& field) {
    field("upper", upper, "A is upper triangular");
    field("left", left, "A X = B, else X A = B");
    field("unitriangular", unitriangular, "A has ones on its diagonal, which is not read");
  }
  Spec infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LapackTriangular> samples();
};
struct LapackGeqrf : LapackConstant {
  static constexpr Doc doc{"lapack_geqrf", "A", "R and the reflectors of A = Q R.", "a, tau"};
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<LapackGeqrf> samples();
};
struct LapackOrgqr : LapackConstant {
  static constexpr Doc doc{"lapack_orgqr", "A, tau", "The first columns of the product of reflectors."};
  int64_t columns = 0;
  void describe(auto& field) { field("columns", columns, "of the result", as::required); }
  Spec infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<LapackOrgqr> samples();
};
struct LapackOrmqr : LapackConstant {
  static constexpr Doc doc{"lapack_ormqr", "A, tau, C", "The product of reflectors, Q, times C."};
  bool left = true, transpose = false;
  void describe(auto& field) {
    field("left", left, "Q C, else C Q");
    field("transpose", transpose, "Q transposed");
  }
  Spec infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<LapackOrmqr> samples();
};
struct LapackSvd : Lapack {
  static constexpr Doc doc{"lapack_svd", "A", "A = U diag(S) Vh.", "U, S, Vh"};
  static constexpr Traits traits = family.with({.saves = "A: U, S, Vh"});
  bool full_matrices = false;
  void describe(auto& field) { field("full_matrices", full_matrices, "U and Vh are square"); }
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LapackSvd> samples();
};
struct LapackSvdvals : LapackConstant {
  static constexpr Doc doc{"lapack_svdvals", "A", "The singular values alone."};
  Spec infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<LapackSvdvals> samples();
};
/// Reads one triangle; the gradient is that of a function of symmetric matrices.
struct LapackEigh : Lapack {
  static constexpr Doc doc{"lapack_eigh", "A", "A = V diag(L) Vᵀ for a symmetric A.", "L, V"};
  static constexpr Traits traits = family.with({.saves = "A: L, V"});
  bool upper = false;
  void describe(auto& field) { field("upper", upper, "read the upper triangle"); }
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LapackEigh> samples();
};
struct LapackEigvalsh : LapackConstant {
  static constexpr Doc doc{"lapack_eigvalsh", "A", "The eigenvalues of a symmetric matrix alone."};
  bool upper = false;
  void describe(auto& field) { field("upper", upper, "read the upper triangle"); }
  Spec infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<LapackEigvalsh> samples();
};
/// Throws where an eigenvalue is not real.
struct LapackEig : Lapack {
  static constexpr Doc doc{"lapack_eig", "A", "A V = V diag(L), where all of L is real.", "L, V"};
  static constexpr Traits traits = family.with({.saves = "A: L, V"});
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LapackEig> samples();
};
/// `X` has max(m, n) rows. The sum of squares of those after the n-th is the residual.
struct LapackLstsq : LapackConstant {
  static constexpr Doc doc{"lapack_lstsq", "A, B", "Least squares.", "X, rank, singular_values"};
  std::string driver = "gelsy";
  double rcond = 0;
  void describe(auto& field) {
    field("driver", driver, "gels, gelsy, gelsd or gelss");
    field("rcond", rcond, "singular values below it times the largest count as 0");
  }
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<LapackLstsq> samples();
};
struct LapackLdl : Lapack {
  static constexpr Doc doc{"lapack_ldl", "A", "A = L D Lᵀ of a symmetric matrix, packed.", "LD, pivots, info"};
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;  // refuses, as PyTorch's does
  static Cases<LapackLdl> samples();
};
struct LapackLdlSolve : Lapack {
  static constexpr Doc doc{"lapack_ldl_solve", "LD, pivots, B", "The solution of A X = B, from lapack_ldl of A."};
  Spec infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;  // refuses, as PyTorch's does
  static Cases<LapackLdlSolve> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::LapackLu> lapack_lu;
inline constexpr Fn<ops::LapackPermutation> lapack_permutation;
inline constexpr Fn<ops::LapackCholesky> lapack_cholesky;
inline constexpr Fn<ops::LapackTriangular> lapack_triangular;
inline constexpr Fn<ops::LapackGeqrf> lapack_geqrf;
inline constexpr Fn<ops::LapackOrgqr> lapack_orgqr;
inline constexpr Fn<ops::LapackOrmqr> lapack_ormqr;
inline constexpr Fn<ops::LapackSvd> lapack_svd;
inline constexpr Fn<ops::LapackSvdvals> lapack_svdvals;
inline constexpr Fn<ops::LapackEigh> lapack_eigh;
inline constexpr Fn<ops::LapackEigvalsh> lapack_eigvalsh;
inline constexpr Fn<ops::LapackEig> lapack_eig;
inline constexpr Fn<ops::LapackLstsq> lapack_lstsq;
inline constexpr Fn<ops::LapackLdl> lapack_ldl;
inline constexpr Fn<ops::LapackLdlSolve> lapack_ldl_solve;

namespace matrix {
/// X with A X = B, or X A = B, for a triangular A; batch dims broadcast.
Tensor triangular_solve(const Tensor& a, const Tensor& b, const ops::LapackTriangular& how);
/// Rows in the order perm [..., m]: Pᵀ M; and the other way, P M.
Tensor permuted(const Tensor& m, const Tensor& perm);
Tensor permuted_back(const Tensor& m, const Tensor& perm);
/// L and U of a packed LU.
Tensor unpack_l(const Tensor& lu);
Tensor unpack_u(const Tensor& lu);
/// The gradient by A of a function of its packed LU, g that by LU.
Tensor lu_gradient(const Tensor& lu, const Tensor& pivots, const Tensor& g);
}  // namespace matrix
}  // namespace luth
