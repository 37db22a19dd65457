// Parts of a tensor along a dim, as views. Their gradient is written once: the gradients of the parts, joined. See op.h
// for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Split {
  static constexpr Doc doc{"split", "tensor", "Parts of split_size positions along a dim; the last may be smaller.",
                           "list[]"};
  static constexpr Traits traits{.saves = "tensor: tensor.meta", .second_names = "split_size_or_sections: split_size"};
  int64_t split_size = 1, dim = 0;
  void describe(auto& field) {
    field("split_size_or_sections", split_size, "positions in each part", as::required);
    field("dim", dim, "the dim", as::dim);
  }
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<Split> samples() { return {{{2, 0}, {{5, 2}}}, {{1, -1}, {{2, 3}}}}; }
};
struct SplitSizes {
  static constexpr Doc doc{"split.sizes", "tensor", "Parts of the given sizes along a dim.", "list[]"};
  static constexpr Traits traits{.saves = "tensor: tensor.meta", .second_names = "split_size_or_sections: split_size"};
  std::vector<double> split_sizes;  // any number of them
  int64_t dim = 0;
  void describe(auto& field) {
    field("split_size_or_sections", split_sizes, "the size of each part", as::required);
    field("dim", dim, "the dim", as::dim);
  }
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<SplitSizes> samples() { return {{{{2, 3}, 0}, {{5, 2}}}, {{{1, 2}, -1}, {{2, 3}}}}; }
};
struct SplitWithSizes {
  static constexpr Doc doc{"split_with_sizes", "input", "Parts of the given sizes along a dim.", "list[]"};
  std::vector<double> split_sizes;  // any number of them
  int64_t dim = 0;
  void describe(auto& field) {
    field("split_sizes", split_sizes, "the size of each part", as::required);
    field("dim", dim, "the dim", as::dim);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<SplitWithSizes> samples() { return {{{{2, 3}, 0}, {{5, 2}}}, {{{1, 2}, -1}, {{2, 3}}}}; }
};
struct Chunk {
  static constexpr Doc doc{"chunk", "input", "The tensor in at most `chunks` parts of equal size along a dim.",
                           "list[]"};
  int64_t chunks = 1, dim = 0;
  void describe(auto& field) {
    field("chunks", chunks, "how many parts", as::required);
    field("dim", dim, "the dim", as::dim);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Chunk> samples() { return {{{2, 0}, {{5, 2}}}, {{3, 1}, {{2, 3}}}}; }
};
struct Unbind {
  static constexpr Doc doc{"unbind", "input", "The positions along a dim as tensors of their own.", "list[]"};
  static constexpr Traits traits{.saves = "input: input.meta"};
  int64_t dim = 0;
  void describe(auto& field) { field("dim", dim, "the dim", as::dim); }
  Tensors decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<Unbind> samples() { return {{{0}, {{2, 3}}}, {{-1}, {{2, 3}}}}; }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Split> split;
inline constexpr Fn<ops::SplitSizes> split_sizes;
inline constexpr Fn<ops::Chunk> chunk;
inline constexpr Fn<ops::Unbind> unbind;
}  // namespace luth
