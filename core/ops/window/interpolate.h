// Images and sequences of other sizes. See op.h for the recipe; resample.h has the kernel.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// input [N, C, L], [N, C, H, W] or [N, C, D, H, W].
struct Interpolate {
  static constexpr Doc doc{"nn_functional_interpolate", "input", "Input with its spatial dims in other sizes."};
  std::optional<Ints> size;
  std::optional<std::vector<double>> scale_factor;
  std::string mode = "nearest";
  std::optional<bool> align_corners, recompute_scale_factor;
  bool antialias = false;
  void describe(auto& field) {
    field("size", size, "the sizes of the spatial dims, or one for all");
    field("scale_factor", scale_factor, "their factors, or one for all, in place of size");
    field("mode", mode,
          "'nearest', 'nearest-exact', 'linear' (3 dims), 'bilinear' and 'bicubic' (4), 'trilinear' (5) or 'area'");
    field("align_corners", align_corners, "whether the centres of the corners keep their values (linear and cubic)");
    field("recompute_scale_factor", recompute_scale_factor, "take the factors from the sizes that result");
    field("antialias", antialias, "widen the filter where the result is smaller (bilinear and bicubic)");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Interpolate> samples();
};
struct UpsampleNearest {
  static constexpr Doc doc{"nn_functional_upsample_nearest", "input", "interpolate with mode = 'nearest'."};
  std::optional<Ints> size;
  std::optional<std::vector<double>> scale_factor;
  void describe(auto& field) {
    field("size", size, "the sizes of the spatial dims, or one for all");
    field("scale_factor", scale_factor, "their factors, or one for all, in place of size");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<UpsampleNearest> samples();
};
struct UpsampleBilinear : UpsampleNearest {
  static constexpr Doc doc{"nn_functional_upsample_bilinear", "input",
                           "interpolate with mode = 'bilinear' and align_corners = true."};
  Tensor decompose(const Inputs& in) const;
  static Cases<UpsampleBilinear> samples();
};
/// interpolate by its older name.
struct Upsample : UpsampleNearest {
  static constexpr Doc doc{"nn_functional_upsample", "input", "The older name of interpolate."};
  std::string mode = "nearest";
  std::optional<bool> align_corners;
  void describe(auto& field) {
    UpsampleNearest::describe(field);
    field("mode", mode, "as interpolate's");
    field("align_corners", align_corners, "as interpolate's");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Upsample> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Interpolate> interpolate;
}  // namespace luth
