// Diagonals: as views, written into, and made into matrices. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// Which diagonal: `offset` above the main one (below it where negative), between dim1 (rows) and dim2 (columns).
struct DiagonalOf {
  int64_t offset = 0, dim1 = 0, dim2 = 1;
  void describe(auto& field) {
    field("offset", offset, "how far above the main diagonal; negative: below it");
    field("dim1", dim1, "the dim of rows", as::dim);
    field("dim2", dim2, "the dim of columns", as::dim);
  }
};
struct Diagonal : DiagonalOf {
  static constexpr Doc doc{"diagonal", "input", "A view of the diagonals between two dims, which become the last dim."};
  static constexpr Traits traits{.saves = "input: input.meta"};
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Diagonal> samples() {
    return {{{}, {{3, 4}}}, {{{1, 1, 2}}, {{2, 3, 3}}}, {{{-1, 0, -1}}, {{3, 2, 2}}}, {{{5}}, {{2, 3}}}};
  }
};
struct DiagonalScatter : DiagonalOf {
  static constexpr Doc doc{"diagonal_scatter", "input, src", "Input with src in the place of the diagonals."};
  static constexpr Traits traits{.saves = "*: src.meta"};
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<DiagonalScatter> samples() {
    return {{{}, {{3, 4}, {3}}}, {{{1, 1, 2}}, {{2, 3, 3}, {2, 2}}}, {{{-1, 0, -1}}, {{3, 2, 2}, {2, 2}}}};
  }
};
struct DiagEmbed {
  static constexpr Doc doc{"diag_embed", "input", "Matrices of zeros with the rows of input as diagonals."};
  int64_t offset = 0, dim1 = -2, dim2 = -1;
  void describe(auto& field) {
    field("offset", offset, "how far above the main diagonal; negative: below it");
    field("dim1", dim1, "where the rows stand in the result", as::dim);
    field("dim2", dim2, "where the columns stand in the result", as::dim);
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<DiagEmbed> samples() {
    return {{{}, {{2, 3}}}, {{1}, {{3}}}, {{-2, 0, 2}, {{2, 3}}}, {{0, 1, 0}, {{2, 2}}}};
  }
};
struct Diag {
  static constexpr Doc doc{"diag", "input",
                           "A vector as the diagonal of a matrix, or the diagonal of a matrix, copied."};
  int64_t diagonal = 0;
  void describe(auto& field) { field("diagonal", diagonal, "how far above the main diagonal; negative: below it"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Diag> samples() { return {{{}, {{3}}}, {{-1}, {{3}}}, {{1}, {{3, 4}}}}; }
};
struct DiagFlat {
  static constexpr Doc doc{"diagflat", "input", "All elements as the diagonal of a matrix."};
  int64_t offset = 0;
  void describe(auto& field) { field("offset", offset, "how far above the main diagonal; negative: below it"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<DiagFlat> samples() { return {{{}, {{2, 2}}}, {{-1}, {{2}}}, {{}, {{}}}}; }
};

struct FillDiagonal {
  static constexpr Doc doc{"fill_diagonal", "input",
                           "Writes a number to the main diagonal, where all positions are equal."};
  static constexpr Traits traits{.offered = Offered::method, .inplace = Inplace::only};
  Scalar fill_value = 0;
  bool wrap = false;
  void describe(auto& field) {
    field("fill_value", fill_value, "the number", as::required);
    field("wrap", wrap, "the diagonal of a tall matrix begins again below its square, a row further down");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<FillDiagonal> samples() {
    return {{{1.5}, {{2, 3}}}, {{1, true}, {{7, 2}}}, {{2}, {{5, 2}}}, {{3}, {{2, 2, 2}}}};
  }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Diagonal> diagonal;
inline constexpr Fn<ops::DiagonalScatter> diagonal_scatter;
inline constexpr Fn<ops::DiagEmbed> diag_embed;
}  // namespace luth
