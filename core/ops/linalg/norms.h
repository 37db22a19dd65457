// The norms of torch.linalg, and small operators of its table that need no factorization. See op.h for the recipe.
#pragma once
#include "core/ops/reduce/reduce.h"

namespace luth::ops {

// The attributes that all norms have.
void describe_norm(auto& field, bool& keepdim, std::optional<Dtype>& dtype) {
  describe_keepdim(field, keepdim);
  describe_dtype(field, dtype);
}

struct VectorNorm {
  static constexpr Doc doc{"linalg_vector_norm", "input", "The ord-norm of vectors along dims, or of all elements."};
  static constexpr Traits traits{.second_names = "x: input", .autocast = Autocast::f32};
  Scalar ord = 2;
  std::optional<Ints> dim{};
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("ord", ord, "the exponent; inf, -inf: the largest, smallest size; 0: how many are not 0");
    field("dim", dim, "the dim or dims; all where nil", as::dim);
    describe_norm(field, keepdim, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<VectorNorm> samples();
};
struct MatrixNormNamed {
  static constexpr Doc doc{"linalg_matrix_norm.named", "input", "The Frobenius or the nuclear norm of matrices."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  std::string ord = "fro";
  Ints dim{-2, -1};
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("ord", ord, "'fro': the root of the sum of squares; 'nuc': the sum of the singular values");
    field("dim", dim, "the two dims of the matrices", as::dim);
    describe_norm(field, keepdim, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<MatrixNormNamed> samples();
};
struct MatrixNorm {
  static constexpr Doc doc{"linalg_matrix_norm", "input", "An operator norm of matrices."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Scalar ord = 2;
  Ints dim{-2, -1};
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field(
        "ord", ord,
        "2, -2: the largest, smallest singular value; 1, -1: the largest, smallest sum of the sizes in a column; inf, "
        "-inf: in a row",
        as::required);
    field("dim", dim, "the two dims of the matrices", as::dim);
    describe_norm(field, keepdim, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<MatrixNorm> samples();
};
struct LinalgNorm {
  static constexpr Doc doc{"linalg_norm", "input",
                           "A norm of vectors (one dim, or a tensor of one dim) or of matrices (two); without ord, the "
                           "root of the sum of squares over dims."};
  static constexpr Traits traits{.second_names = "input", .autocast = Autocast::f32};
  std::optional<Scalar> ord{};
  std::optional<Ints> dim{};
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("ord", ord, "see linalg.vector_norm and linalg.matrix_norm");
    field("dim", dim, "one dim of vectors or two of matrices; nil: all", as::dim);
    describe_norm(field, keepdim, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<LinalgNorm> samples();
};
struct LinalgNormNamed {
  static constexpr Doc doc{"linalg_norm.named", "input", "The Frobenius or the nuclear norm of matrices."};
  static constexpr Traits traits{.second_names = "input", .autocast = Autocast::f32};
  std::string ord = "fro";
  std::optional<Ints> dim{};
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("ord", ord, "'fro' or 'nuc'", as::required);
    field("dim", dim, "the two dims of the matrices; nil: the tensor is one", as::dim);
    describe_norm(field, keepdim, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<LinalgNormNamed> samples();
};

/// The same with PyTorch's names for p.
struct NamedNorm {
  static constexpr Doc doc{"norm.named", "input",
                           "The Frobenius norm, the square root of the sum of squares, or the nuclear norm."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  std::string p = "fro";
  Dims dim;
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("p", p, "'fro', or 'nuc': the sum of the singular values", as::required);
    describe_dims(field, dim, keepdim);
    describe_dtype(field, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<NamedNorm> samples();
};

struct Cond {
  static constexpr Doc doc{"linalg_cond", "input",
                           "How much a matrix can amplify errors: the largest singular value by the smallest, or the "
                           "product of the norms of the matrix and its inverse."};
  std::optional<double> p;
  void describe(auto& field) { field("p", p, "nil or 2, -2 (the smallest by the largest), 1, -1, inf or -inf"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Cond> samples();
};
struct CondNamed {
  static constexpr Doc doc{"linalg_cond.named", "input", "The same by the Frobenius or the nuclear norm."};
  std::string p = "fro";
  void describe(auto& field) { field("p", p, "'fro' or 'nuc'", as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<CondNamed> samples();
};
struct LinalgDiagonal {
  static constexpr Doc doc{"linalg_diagonal", "A",
                           "A view of the diagonals of matrices; as diagonal of the last dims."};
  int64_t offset = 0, dim1 = -2, dim2 = -1;
  void describe(auto& field) {
    field("offset", offset, "how far above the main diagonal; negative: below it", as::named);
    field("dim1", dim1, "the dim of rows", as::named | as::dim);
    field("dim2", dim2, "the dim of columns", as::named | as::dim);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<LinalgDiagonal> samples() { return {{{}, {{2, 3, 3}}}, {{-1, 0, 1}, {{3, 2, 2}}}}; }
};
struct Vander {
  static constexpr Doc doc{"linalg_vander", "x", "The powers 0, 1, … N - 1 of each element, in a new last dim."};
  std::optional<int64_t> N;
  void describe(auto& field) { field("N", N, "how many; nil: the extent of the last dim", as::named); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Vander> samples() { return {{{}, {{3}}}, {{4}, {{2, 2}}}, {{1}, {{2}}}, {{2}, {{}}}}; }
};
/// torch.vander: of a vector, with the highest power first.
struct VanderDescending {
  static constexpr Doc doc{"vander", "x", "The powers N - 1, … 1, 0 of each element of a vector, in a new last dim."};
  static constexpr Traits traits{.offered = Offered::function};
  std::optional<int64_t> N;
  bool increasing = false;
  void describe(auto& field) {
    field("N", N, "how many; nil: as many as there are elements");
    field("increasing", increasing, "the powers 0, 1, … N - 1");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<VanderDescending> samples() { return {{{}, {{3}}}, {{4, true}, {{2}}}, {{1}, {{2}}}, {{0}, {{2}}}}; }
};

}  // namespace luth::ops
