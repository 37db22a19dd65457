// Images sampled at positions that tensors give. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// input [N, C, H, W], grid [N, h, w, 2] of (x, y) in [-1, 1]; or input [N, C, D, H, W], grid [N, d, h, w, 3] of
/// (x, y, z).
struct GridSample {
  static constexpr Doc doc{"nn_functional_grid_sample", "input, grid",
                           "Input at the positions of a grid, from -1 to 1 along each dim, x first."};
  std::string mode = "bilinear", padding_mode = "zeros";
  std::optional<bool> align_corners;
  void describe(auto& field) {
    field("mode", mode, "'bilinear', 'nearest', or 'bicubic' (4 dims)");
    field("padding_mode", padding_mode, "what stands outside: 'zeros', 'border' or 'reflection'");
    field("align_corners", align_corners, "whether -1 and 1 are the centres of the corner elements; else their edges");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<GridSample> samples();
};
/// theta [N, 2, 3] and size (N, C, H, W), or theta [N, 3, 4] and size (N, C, D, H, W).
struct AffineGrid {
  static constexpr Doc doc{"nn_functional_affine_grid", "theta", "The grid of an affine map, for grid_sample."};
  Ints size;
  std::optional<bool> align_corners;
  void describe(auto& field) {
    field("size", size, "the shape of the images", as::required);
    field("align_corners", align_corners, "whether -1 and 1 are the centres of the corner elements; else their edges");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<AffineGrid> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::GridSample> grid_sample;
inline constexpr Fn<ops::AffineGrid> affine_grid;
}  // namespace luth
