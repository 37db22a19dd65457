// Images sampled at positions that tensors give. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// input [N, C, H, W], grid [N, h, w, 2] of (x, y) in [-1, 1]; or input [N, C, D, H, W], grid [N, d, h, w, 3] of
/// (x, y, z).
struct GridSample {
  static constexpr Doc doc{"nn_functional_grid_sample", "input, grid",
                           "Input at the positions of a grid, from -1 to 1 along each dim, x first."};
  static constexpr Traits traits{.saves = "input: input.meta, grid; grid: input, grid"};
  std::string mode = "bilinear", padding_mode = "zeros";
  std::optional<bool> align_corners;
  void describe(auto& field) {
    field("mode", mode, "'bilinear', 'nearest', or 'bicubic' (4 dims)");
    field("padding_mode", padding_mode, "what stands outside: 'zeros', 'border' or 'reflection'");
    field("align_corners", align_corners, "whether -1 and 1 are the centres of the corner elements; else their edges");
  }
  /// How many elements each position takes along a dim.
  int taps() const { return mode == "nearest" ? 1 : mode == "bilinear" ? 2 : 4; }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  Tensor decompose(const Inputs& in) const;
  static Cases<GridSample> samples();
};
/// d input of grid_sample, of shape `size`: to each element, in the order of the points, what they take of it.
struct GridSampleInputGrad {
  static constexpr Doc doc{"grid_sample_input_grad", "grad, grid", "The gradient of grid_sample in its input."};
  static constexpr Traits traits{.saves = "grad: grid; grid: grad, grid", .internal = true};
  Ints size;
  GridSample forward;
  void describe(auto& field) {
    field("size", size, "the shape of the input", as::required);
    forward.describe(field);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dx) const;
  Tensor decompose(const Inputs& in) const;
  static Cases<GridSampleInputGrad> samples();
};
/// d grid of grid_sample. Not for mode 'nearest', where it is 0. Borders count as outside.
struct GridSampleGridGrad {
  static constexpr Doc doc{"grid_sample_grid_grad", "grad, input, grid", "The gradient of grid_sample in its grid."};
  static constexpr Traits traits{.internal = true};
  GridSample forward;
  void describe(auto& field) { forward.describe(field); }
  Spec infer(const Inputs& in) const;
  Tensor decompose(const Inputs& in) const;
  static Cases<GridSampleGridGrad> samples();
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
inline constexpr Fn<ops::GridSampleInputGrad> grid_sample_input_grad;
inline constexpr Fn<ops::GridSampleGridGrad> grid_sample_grid_grad;
inline constexpr Fn<ops::AffineGrid> affine_grid;
}  // namespace luth
