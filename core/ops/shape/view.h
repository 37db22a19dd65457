// Views: other shapes, orders and parts of the same memory. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Expand {
  static constexpr Doc doc{"expand", "input", "A view in which extents of 1 are repeated; -1 keeps an extent."};
  static constexpr Traits traits{.saves = "input: input.meta", .offered = Offered::method};
  Ints size;
  void describe(auto& field) { field("size", size, "the shape to expand to", as::sizes | as::required); }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Expand> samples() { return {{{{2, 3}}, {{3}}}, {{{2, -1, 4}}, {{3, 1}}}, {{{2, 2}}, {{}}}}; }
};
struct BroadcastTo {
  static constexpr Doc doc{"broadcast_to", "input", "A view in which extents of 1 are repeated; as expand."};
  static constexpr Traits traits{.second_names = "shape: size"};
  Ints size;
  void describe(auto& field) { field("size", size, "the shape to expand to", as::sizes | as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<BroadcastTo> samples() { return {{{{2, 3}}, {{3}}}, {{{2, 2}}, {{}}}}; }
};
struct ExpandAs {
  static constexpr Doc doc{"expand_as", "input, other", "A view of input expanded to other's shape."};
  static constexpr Traits traits{.offered = Offered::method};
  Tensor decompose(const Inputs& in) const;
  static Cases<ExpandAs> samples() { return {{{}, {{3}, {2, 3}}}}; }
};
/// A view of contiguous memory under another shape; where strides allow it.
struct View {
  static constexpr Doc doc{
      "view", "input", "The same memory under another shape; one extent may be -1. Throws where strides forbid it."};
  static constexpr Traits traits{.saves = "input: input.meta", .offered = Offered::method};
  Ints shape;
  void describe(auto& field) { field("size", shape, "the new shape", as::sizes | as::required); }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<View> samples() { return {{{{6}}, {{2, 3}}}, {{{3, -1}}, {{2, 3}}}, {{{1}}, {{}}}}; }
};
/// Not recorded, as in PyTorch: bits have no gradient.
struct ViewDtype {
  static constexpr Doc doc{"view.dtype", "input", "The same bytes as elements of another dtype."};
  static constexpr Traits traits{.not_differentiable = "it reads bits as other numbers", .offered = Offered::method};
  Dtype dtype = Dtype::f32;
  void describe(auto& field) { field("dtype", dtype, "the dtype", as::required); }
  Tensor view(const Tensor& t) const;
  static Cases<ViewDtype> samples();
};
struct Reshape {
  static constexpr Doc doc{"reshape", "input",
                           "Another shape; a view where strides allow it, else a copy. One extent may be -1."};
  Ints shape;
  void describe(auto& field) { field("shape", shape, "the new shape", as::sizes | as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Reshape> samples() { return {{{{6}}, {{2, 3}}}, {{{3, -1}}, {{2, 3}}}, {{{}}, {{1}}}}; }
};
struct ReshapeAs {
  static constexpr Doc doc{"reshape_as", "input, other", "Input in other's shape."};
  static constexpr Traits traits{.offered = Offered::method};
  Tensor decompose(const Inputs& in) const;
  static Cases<ReshapeAs> samples() { return {{{}, {{6}, {2, 3}}}}; }
};
struct ViewAs {
  static constexpr Doc doc{"view_as", "input, other", "A view of input in other's shape."};
  static constexpr Traits traits{.offered = Offered::method};
  Tensor decompose(const Inputs& in) const;
  static Cases<ViewAs> samples() { return {{{}, {{6}, {2, 3}}}}; }
};
struct Transpose {
  static constexpr Doc doc{"transpose", "input", "A view with two dims exchanged."};
  static constexpr Traits traits{
      .aliases = "swapaxes swapdims", .second_names = "dim0: axis0; dim1: axis1", .inplace = Inplace::also};
  int64_t dim0 = 0, dim1 = 0;
  void describe(auto& field) {
    field("dim0", dim0, "one dim", as::dim | as::required);
    field("dim1", dim1, "the other", as::dim | as::required);
  }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Transpose> samples() { return {{{0, 1}, {{2, 3}}}, {{-1, 0}, {{2, 3, 4}}}, {{0, 0}, {{}}}}; }
};
struct T {
  static constexpr Doc doc{"t", "input", "The transpose of a matrix; tensors of fewer dims as they are."};
  static constexpr Traits traits{.inplace = Inplace::also};
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<T> samples() { return {{{}, {{2, 3}}}, {{}, {{3}}}}; }
};
/// The field x.mT.
struct MT {
  static constexpr Doc doc{"mT", "input", "A view with the last two dims exchanged."};
  static constexpr Traits traits{.internal = true};
  Tensor decompose(const Inputs& in) const;
  static Cases<MT> samples() { return {{{}, {{2, 3}}}, {{}, {{2, 3, 4}}}}; }
};
struct Permute {
  static constexpr Doc doc{"permute", "input", "A view with the dims in another order."};
  Ints dims;
  void describe(auto& field) {
    field("dims", dims, "which dim comes first, second, …", as::sizes | as::dim | as::required);
  }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Permute> samples() { return {{{{2, 0, 1}}, {{2, 3, 4}}}, {{{1, 0}}, {{2, 3}}}}; }
};
struct MoveDim {
  static constexpr Doc doc{"movedim", "input", "A view with some dims moved to other places."};
  static constexpr Traits traits{.aliases = "moveaxis"};
  Ints source, destination;
  void describe(auto& field) {
    field("source", source, "the dims to move", as::dim | as::required);
    field("destination", destination, "where they go", as::dim | as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<MoveDim> samples() { return {{{{0}, {2}}, {{2, 3, 4}}}, {{{0, 1}, {1, 2}}, {{2, 3, 4}}}}; }
};
struct Squeeze {
  static constexpr Doc doc{"squeeze", "input", "A view without dims of extent 1: all of them, or those named."};
  static constexpr Traits traits{.saves = "input: input.meta", .inplace = Inplace::also};
  std::optional<Ints> dim;
  void describe(auto& field) { field("dim", dim, "the dims to drop, if their extent is 1", as::dim); }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Squeeze> samples() {
    return {{{}, {{1, 3, 1}}}, {{Ints{0}}, {{1, 3, 1}}}, {{Ints{1}}, {{1, 3, 1}}}, {{Ints{0, 2}}, {{1, 3, 1}}}};
  }
};
struct Unsqueeze {
  static constexpr Doc doc{"unsqueeze", "input", "A view with a new dim of extent 1."};
  static constexpr Traits traits{.inplace = Inplace::also};
  int64_t dim = 0;
  void describe(auto& field) { field("dim", dim, "where the new dim stands", as::dim | as::insert | as::required); }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Unsqueeze> samples() { return {{{0}, {{2, 3}}}, {{-1}, {{2, 3}}}, {{1}, {{2, 3}}}, {{0}, {{}}}}; }
};
struct Flatten {
  static constexpr Doc doc{"flatten", "input", "Dims from start_dim to end_dim made one."};
  int64_t start_dim = 0, end_dim = -1;
  void describe(auto& field) {
    field("start_dim", start_dim, "the first of the dims to join", as::dim);
    field("end_dim", end_dim, "the last", as::dim);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Flatten> samples() {
    return {{{}, {{2, 3, 2}}}, {{1, -1}, {{2, 3, 2}}}, {{0, 1}, {{2, 3, 2}}}, {{}, {{}}}};
  }
};
struct Ravel {
  static constexpr Doc doc{"ravel", "input", "One dim of all elements."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Ravel> samples() { return {{{}, {{2, 3}}}}; }
};
struct Unflatten {
  static constexpr Doc doc{"unflatten", "input", "One dim split into several."};
  int64_t dim = 0;
  Ints sizes;
  void describe(auto& field) {
    field("dim", dim, "the dim to split", as::dim | as::required);
    field("sizes", sizes, "its new extents; one may be -1", as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Unflatten> samples() { return {{{1, {2, -1}}, {{2, 6}}}}; }
};

struct Select {
  static constexpr Doc doc{"select", "input", "A view of one position along a dim, which goes away."};
  static constexpr Traits traits{.saves = "input: input.meta"};
  int64_t dim = 0, index = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim", as::dim | as::required);
    field("index", index, "the position", as::index | as::required);
  }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Select> samples() { return {{{0, 1}, {{2, 3}}}, {{1, -1}, {{2, 3}}}}; }
};
/// Half-open, from 0, positive steps; start and end are clamped as Python's slices are.
struct Slice {
  static constexpr Doc doc{"slice", "input", "A view of positions start, start + step, … before end along a dim."};
  static constexpr Traits traits{.saves = "input: input.meta", .internal = true};
  int64_t dim = 0, start = 0, end = INT64_MAX, step = 1;
  void describe(auto& field) {
    field("dim", dim, "the dim", as::dim);
    field("start", start, "the first position", as::index);
    field("end", end, "the position after the last");
    field("step", step, "the distance between positions");
  }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Slice> samples() {
    return {{{0, 1, 3, 1}, {{4, 3}}}, {{1, 0, 5, 2}, {{2, 5}}}, {{0, -2, INT64_MAX, 1}, {{4}}}};
  }
};
/// The gradient of slice: zeros of `shape` with dy in the slice.
struct SliceBackward {
  static constexpr Doc doc{"slice_backward", "grad", "Zeros of a shape, with grad in a slice of it."};
  static constexpr Traits traits{.internal = true};
  Ints shape;
  int64_t dim = 0, start = 0, end = 0, step = 1;
  void describe(auto& field) {
    field("shape", shape, "the shape of the result", as::required);
    field("dim", dim, "the dim of the slice", as::dim);
    field("start", start, "its first position", as::index);
    field("end", end, "the position after its last");
    field("step", step, "the distance between positions");
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<SliceBackward> samples() { return {{{{4, 3}, 0, 1, 3, 1}, {{2, 3}}}, {{{2, 5}, 1, 0, 5, 2}, {{2, 3}}}}; }
};
struct Narrow {
  static constexpr Doc doc{"narrow", "input", "A view of `length` positions along a dim, from `start`."};
  int64_t dim = 0, start = 0, length = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim", as::dim | as::required);
    field("start", start, "the first position", as::index | as::required);
    field("length", length, "how many", as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Narrow> samples() { return {{{0, 1, 2}, {{4, 3}}}, {{1, -2, 2}, {{2, 3}}}}; }
};
struct Detach {
  static constexpr Doc doc{"detach", "input", "The same memory without history."};
  static constexpr Traits traits{.not_differentiable = "that is its purpose"};
  Tensor decompose(const Inputs& in) const;
  static Cases<Detach> samples() { return {{{}, {{2}}}}; }
};

}  // namespace luth::ops

namespace luth {
/// A list of any length as integers; throws, with its name, for a number that is none.
std::vector<int64_t> whole_numbers(const std::vector<double>& list, const char* what);

inline constexpr Fn<ops::Expand> expand;
inline constexpr Fn<ops::View> view;
inline constexpr Fn<ops::ViewDtype> view_dtype;
inline constexpr Fn<ops::Reshape> reshape;
inline constexpr Fn<ops::Transpose> transpose;
inline constexpr Fn<ops::Permute> permute;
inline constexpr Fn<ops::MoveDim> movedim;
inline constexpr Fn<ops::Squeeze> squeeze;
inline constexpr Fn<ops::Unsqueeze> unsqueeze;
inline constexpr Fn<ops::Flatten> flatten;
inline constexpr Fn<ops::Select> select;
inline constexpr Fn<ops::Slice> slice;
inline constexpr Fn<ops::SliceBackward> slice_backward;
inline constexpr Fn<ops::Narrow> narrow;
}  // namespace luth
