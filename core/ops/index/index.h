// Picking and writing along one dim by index tensors. See op.h for the recipe. Index tensors hold integers counted from
// `base`; an index out of bounds throws.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// The order of the arguments of the operators here.
struct AlongIndex {
  static constexpr Traits family{.order = "input, dim"}, traits = family;  // and then the other inputs
};
void describe_along_index(auto& field, int64_t& dim, int& base) {
  field("dim", dim, "the dim that the index counts along", as::dim | as::required);
  field("base", base, "from where indices count", as::base);
}

// ---- a list of positions along a dim ------------------------------------------------------------------------------

struct IndexSelect : AlongIndex {
  static constexpr Doc doc{"index_select", "input, index", "The positions along a dim that index lists, in its order."};
  static constexpr Traits traits = family.with({.saves = "input: input.meta, index", .kernel_required = true});
  int64_t dim = 0;
  int base = 0;
  void describe(auto& field) { describe_along_index(field, dim, base); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<IndexSelect> samples();
};
struct IndexAdd : AlongIndex {
  static constexpr Doc doc{"index_add", "input, index, source",
                           "Input with alpha times source added at the positions along a dim that index lists."};
  static constexpr Traits traits =
      family.with({.saves = "source: index, source.meta", .overwrites = true, .kernel_required = true});
  int64_t dim = 0;
  int base = 0;
  Scalar alpha = 1;
  void describe(auto& field) {
    describe_along_index(field, dim, base);
    field("alpha", alpha, "multiplies source", as::named);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<IndexAdd> samples();
};
struct IndexCopy : AlongIndex {
  static constexpr Doc doc{"index_copy", "input, index, source",
                           "Input with source written to the positions along a dim that index lists; the last of "
                           "several writes to one place stays."};
  static constexpr Traits traits =
      family.with({.saves = "*: index, source.meta", .overwrites = true, .kernel_required = true});
  int64_t dim = 0;
  int base = 0;
  void describe(auto& field) { describe_along_index(field, dim, base); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<IndexCopy> samples();
};
struct IndexFill : AlongIndex {
  static constexpr Doc doc{"index_fill", "input, index, value|number",
                           "Input with value at the positions along a dim that index lists."};
  static constexpr Traits traits = family.with({.saves = "*: index", .overwrites = true, .kernel_required = true});
  int64_t dim = 0;
  int base = 0;
  void describe(auto& field) { describe_along_index(field, dim, base); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<IndexFill> samples();
};

// ---- a position for each element -----------------------------------------------------------------------------------

struct Gather : AlongIndex {
  static constexpr Doc doc{"gather", "input, index",
                           "Element [i][j] of the result is input[index[i][j]][j] for the first dim, and so on."};
  static constexpr Traits traits = family.with({.saves = "input: input.meta, index", .kernel_required = true});
  int64_t dim = 0;
  int base = 0;
  void describe(auto& field) { describe_along_index(field, dim, base); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Gather> samples();
};
/// How scattered elements join what is there.
enum class Join : uint8_t { write, add, multiply, larger, smaller };
/// Throws for a word that is none.
Join join_of(const std::optional<std::string>& reduce);
void describe_join(auto& field, std::optional<std::string>& reduce) {
  field("reduce", reduce, "'add', 'multiply', 'amax' or 'amin' to join elements instead of replacing them", as::named);
}
struct Scatter : AlongIndex {
  static constexpr Doc doc{"scatter", "input, index, src",
                           "Input with src's elements written to the positions along a dim that index gives; the last "
                           "of several writes to one place stays."};
  static constexpr Traits traits =
      family.with({.saves = "*: index, src.meta", .overwrites = true, .kernel_required = true});
  int64_t dim = 0;
  int base = 0;
  std::optional<std::string> reduce{};
  void describe(auto& field) {
    describe_along_index(field, dim, base);
    describe_join(field, reduce);
  }
  Join join() const { return join_of(reduce); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Scatter> samples();
};
struct ScatterValue : AlongIndex {
  static constexpr Doc doc{"scatter.value", "input, index, value|number",
                           "Input with a number written to the positions along a dim that index gives."};
  static constexpr Traits traits = family.with({.saves = "*: index", .overwrites = true, .kernel_required = true});
  int64_t dim = 0;
  int base = 0;
  std::optional<std::string> reduce{};
  void describe(auto& field) {
    describe_along_index(field, dim, base);
    describe_join(field, reduce);
  }
  Join join() const { return join_of(reduce); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ScatterValue> samples();
};
struct ScatterAdd : AlongIndex {
  static constexpr Doc doc{"scatter_add", "input, index, src",
                           "Input with src's elements added at the positions along a dim that index gives, in order."};
  static constexpr Traits traits = family.with(
      {.saves = "src: index, src.meta", .overwrites = true, .autocast = Autocast::widest, .kernel_required = true});
  int64_t dim = 0;
  int base = 0;
  void describe(auto& field) { describe_along_index(field, dim, base); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ScatterAdd> samples();
};

// ---- positions in the flattened tensor ----

struct Take {
  static constexpr Doc doc{"take", "input, index", "The elements at positions of the flattened input."};
  static constexpr Traits traits{.saves = "input: input.meta, index"};
  int base = 0;
  void describe(auto& field) { field("base", base, "from where indices count", as::base); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Take> samples();
};
struct Put {
  static constexpr Doc doc{"put", "input, index, source",
                           "Input with source's elements at positions of its flat form."};
  static constexpr Traits traits{.saves = "*: index, source.meta", .overwrites = true};
  bool accumulate = false;
  int base = 0;
  void describe(auto& field) {
    field("accumulate", accumulate, "add instead of replacing");
    field("base", base, "from where indices count", as::base);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Put> samples();
};

// ---- several index tensors at once ----

/// x[i, :, j] with index tensors i and j: an entry that is absent stands for the whole dim, a mask for the positions
/// where it is true (and for as many dims as it has). Index tensors broadcast; their dims replace those indexed where
/// these are neighbours, else they come first (PyTorch's rule). Negative positions count from the end.
struct Index {
  static constexpr Doc doc{"index", "input, indices?[]", "Elements picked by one index tensor or mask per dim."};
  static constexpr Traits traits{.saves = "input: input.meta, indices", .internal = true, .kernel_required = true};
  int base = 0;
  void describe(auto& field) { field("base", base, "from where indices count", as::base); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Index> samples();
};
struct IndexPut {
  static constexpr Doc doc{"index_put", "input, values|number, indices?[]",
                           "Input with values written where one index tensor or mask per dim points."};
  static constexpr Traits traits{.saves = "*: values.meta, indices",
                                 .order = "input, indices, values",
                                 .overwrites = true,
                                 .autocast = Autocast::widest,
                                 .kernel_required = true};
  bool accumulate = false;
  int base = 0;
  void describe(auto& field) {
    field("accumulate", accumulate, "add instead of replacing");
    field("base", base, "from where indices count", as::base);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<IndexPut> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::IndexSelect> index_select;
inline constexpr Fn<ops::IndexAdd> index_add;
inline constexpr Fn<ops::IndexCopy> index_copy;
inline constexpr Fn<ops::IndexFill> index_fill;
inline constexpr Fn<ops::Gather> gather;
inline constexpr Fn<ops::Scatter> scatter;
inline constexpr Fn<ops::ScatterValue> scatter_value;
inline constexpr Fn<ops::ScatterAdd> scatter_add;
inline constexpr Fn<ops::Take> take;
inline constexpr Fn<ops::Put> put;
/// `indices` may hold null tensors for whole dims.
Tensor index(const Tensor& input, const Tensors& indices, const ops::Index& op = {});
Tensor index_put(const Tensor& input, const Value& values, const Tensors& indices, const ops::IndexPut& op = {});
}  // namespace luth
