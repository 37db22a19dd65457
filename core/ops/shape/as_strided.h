// Views by strides alone, and their gradient. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// Strides and offset in elements of the storage. Elements in one place add up in the gradient; where the input itself
/// has several in one place, they share it equally, as in PyTorch.
struct AsStrided {
  static constexpr Doc doc{"as_strided", "input", "A view of the storage with any shape, strides and offset."};
  static constexpr Traits traits{.saves = "input: input.meta", .inplace = Inplace::also};
  Ints size, stride;
  std::optional<int64_t> storage_offset;
  void describe(auto& field) {
    field("size", size, "the shape", as::required);
    field("stride", stride, "the strides, in elements", as::required);
    field("storage_offset", storage_offset, "elements before the first; nil: input's");
  }
  Tensor view(const Tensor& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AsStrided> samples() {
    return {{{{2, 2}, {1, 2}, 1}, {{6}}},
            {{{3, 2}, {1, 1}, {}}, {{2, 3}}},
            {{{}, {}, 2}, {{4}}},
            {{{2, 0}, {1, 1}, {}}, {{3}}}};
  }
};

/// The gradient of as_strided, and the gradient of that. Memory begins as zeros; the elements of grad are added to it
/// in the layout (size, stride, offset), and the result is read in the layout (to_size, to_stride, to_offset). One of
/// the layouts is that of as_strided's input: where several of its elements share memory, the sum there is divided by
/// their number.
struct Restride {
  static constexpr Doc doc{"restride", "grad", "Elements laid out in memory by strides and read by others."};
  static constexpr Traits traits{.internal = true};
  Ints size, stride;
  int64_t offset = 0;
  Ints to_size, to_stride;
  int64_t to_offset = 0;
  bool shared_to = true;  // the layout of as_strided's input is the one that is read
  void describe(auto& field) {
    field("size", size, "the shape of grad", as::required);
    field("stride", stride, "its strides", as::required);
    field("offset", offset, "where it begins", as::required);
    field("to_size", to_size, "the shape of the result", as::required);
    field("to_stride", to_stride, "its strides", as::required);
    field("to_offset", to_offset, "where it begins", as::required);
    field("shared_to", shared_to, "whether the result shares places, or grad");
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Restride> samples() {
    return {{{{2, 2}, {1, 2}, 1, {6}, {1}, 0}, {{2, 2}}},
            {{{3, 2}, {1, 1}, 0, {6}, {1}, 0}, {{3, 2}}},
            {{{2}, {1}, 3, {2, 3}, {1, 0}, 3}, {{2}}},
            {{{2, 3}, {1, 0}, 3, {2}, {1}, 3, false}, {{2, 3}}}};
  }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::AsStrided> as_strided;
inline constexpr Fn<ops::Restride> restride;
}  // namespace luth
