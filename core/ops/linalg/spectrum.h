// Singular values, eigenvalues and what is made of them. See op.h for the recipe. Compositions of the operators of
// lapack.h. Vectors are unique up to their signs.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// `driver`, here and in svdvals: what is run on a GPU; luth has one routine there, so it is only checked.
struct LinalgSvd {
  static constexpr Doc doc{"linalg_svd", "A", "A = U diag(S) Vh: orthonormal columns and rows; S descends.",
                           "U, S, Vh"};
  static constexpr Traits traits{.autocast = Autocast::f32};
  bool full_matrices = true;
  std::optional<std::string> driver;
  void describe(auto& field) {
    field("full_matrices", full_matrices, "U and Vh are square; else they have min(m, n) columns and rows");
    field("driver", driver, "'gesvd', 'gesvdj' or 'gesvda' on a GPU, to the same effect", as::named);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<LinalgSvd> samples();
};
struct Svd {
  static constexpr Doc doc{"svd", "input", "The older form of linalg.svd, with V in place of its transpose.",
                           "U, S, V"};
  static constexpr Traits traits{.autocast = Autocast::f32};
  bool some = true, compute_uv = true;
  void describe(auto& field) {
    field("some", some, "min(m, n) columns; false: U and V are square");
    field("compute_uv", compute_uv, "false: U and V are zeros");
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Svd> samples();
};
struct Svdvals {
  static constexpr Doc doc{"linalg_svdvals", "A", "The singular values of matrices, descending."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  std::optional<std::string> driver;
  void describe(auto& field) {
    field("driver", driver, "'gesvd', 'gesvdj' or 'gesvda' on a GPU, to the same effect", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Svdvals> samples();
};

struct Uplo {
  std::string UPLO = "L";
  void describe(auto& field) { field("UPLO", UPLO, "'L' or 'U': the triangle that is read"); }
  /// Throws for another word.
  bool upper() const;
};
struct Eigh : Uplo {
  static constexpr Doc doc{"linalg_eigh", "input",
                           "Eigenvalues, ascending, and eigenvectors, as columns, of symmetric matrices.",
                           "eigenvalues, eigenvectors"};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Tensors decompose(const Inputs& in) const;
  static Cases<Eigh> samples();
};
struct Eigvalsh : Uplo {
  static constexpr Doc doc{"linalg_eigvalsh", "input", "The eigenvalues of symmetric matrices, ascending."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Tensor decompose(const Inputs& in) const;
  static Cases<Eigvalsh> samples();
};
struct Eig {
  static constexpr Doc doc{"linalg_eig", "input",
                           "Eigenvalues and eigenvectors, as columns of length 1, of matrices all of whose eigenvalues "
                           "are real; throws where one is not.",
                           "eigenvalues, eigenvectors"};
  Tensors decompose(const Inputs& in) const;
  static Cases<Eig> samples();
};
struct Eigvals {
  static constexpr Doc doc{"linalg_eigvals", "input",
                           "The eigenvalues of matrices, in no order; throws where one is not real."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Eigvals> samples();
};

struct MatrixRank {
  static constexpr Doc doc{"linalg_matrix_rank", "input, atol|number?, rtol|number?",
                           "How many singular values are larger than max(atol, rtol * the largest). Without rtol it is "
                           "the dtype's precision times the larger extent, or 0 with an atol."};
  static constexpr Traits traits{.not_differentiable = "its result counts", .order = "input, *, atol, rtol"};
  bool hermitian = false;
  void describe(auto& field) {
    field("hermitian", hermitian, "the matrices are symmetric; one triangle is read", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<MatrixRank> samples();
};
struct Polar {
  static constexpr Doc doc{"linalg_polar", "A",
                           "A = U H: orthonormal columns and a symmetric matrix without negative "
                           "eigenvalues.",
                           "U, H"};
  Tensors decompose(const Inputs& in) const;
  static Cases<Polar> samples();
};
struct MatrixSqrth {
  static constexpr Doc doc{"linalg_matrix_sqrth", "input",
                           "The square roots of symmetric positive definite matrices, which are such matrices too."};
  Tensor decompose(const Inputs& in) const;
  static Cases<MatrixSqrth> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Svdvals> svdvals;
inline constexpr Fn<ops::LinalgSvd> linalg_svd;
inline constexpr Fn<ops::Eigh> eigh;
}  // namespace luth
