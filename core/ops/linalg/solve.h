// Systems of equations and what comes from them: solve, inv, det, lstsq, pinv, powers, exponentials. See op.h for the
// recipe. Compositions of the operators of lapack.h.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// A X = B for equal batch dims and matrices B; the factors serve the gradient.
struct SolveLu {
  static constexpr Doc doc{"_linalg_solve", "A, B", "The solution of A X = B and the factors of A.",
                           "X, LU, pivots, info"};
  static constexpr Traits traits{.saves = "A: X, LU, pivots; B: LU, pivots", .internal = true};
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<SolveLu> samples();
};
struct SolveEx {
  static constexpr Doc doc{"linalg_solve_ex", "A, B",
                           "The solution X of A X = B, or X A = B, and info: the first zero on the diagonal of A's U, "
                           "counted from 1, or 0.",
                           "result, info"};
  bool left = true, check_errors = false;
  void describe(auto& field) {
    field("left", left, "A X = B, else X A = B", as::named);
    field("check_errors", check_errors, "throw where a matrix is singular", as::named);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<SolveEx> samples();
};
struct Solve {
  static constexpr Doc doc{"linalg_solve", "A, B",
                           "The solution X of A X = B, or X A = B; B is a batch of matrices or of vectors."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  bool left = true;
  void describe(auto& field) { field("left", left, "A X = B, else X A = B", as::named); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Solve> samples();
};
struct SolveTriangular {
  static constexpr Doc doc{
      "linalg_solve_triangular", "input, B",
      "The solution X of A X = B, or X A = B, for a triangular A; its other triangle is not read."};
  bool upper = false, left = true, unitriangular = false;
  void describe(auto& field) {
    field("upper", upper, "A is upper triangular, else lower", as::named | as::required);
    field("left", left, "A X = B, else X A = B", as::named);
    field("unitriangular", unitriangular, "A has ones on its diagonal, which is not read", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<SolveTriangular> samples();
};

struct InvEx {
  static constexpr Doc doc{"linalg_inv_ex", "A",
                           "The inverses of matrices, and info: the first zero on the diagonal of U, counted from 1, "
                           "or 0.",
                           "inverse, info"};
  static constexpr Traits traits{.saves = "A: inverse"};
  bool check_errors = false;
  void describe(auto& field) { field("check_errors", check_errors, "throw where a matrix is singular", as::named); }
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<InvEx> samples();
};
struct LinalgInv {
  static constexpr Doc doc{"linalg_inv", "A", "The inverses of matrices."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Tensor decompose(const Inputs& in) const;
  static Cases<LinalgInv> samples();
};
struct Inverse {
  static constexpr Doc doc{"inverse", "input", "The inverses of matrices; as linalg.inv."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Tensor decompose(const Inputs& in) const;
  static Cases<Inverse> samples();
};

struct LinalgDet {
  static constexpr Doc doc{"linalg_det", "A", "The determinants of matrices."};
  static constexpr Traits traits{.saves = "A: A, result", .autocast = Autocast::f32};
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LinalgDet> samples();
};
struct Det {
  static constexpr Doc doc{"det", "input", "The determinants of matrices; as linalg.det."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Tensor decompose(const Inputs& in) const;
  static Cases<Det> samples();
};
struct LinalgSlogdet {
  static constexpr Doc doc{"linalg_slogdet", "A", "The signs of the determinants, and the logarithms of their sizes.",
                           "sign, logabsdet"};
  static constexpr Traits traits{.saves = "A: A", .autocast = Autocast::f32};
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LinalgSlogdet> samples();
};
struct Slogdet {
  static constexpr Doc doc{"slogdet", "input", "As linalg.slogdet.", "sign, logabsdet"};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Tensors decompose(const Inputs& in) const;
  static Cases<Slogdet> samples();
};
struct Logdet {
  static constexpr Doc doc{"logdet", "input", "The logarithms of determinants; nan where one is negative."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Tensor decompose(const Inputs& in) const;
  static Cases<Logdet> samples();
};

/// The inner form of lstsq: B is a batch of matrices.
struct LstsqMatrix {
  static constexpr Doc doc{"_linalg_lstsq", "A, B", "Least squares.", "solution, residuals, rank, singular_values"};
  static constexpr Traits traits{.saves = "*: A, B, solution", .internal = true};
  std::string driver = "gelsy";
  double rcond = 0;
  void describe(auto& field) {
    field("driver", driver, "LAPACK's routine");
    field("rcond", rcond, "singular values below it times the largest count as 0");
  }
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LstsqMatrix> samples();
};
struct Lstsq {
  static constexpr Doc doc{"linalg_lstsq", "input, b",
                           "The X of least length that makes the squares of A X - b least. Residuals are there for "
                           "more rows than columns, full rank and drivers other than gelsy; else they are empty.",
                           "solution, residuals, rank, singular_values"};
  static constexpr Traits traits{.second_names = "B: b", .autocast = Autocast::f32};
  std::optional<double> rcond;
  std::optional<std::string> driver;
  void describe(auto& field) {
    field("rcond", rcond, "singular values below it times the largest count as 0; nil: by the dtype");
    field("driver", driver, "'gelsy' (the default), 'gelsd', 'gelss', or 'gels' for matrices of full rank", as::named);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Lstsq> samples();
};

struct Pinv {
  static constexpr Doc doc{
      "linalg_pinv", "input, atol|number?, rtol|number?",
      "The pseudo-inverses of matrices: singular values up to max(atol, rtol * the largest) count "
      "as 0. Without rtol it is the dtype's precision times the larger extent, or 0 with an atol."};
  static constexpr Traits traits{
      .saves = "input: input, result", .order = "input, *, atol, rtol", .autocast = Autocast::f32};
  bool hermitian = false;
  void describe(auto& field) {
    field("hermitian", hermitian, "the matrices are symmetric; one triangle is read", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Pinv> samples();
};
struct Pinverse {
  static constexpr Doc doc{"pinverse", "input", "As linalg.pinv."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  double rcond = 1e-15;
  void describe(auto& field) { field("rcond", rcond, "singular values up to it times the largest count as 0"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Pinverse> samples();
};

struct Tensorinv {
  static constexpr Doc doc{"linalg_tensorinv", "input",
                           "The inverse of the map from the last dims of the tensor to its first `ind`."};
  int64_t ind = 2;
  void describe(auto& field) { field("ind", ind, "how many dims are the first"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Tensorinv> samples();
};
struct Tensorsolve {
  static constexpr Doc doc{"linalg_tensorsolve", "input, other",
                           "The X with tensordot(input, X) = other over all dims of X."};
  static constexpr Traits traits{.second_names = "B: other"};
  std::optional<Ints> dims;
  void describe(auto& field) { field("dims", dims, "dims of input to move to its end first", as::dim); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Tensorsolve> samples();
};

struct LinalgMatrixPower {
  static constexpr Doc doc{"matrix_power", "input", "The n-th powers of matrices; of their inverses for n < 0."};
  static constexpr Traits traits{.aliases = "linalg.matrix_power", .second_names = "A: input"};
  int64_t n = 1;
  void describe(auto& field) { field("n", n, "the exponent", as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<LinalgMatrixPower> samples();
};
struct MatrixExp {
  static constexpr Doc doc{"matrix_exp", "input", "The exponentials of matrices: I + A + A²/2 + A³/6 + …"};
  static constexpr Traits traits{
      .saves = "input: input", .aliases = "linalg.matrix_exp", .second_names = "A: input", .autocast = Autocast::f32};
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<MatrixExp> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::SolveLu> solve_lu;
inline constexpr Fn<ops::SolveEx> solve_ex;
inline constexpr Fn<ops::Solve> solve;
inline constexpr Fn<ops::InvEx> inv_ex;
inline constexpr Fn<ops::LinalgInv> inv;
inline constexpr Fn<ops::LinalgDet> det;
inline constexpr Fn<ops::LinalgSlogdet> slogdet;
inline constexpr Fn<ops::LstsqMatrix> lstsq_matrix;
inline constexpr Fn<ops::Pinv> pinv;
inline constexpr Fn<ops::MatrixExp> matrix_exp;

namespace matrix {
/// max(atol, rtol * largest) as pinv and matrix_rank have it; largest [batch], n the larger extent of the matrices.
Tensor cutoff(const Value& atol, const Value& rtol, const Tensor& largest, int64_t n);
}  // namespace matrix
}  // namespace luth
