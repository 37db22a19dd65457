// Copies of a tensor with a part of it replaced, and windows along a dim. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// transpose by numpy's names of the dims.
struct Swapaxes {
  static constexpr Doc doc{"swapaxes", "input", "A view with two dims exchanged."};
  static constexpr Traits traits{.inplace = Inplace::also};
  int64_t axis0 = 0, axis1 = 0;
  void describe(auto& field) {
    field("axis0", axis0, "one dim", as::dim | as::required);
    field("axis1", axis1, "the other", as::dim | as::required);
  }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Swapaxes> samples() { return {{{0, 1}, {{2, 3}}}, {{-1, 0}, {{2, 3, 4}}}}; }
};
struct SelectScatter {
  static constexpr Doc doc{"select_scatter", "input, src", "Input with src at one position along a dim."};
  static constexpr Traits traits{.saves = "*: src.meta"};
  int64_t dim = 0, index = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim", as::dim | as::required);
    field("index", index, "the position", as::index | as::required);
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<SelectScatter> samples() {
    return {{{0, 1}, {{2, 3}, {3}}}, {{-1, -1}, {{2, 3}, {2}}}, {{0, 0}, {{2}, {}}}};
  }
};
struct SliceScatter {
  static constexpr Doc doc{"slice_scatter", "input, src",
                           "Input with src at positions start, start + step, … of a dim."};
  static constexpr Traits traits{.saves = "*: src.meta"};
  int64_t dim = 0;
  std::optional<int64_t> start, end;
  int64_t step = 1;
  void describe(auto& field) {
    field("dim", dim, "the dim", as::dim);
    field("start", start, "the first position; nil: the first of the dim", as::index);
    field("end", end, "where the positions stop; nil: at the end of the dim");
    field("step", step, "the distance between positions");
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<SliceScatter> samples() {
    return {{{}, {{2, 3}, {2, 3}}}, {{1, 1, 5, 2}, {{2, 4}, {2, 2}}}, {{-1, -2, {}}, {{2, 3}, {2, 2}}}};
  }
};
/// In memory that has the input's strides and offset, as PyTorch has it: places are those of the input's storage.
struct AsStridedScatter {
  static constexpr Doc doc{"as_strided_scatter", "input, src", "Input with src in the places that as_strided names."};
  static constexpr Traits traits{.saves = "*: input.meta, src.meta"};
  Ints size, stride;
  std::optional<int64_t> storage_offset;
  void describe(auto& field) {
    field("size", size, "the shape of src", as::required);
    field("stride", stride, "the strides, in elements", as::required);
    field("storage_offset", storage_offset, "elements before the first; nil: input's");
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AsStridedScatter> samples() {
    return {{{{2, 2}, {1, 2}, 1}, {{6}, {2, 2}}}, {{{3}, {2}, {}}, {{2, 3}, {3}}}};
  }
};
struct NarrowCopy {
  static constexpr Doc doc{"narrow_copy", "input", "A copy of `length` positions along a dim, from `start`."};
  int64_t dim = 0, start = 0, length = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim", as::dim | as::required);
    field("start", start, "the first position", as::index | as::required);
    field("length", length, "how many", as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<NarrowCopy> samples() { return {{{0, 1, 2}, {{4, 3}}}, {{1, -2, 2}, {{2, 3}}}}; }
};
/// x:unfold(dimension, size, step); the windows of images are F.unfold.
struct Unfold {
  static constexpr Doc doc{"unfold", "input",
                           "A view of all windows of `size` positions along a dim, `step` apart; the places in a "
                           "window become the last dim."};
  static constexpr Traits traits{.saves = "input: input.meta", .offered = Offered::method};
  int64_t dimension = 0, size = 1, step = 1;
  void describe(auto& field) {
    field("dimension", dimension, "the dim", as::dim | as::required);
    field("size", size, "positions in a window", as::required);
    field("step", step, "the distance between windows", as::required);
  }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Unfold> samples() {
    return {{{0, 2, 1}, {{4}}}, {{1, 3, 2}, {{2, 6}}}, {{-2, 2, 2}, {{5, 2}}}, {{0, 1, 1}, {{}}}};
  }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::SelectScatter> select_scatter;
inline constexpr Fn<ops::SliceScatter> slice_scatter;
inline constexpr Fn<ops::Unfold> unfold;
}  // namespace luth
