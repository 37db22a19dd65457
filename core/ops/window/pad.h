// Padding. See op.h for the recipe; resample.h has the kernel.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Pad {
  static constexpr Doc doc{"nn_functional_pad", "input",
                           "Input with elements added around it: pad[1] before and pad[2] after the last dim, the next "
                           "two for the dim before it, and so on. Negative numbers cut off."};
  Ints pad;
  std::string mode = "constant";
  std::optional<Scalar> value;
  void describe(auto& field) {
    field("pad", pad, "elements before and after the last dim, then the one before it, …", as::required);
    field("mode", mode, "'constant', 'reflect', 'replicate' or 'circular'");
    field("value", value, "what is added, for 'constant'; nil: 0");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Pad> samples();
};
struct ConstantPad {
  static constexpr Doc doc{"constant_pad_nd", "input", "Input with a number around it; negative numbers cut off."};
  static constexpr Traits traits{.offered = Offered::function};
  Ints pad;
  Scalar value = 0;
  void describe(auto& field) {
    field("pad", pad, "elements before and after the last dim, then the one before it, …", as::required);
    field("value", value, "what is added");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<ConstantPad> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Pad> pad;
inline constexpr Fn<ops::ConstantPad> constant_pad_nd;
}  // namespace luth
