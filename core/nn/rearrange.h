// Images in another order or size: windows as columns and back, pixels and channels exchanged, upsampling.
#pragma once
#include "core/nn/operator_module.h"
#include "core/ops/window/interpolate.h"
#include "core/ops/window/rearrange.h"

namespace luth::nn {

inline constexpr Beside upsampling{.order = "size, scale_factor, mode, align_corners, recompute_scale_factor",
                                   .prints = "size, scale_factor, mode",
                                   .if_set = "size, scale_factor"};

using Unfold = OperatorModule<ops::UnfoldImages, "Unfold">;
using Fold = OperatorModule<ops::FoldImages, "Fold">;
using PixelShuffle = OperatorModule<ops::PixelShuffle, "PixelShuffle">;
using PixelUnshuffle = OperatorModule<ops::PixelUnshuffle, "PixelUnshuffle">;
using ChannelShuffle = OperatorModule<ops::ChannelShuffle, "ChannelShuffle">;
using Upsample = OperatorModule<ops::Interpolate, "Upsample", upsampling>;

using Rearrangements = Types<Unfold, Fold, PixelShuffle, PixelUnshuffle, ChannelShuffle, Upsample>;

/// Upsample of a fixed mode, which is a part of what it prints.
template <class Op>
struct UpsamplingSpec : Op {
  static constexpr bool nearest = std::is_same_v<Op, ops::UpsampleNearest>;
  static constexpr const char* names[] = {"UpsamplingNearest2d", "UpsamplingBilinear2d"};
  static constexpr const char *name = names[!nearest], *mode = nearest ? "nearest" : "bilinear";
  static constexpr const char* brief =
      nearest ? "images enlarged by repeating pixels" : "images enlarged between pixels, with aligned corners";
  void describe(auto& field) {
    field("size", this->size, "height and width of the result, or one for both", as::if_set);
    field("scale_factor", this->scale_factor, "their factors, or one for both, in place of size", as::if_set);
  }
};
template <class Op>
class Upsampling final : public Layer<Upsampling<Op>, UpsamplingSpec<Op>> {
 public:
  using Layer<Upsampling, UpsamplingSpec<Op>>::Layer;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x) { return Fn<Op>()(x, this->spec); }
};

}  // namespace luth::nn
