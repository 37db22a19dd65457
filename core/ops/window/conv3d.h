// Convolutions of volumes, as convolutions of images whose channels are the planes that a filter sees at once. See op.h
// for the recipe.
#pragma once
#include "core/ops/window/conv.h"

namespace luth::ops {

/// input [N, C, D, H, W] or [C, D, H, W], weight [O, C / groups, kD, kH, kW], bias [O].
struct Conv3d {
  static constexpr Doc doc{"conv3d", "input, weight, bias?", "Convolution of volumes with filters."};
  static constexpr bool as_method = false;
  Ints stride{1}, padding{0}, dilation{1};
  int64_t groups = 1;
  void describe(auto& field) {
    field("stride", stride, "the step of the filter");
    field("padding", padding, "zeros added on each side, or 'same' or 'valid'");
    field("dilation", dilation, "the distance between the elements of the filter");
    field("groups", groups, "groups of channels that see nothing of each other");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Conv3d> samples();
};
struct Conv3dPadding : Conv2dPadding {
  static constexpr Doc doc{"conv3d.padding", "input, weight, bias?", "Convolution of volumes with filters."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Conv3dPadding> samples();
};
/// weight [C, O / groups, kD, kH, kW].
struct ConvTranspose3d : ConvTranspose2d {
  static constexpr Doc doc{"conv_transpose3d", "input, weight, bias?", "Transposed convolution of volumes."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ConvTranspose3d> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Conv3d> conv3d;
inline constexpr Fn<ops::ConvTranspose3d> conv_transpose3d;
}  // namespace luth
