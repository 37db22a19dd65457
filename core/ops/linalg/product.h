// Products of tensors beyond matmul: tensordot, kron, cross, bilinear; and combinations of elements. See op.h for the
// recipe. All are compositions.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Tensordot {
  static constexpr Doc doc{"tensordot", "a, b", "Sums of products over the last `dims` dims of a and the first of b."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::lower};
  int64_t dims = 2;
  void describe(auto& field) { field("dims", dims, "how many dims to sum over"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Tensordot> samples() { return {{{}, {{2, 3, 2}, {3, 2, 4}}}, {{0}, {{2}, {3}}}, {{1}, {{3}, {3, 2}}}}; }
};
struct TensordotDims {
  static constexpr Doc doc{"tensordot.dims", "a, b", "Sums of products over pairs of dims of a and b."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::lower};
  std::vector<double> dims;  // those of a, then as many of b
  void describe(auto& field) {
    field("dims", dims, "the dims of a and those of b to sum over, as two lists: {{1, 2}, {2, 1}}",
          as::dim | as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<TensordotDims> samples() {
    return {{{{0, 1, 1, 0}}, {{2, 3, 2}, {3, 2, 4}}}, {{{-1, 0}}, {{2, 1}, {3, 2}}}};
  }
};

struct Kron {
  static constexpr Doc doc{"kron", "input, other",
                           "Kronecker's product: every element of input times the whole of other, side by side."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Kron> samples() {
    return {{{}, {{2, 2}, {2, 3}}}, {{}, {{2}, {2, 2}}}, {{}, {{}, {3}}}, {{}, {{2, 1, 2, 1, 1}, {1, 2, 3}}}};
  }
};

/// torch.linalg.cross: along `dim`, which has 3 elements.
struct LinalgCross {
  static constexpr Doc doc{"linalg_cross", "input, other",
                           "The cross products of vectors of 3 elements along a dim; other dims broadcast."};
  static constexpr Traits traits{.second_names = "input"};
  int64_t dim = -1;
  void describe(auto& field) { field("dim", dim, "the dim of the vectors", as::named | as::dim); }
  Tensor decompose(const Inputs& in) const;
  static Cases<LinalgCross> samples() { return {{{}, {{2, 3}, {2, 3}}}, {{0}, {{3, 1}, {3, 2}}}}; }
};
struct Cross {
  static constexpr Doc doc{"cross", "input, other", "The cross products of vectors of 3 elements along a dim."};
  std::optional<int64_t> dim;
  void describe(auto& field) {
    field("dim", dim, "the dim of the vectors; nil: the first that has 3 elements", as::dim);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Cross> samples() { return {{{}, {{2, 3}, {2, 3}}}, {{0}, {{3, 3}, {3, 3}}}}; }
};

struct Bilinear {
  static constexpr Doc doc{"bilinear", "input1, input2, weight, bias?",
                           "input1 @ weight[o] @ input2 over the last dims, for each output o, plus bias."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::lower};
  Tensor decompose(const Inputs& in) const;
  static Cases<Bilinear> samples() {
    return {
        {{}, {{2, 3}, {2, 2}, {4, 3, 2}, {4}}}, {{}, {{3}, {2}, {2, 3, 2}}}, {{}, {{2, 2, 1}, {2, 2, 3}, {1, 1, 3}}}};
  }
};

struct ChainMatmul {
  static constexpr Doc doc{"chain_matmul", "matrices[]", "The product of several matrices, in the cheapest order."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::lower, .star = true};
  Tensor decompose(const Inputs& in) const;
  static Cases<ChainMatmul> samples() { return {{{}, {{2, 3}, {3, 4}, {4, 2}}}, {{}, {{2, 3}}}}; }
};
struct MultiDot {
  static constexpr Doc doc{"linalg_multi_dot", "tensors[]",
                           "The product of several matrices, in the cheapest order; the first and the last may be "
                           "vectors."};
  static constexpr Traits traits{.autocast = Autocast::lower};
  Tensor decompose(const Inputs& in) const;
  static Cases<MultiDot> samples() {
    return {{{}, {{2, 3}, {3, 4}, {4, 2}}}, {{}, {{3}, {3, 2}, {2}}}, {{}, {{2, 3}, {3, 1}, {1, 4}, {4}}}};
  }
};
struct Vecdot {
  static constexpr Doc doc{"linalg_vecdot", "x, y", "The dot products of vectors along a dim; other dims broadcast."};
  static constexpr Traits traits{.aliases = "vecdot"};
  int64_t dim = -1;
  void describe(auto& field) { field("dim", dim, "the dim of the vectors", as::named | as::dim); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Vecdot> samples() { return {{{}, {{2, 3}, {2, 3}}}, {{0}, {{3, 2}, {3, 1}}}}; }
};

struct BlockDiag {
  static constexpr Doc doc{"block_diag", "tensors[]", "A matrix with the given ones along its diagonal."};
  static constexpr Traits traits{.offered = Offered::function, .star = true};
  Tensor decompose(const Inputs& in) const;
  static Cases<BlockDiag> samples() { return {{{}, {{2, 3}, {2}, {}}}, {{}, {{1, 2}}}}; }
};
struct Combinations {
  static constexpr Doc doc{"combinations", "input", "All combinations of r elements of a vector, one in each row."};
  int64_t r = 2;
  bool with_replacement = false;
  void describe(auto& field) {
    field("r", r, "how many elements in each");
    field("with_replacement", with_replacement, "an element may be taken again");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Combinations> samples();
};
struct CartesianProd {
  static constexpr Doc doc{"cartesian_prod", "tensors[]",
                           "All ways to take one element of each vector, one in each row; a vector alone stays."};
  static constexpr Traits traits{.offered = Offered::function, .star = true};
  Tensor decompose(const Inputs& in) const;
  static Cases<CartesianProd> samples() { return {{{}, {{2}, {3}, {2}}}, {{}, {{3}}}, {{}, {{2}, {0}}}}; }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Tensordot> tensordot;
inline constexpr Fn<ops::MultiDot> multi_dot;
}  // namespace luth
