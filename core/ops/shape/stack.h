// Stacking, splitting and shaping several tensors at once, by numpy's rules. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

// ---- at least so many dims ------------------------------------------------------------------------------------------

struct AtLeast {
  static constexpr Traits family{.offered = Offered::function, .star = true}, traits = family;
};
struct AtLeast1d : AtLeast {
  static constexpr Doc doc{"atleast_1d", "tensors[]", "Each tensor with at least one dim.", "list[]"};
  Tensors decompose(const Inputs& in) const;
  static Cases<AtLeast1d> samples() { return {{{}, {{}, {2}}}, {{}, {{2, 3}}}}; }
};
struct AtLeast2d : AtLeast {
  static constexpr Doc doc{"atleast_2d", "tensors[]", "Each tensor with at least two dims; new ones come first.",
                           "list[]"};
  Tensors decompose(const Inputs& in) const;
  static Cases<AtLeast2d> samples() { return {{{}, {{}, {2}}}, {{}, {{2, 3}}}}; }
};
struct AtLeast3d : AtLeast {
  static constexpr Doc doc{"atleast_3d", "tensors[]",
                           "Each tensor with at least three dims; a vector becomes 1 x n x 1, a matrix m x n x 1.",
                           "list[]"};
  Tensors decompose(const Inputs& in) const;
  static Cases<AtLeast3d> samples() { return {{{}, {{}, {2}}}, {{}, {{2, 3}, {1, 2, 2}}}}; }
};
struct BroadcastTensors : AtLeast {
  static constexpr Doc doc{"broadcast_tensors", "tensors[]", "Views of all tensors in the shape they broadcast to.",
                           "list[]"};
  Tensors decompose(const Inputs& in) const;
  static Cases<BroadcastTensors> samples() { return {{{}, {{2, 1}, {3}}}, {{}, {{2}}}}; }
};
struct Meshgrid : AtLeast {
  static constexpr Doc doc{"meshgrid", "tensors[]", "The coordinates of a grid whose axes are the vectors.", "list[]"};
  std::string indexing = "ij";
  void describe(auto& field) {
    field("indexing", indexing, "'ij': the first vector runs along the first dim; 'xy': along the second", as::named);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Meshgrid> samples() { return {{{}, {{2}, {3}}}, {{{}, "xy"}, {{2}, {3}, {}}}, {{{}, "xy"}, {{2}}}}; }
};

// ---- stacks ---------------------------------------------------------------------------------------------------------

struct StackAlong {
  static constexpr Traits family{.offered = Offered::function}, traits = family;
};
struct HStack : StackAlong {
  static constexpr Doc doc{"hstack", "tensors[]", "The tensors side by side: along the second dim, vectors the first."};
  Tensor decompose(const Inputs& in) const;
  static Cases<HStack> samples() { return {{{}, {{2, 3}, {2, 1}}}, {{}, {{2}, {3}}}, {{}, {{}, {}}}}; }
};
struct VStack : StackAlong {
  static constexpr Doc doc{"vstack", "tensors[]", "The tensors below each other, vectors as rows."};
  static constexpr Traits traits = family.with({.aliases = "row_stack"});
  Tensor decompose(const Inputs& in) const;
  static Cases<VStack> samples() { return {{{}, {{2, 3}, {3}}}, {{}, {{}, {}}}}; }
};
struct DStack : StackAlong {
  static constexpr Doc doc{"dstack", "tensors[]", "The tensors one behind the other, along the third dim."};
  Tensor decompose(const Inputs& in) const;
  static Cases<DStack> samples() { return {{{}, {{2, 3}, {2, 3}}}, {{}, {{3}, {3}}}}; }
};
struct ColumnStack : StackAlong {
  static constexpr Doc doc{"column_stack", "tensors[]", "The tensors side by side, vectors as columns."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ColumnStack> samples() { return {{{}, {{2}, {2, 3}}}, {{}, {{}, {}}}}; }
};

// ---- splits ---------------------------------------------------------------------------------------------------------

struct TensorSplit {
  static constexpr Doc doc{"tensor_split", "input",
                           "Parts along a dim; where they cannot be equal the first are larger.", "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: sections"};
  int64_t sections = 1, dim = 0;
  void describe(auto& field) {
    field("sections", sections, "how many parts", as::required);
    field("dim", dim, "the dim", as::dim);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<TensorSplit> samples() { return {{{3, 0}, {{5, 2}}}, {{4, -1}, {{2, 3}}}}; }
};
struct TensorSplitAt {
  static constexpr Doc doc{"tensor_split.indices", "input", "Parts along a dim, each ending at one of `indices`.",
                           "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: indices"};
  std::vector<double> indices;  // any number of them
  int64_t dim = 0;
  void describe(auto& field) {
    field("indices", indices, "where parts end", as::required);
    field("dim", dim, "the dim", as::dim);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<TensorSplitAt> samples() { return {{{{2, 4}, 0}, {{5, 2}}}, {{{1, 9}, -1}, {{2, 3}}}}; }
};
struct TensorSplitBy {
  static constexpr Doc doc{"tensor_split.tensor", "input, tensor_indices_or_sections",
                           "The same, as a 0-dimensional tensor (how many parts) or a vector (where they end) says.",
                           "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: tensor_indices_or_sections"};
  int64_t dim = 0;
  void describe(auto& field) { field("dim", dim, "the dim", as::dim); }
  Tensors decompose(const Inputs& in) const;
  static Cases<TensorSplitBy> samples();
};
/// hsplit, vsplit and dsplit into equal parts or at positions.
struct SplitEqually {
  int64_t sections = 1;
  void describe(auto& field) { field("sections", sections, "how many equal parts", as::required); }
};
struct SplitAt {
  std::vector<double> indices;  // any number of them
  void describe(auto& field) { field("indices", indices, "where parts end", as::required); }
};
struct HSplit : SplitEqually {
  static constexpr Doc doc{"hsplit", "input", "Parts side by side: of the second dim, of a vector the first.",
                           "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: sections"};
  Tensors decompose(const Inputs& in) const;
  static Cases<HSplit> samples() { return {{{{2}}, {{2, 4}}}, {{{3}}, {{3}}}}; }
};
struct HSplitAt : SplitAt {
  static constexpr Doc doc{"hsplit.indices", "input", "Parts side by side, each ending at one of `indices`.", "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: indices"};
  Tensors decompose(const Inputs& in) const;
  static Cases<HSplitAt> samples() { return {{{{{1, 3}}}, {{2, 4}}}}; }
};
struct VSplit : SplitEqually {
  static constexpr Doc doc{"vsplit", "input", "Parts below each other, of the first dim.", "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: sections"};
  Tensors decompose(const Inputs& in) const;
  static Cases<VSplit> samples() { return {{{{2}}, {{4, 2}}}}; }
};
struct VSplitAt : SplitAt {
  static constexpr Doc doc{"vsplit.indices", "input", "Parts below each other, each ending at one of `indices`.",
                           "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: indices"};
  Tensors decompose(const Inputs& in) const;
  static Cases<VSplitAt> samples() { return {{{{{1, 3}}}, {{4, 2}}}}; }
};
struct DSplit : SplitEqually {
  static constexpr Doc doc{"dsplit", "input", "Parts one behind the other, of the third dim.", "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: sections"};
  Tensors decompose(const Inputs& in) const;
  static Cases<DSplit> samples() { return {{{{2}}, {{1, 2, 4}}}}; }
};
struct DSplitAt : SplitAt {
  static constexpr Doc doc{"dsplit.indices", "input", "Parts one behind the other, each ending at one of `indices`.",
                           "list[]"};
  static constexpr Traits traits{.second_names = "indices_or_sections: indices"};
  Tensors decompose(const Inputs& in) const;
  static Cases<DSplitAt> samples() { return {{{{{1, 3}}}, {{1, 2, 4}}}}; }
};

// ---- turning round --------------------------------------------------------------------------------------------------

struct FlipLr {
  static constexpr Doc doc{"fliplr", "input", "The columns in reverse order; a copy."};
  Tensor decompose(const Inputs& in) const;
  static Cases<FlipLr> samples() { return {{{}, {{2, 3}}}}; }
};
struct FlipUd {
  static constexpr Doc doc{"flipud", "input", "The rows in reverse order; a copy."};
  Tensor decompose(const Inputs& in) const;
  static Cases<FlipUd> samples() { return {{{}, {{2, 3}}}, {{}, {{2}}}}; }
};
struct Rot90 {
  static constexpr Doc doc{"rot90", "input", "The tensor turned by right angles in the plane of two dims."};
  int64_t k = 1;
  Ints dims = {0, 1};
  void describe(auto& field) {
    field("k", k, "how many right angles, from the first of dims towards the second");
    field("dims", dims, "the plane", as::dim);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Rot90> samples() {
    return {{{}, {{2, 3}}}, {{2}, {{2, 3}}}, {{-1, {1, 2}}, {{2, 3, 2}}}, {{4, {1, 0}}, {{2, 3}}}};
  }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::TensorSplit> tensor_split;
inline constexpr Fn<ops::TensorSplitAt> tensor_split_at;
inline constexpr Fn<ops::BroadcastTensors> broadcast_tensors;
inline constexpr Fn<ops::HStack> hstack;
inline constexpr Fn<ops::VStack> vstack;
}  // namespace luth
