// Factorizations of torch.linalg: LU, Cholesky, QR, LDL, and the systems that they solve. See op.h for the recipe.
// Compositions of the operators of lapack.h.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

// ---- LU ------------------------------------------------------------------------------------------------------------

struct Pivoting {
  bool pivot = true;
  void describe(auto& field) { field("pivot", pivot, "exchange rows; LAPACK knows no other way", as::named); }
};
struct CheckErrors {
  bool check_errors = false;
  void describe(auto& field) {
    field("check_errors", check_errors, "throw where a matrix cannot be factored, in place of info", as::named);
  }
};

struct LuFactorEx : Pivoting {
  static constexpr Doc doc{"linalg_lu_factor_ex", "A",
                           "The factors of A = P L U in one matrix, with the exchanges of rows, counted from 1; info "
                           "is the first zero on U's diagonal, counted from 1, or 0.",
                           "LU, pivots, info"};
  bool check_errors = false;
  void describe(auto& field) {
    Pivoting::describe(field);
    field("check_errors", check_errors, "throw where U has a zero on its diagonal", as::named);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<LuFactorEx> samples();
};
struct LuFactor : Pivoting {
  static constexpr Doc doc{"linalg_lu_factor", "A",
                           "The factors of A = P L U in one matrix, with the exchanges of rows, counted from 1.",
                           "LU, pivots"};
  Tensors decompose(const Inputs& in) const;
  static Cases<LuFactor> samples();
};
struct LinalgLu : Pivoting {
  static constexpr Doc doc{"linalg_lu", "A", "A = P L U: a permutation, a unit lower and an upper triangular matrix.",
                           "P, L, U"};
  Tensors decompose(const Inputs& in) const;
  static Cases<LinalgLu> samples();
};
struct LuUnpack {
  static constexpr Doc doc{"lu_unpack", "LU_data, LU_pivots", "P, L and U of what lu_factor gives.", "P, L, U"};
  static constexpr Traits traits{.offered = Offered::function};
  bool unpack_data = true, unpack_pivots = true;
  void describe(auto& field) {
    field("unpack_data", unpack_data, "false: L and U are empty");
    field("unpack_pivots", unpack_pivots, "false: P is empty");
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<LuUnpack> samples();
};
struct LuSolve {
  static constexpr Doc doc{"linalg_lu_solve", "LU, pivots, B",
                           "The solution X of A X = B, or X A = B, from what lu_factor gives of A."};
  bool left = true, adjoint = false;
  void describe(auto& field) {
    field("left", left, "A X = B, else X A = B", as::named);
    field("adjoint", adjoint, "the transpose of A in place of A", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<LuSolve> samples();
};

// The older names.
struct Lu {
  static constexpr Doc doc{"lu", "A",
                           "The factors of A = P L U in one matrix, with the exchanges of rows, counted from 1; with "
                           "get_infos also info, the first zero on U's diagonal, counted from 1, or 0.",
                           "LU, pivots, info"};
  bool pivot = true, get_infos = false;
  void describe(auto& field) {
    field("pivot", pivot, "exchange rows; LAPACK knows no other way");
    field("get_infos", get_infos, "also return info");
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Lu> samples();
};
struct LuSolveFor {
  static constexpr Doc doc{"lu_solve", "input, LU_data, LU_pivots",
                           "The solution X of A X = input, from what lu gives of A."};
  static constexpr Traits traits{.second_names = "b: input"};
  Tensor decompose(const Inputs& in) const;
  static Cases<LuSolveFor> samples();
};

// ---- Cholesky ------------------------------------------------------------------------------------------------------

struct CholeskyEx {
  static constexpr Doc doc{"linalg_cholesky_ex", "input",
                           "The lower triangular L of a symmetric positive definite L Lᵀ; info is the order of the "
                           "first leading minor that is not positive, or 0.",
                           "L, info"};
  bool upper = false, check_errors = false;
  void describe(auto& field) {
    field("upper", upper, "the upper triangle of the input is read, and U of Uᵀ U returned", as::named);
    field("check_errors", check_errors, "throw where a matrix is not positive definite", as::named);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<CholeskyEx> samples();
};
struct LinalgCholesky {
  static constexpr Doc doc{"linalg_cholesky", "input", "The lower triangular L of a symmetric positive definite L Lᵀ."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  bool upper = false;
  void describe(auto& field) {
    field("upper", upper, "the upper triangle of the input is read, and U of Uᵀ U returned", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<LinalgCholesky> samples();
};
struct Cholesky {
  static constexpr Doc doc{"cholesky", "input", "The older form of linalg.cholesky."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  bool upper = false;
  void describe(auto& field) { field("upper", upper, "U of Uᵀ U"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Cholesky> samples();
};
struct CholeskySolve {
  static constexpr Doc doc{"cholesky_solve", "input, input2",
                           "The solution X of A X = input, where input2 is the Cholesky factor of A."};
  static constexpr Traits traits{.saves = "input: input.meta, input2; input2: input2, result",
                                 .second_names = "B: input; L: input2"};
  bool upper = false;
  void describe(auto& field) { field("upper", upper, "the factor is upper triangular"); }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<CholeskySolve> samples();
};
struct CholeskyInverse {
  static constexpr Doc doc{"cholesky_inverse", "input",
                           "The inverse of the matrix of which input is the Cholesky factor."};
  static constexpr Traits traits{.saves = "input: input, result", .second_names = "L: input"};
  bool upper = false;
  void describe(auto& field) { field("upper", upper, "the factor is upper triangular"); }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<CholeskyInverse> samples();
};

// ---- QR ------------------------------------------------------------------------------------------------------------

struct LinalgQr {
  static constexpr Doc doc{"linalg_qr", "A", "A = Q R: orthonormal columns and an upper triangular matrix.", "Q, R"};
  static constexpr Traits traits{.saves = "A: Q, R", .autocast = Autocast::f32};
  std::string mode = "reduced";
  void describe(auto& field) {
    field("mode", mode, "'reduced': min(m, n) columns; 'complete': Q is square; 'r': R alone, Q is empty");
  }
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LinalgQr> samples();
};
struct Qr {
  static constexpr Doc doc{"qr", "input", "The older form of linalg.qr.", "Q, R"};
  static constexpr Traits traits{.autocast = Autocast::f32};
  bool some = true;
  void describe(auto& field) { field("some", some, "false: Q is square"); }
  Tensors decompose(const Inputs& in) const;
  static Cases<Qr> samples();
};
struct Geqrf {
  static constexpr Doc doc{"geqrf", "input",
                           "LAPACK's form of a QR factorization: R above reflectors, and their factors.", "a, tau"};
  static constexpr Traits traits{.not_differentiable = "use linalg.qr, which has a gradient"};
  Tensors decompose(const Inputs& in) const;
  static Cases<Geqrf> samples();
};
struct HouseholderProduct {
  static constexpr Doc doc{"linalg_householder_product", "input, tau",
                           "The first columns of a product of reflectors, as geqrf gives them."};
  Tensor decompose(const Inputs& in) const;
  static Cases<HouseholderProduct> samples();
};
struct Orgqr {
  static constexpr Doc doc{"orgqr", "input, tau", "The older name of linalg.householder_product."};
  static constexpr Traits traits{.second_names = "tau: input2"};
  Tensor decompose(const Inputs& in) const;
  static Cases<Orgqr> samples();
};
struct Ormqr {
  static constexpr Doc doc{"ormqr", "input, input2, input3",
                           "The product of reflectors (input, with factors input2) times the matrix input3."};
  static constexpr Traits traits{.second_names = "tau: input2; other: input3"};
  bool left = true, transpose = false;
  void describe(auto& field) {
    field("left", left, "the product stands on the left");
    field("transpose", transpose, "the product is transposed");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Ormqr> samples();
};

// ---- LDL -----------------------------------------------------------------------------------------------------------

struct Ldl {  // backward refuses, as PyTorch's does
  bool hermitian = false;
  void describe(auto& field) { field("hermitian", hermitian, "the same, for real numbers", as::named); }
};
struct LdlFactorEx : Ldl {
  static constexpr Doc doc{"linalg_ldl_factor_ex", "input",
                           "L D Lᵀ of a symmetric matrix in LAPACK's form, with the exchanges of rows; info is the "
                           "first zero on D's diagonal, counted from 1, or 0.",
                           "LD, pivots, info"};
  bool check_errors = false;
  void describe(auto& field) {
    Ldl::describe(field);
    field("check_errors", check_errors, "throw where D has a zero on its diagonal", as::named);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<LdlFactorEx> samples();
};
struct LdlFactor : Ldl {
  static constexpr Doc doc{"linalg_ldl_factor", "input",
                           "L D Lᵀ of a symmetric matrix in LAPACK's form, with the exchanges of rows.", "LD, pivots"};
  Tensors decompose(const Inputs& in) const;
  static Cases<LdlFactor> samples();
};
struct LdlSolve : Ldl {
  static constexpr Doc doc{"linalg_ldl_solve", "LD, pivots, B",
                           "The solution X of A X = B from what ldl_factor gives of A."};
  Tensor decompose(const Inputs& in) const;
  static Cases<LdlSolve> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::LuFactorEx> lu_factor_ex;
inline constexpr Fn<ops::LuSolve> lu_solve;
inline constexpr Fn<ops::LinalgQr> linalg_qr;
inline constexpr Fn<ops::CholeskySolve> cholesky_solve;
}  // namespace luth
