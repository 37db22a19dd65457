// Norms that stand on the kernels of batch_norm and layer_norm: over groups of channels, over each sample's channels,
// and by the root of the mean square. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// input: N x C x …; each sample's channels in num_groups groups, each normalised by its own mean and variance.
struct GroupNorm {
  static constexpr Doc doc{"group_norm", "input, weight?, bias?",
                           "Each sample normalised over groups of its channels, times weight, plus bias."};
  static constexpr Traits traits{.order = "input, num_groups",
                                 .offered = Offered::function,
                                 .autocast = Autocast::f32};  // and then the other inputs
  int64_t num_groups = 1;
  double eps = 1e-5;
  void describe(auto& field) {
    field("num_groups", num_groups, "how many groups; a divisor of the number of channels", as::required);
    field("eps", eps, "added to the variance");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<GroupNorm> samples();
};
/// `mean` and `rstd` (1 / sqrt(variance + eps)) of each sample's groups, N x num_groups, float32 for 16-bit floats.
struct NativeGroupNorm {
  static constexpr Doc doc{"native_group_norm", "input, weight?, bias?", "Group_norm with its statistics.",
                           "output, mean, rstd"};
  static constexpr Traits traits{
      .saves = "*: input, weight, mean, rstd, bias.meta", .internal = true, .kernel_required = true};
  int64_t num_groups = 1;
  double eps = 1e-5;
  void describe(auto& field) {
    field("num_groups", num_groups, "how many groups; a divisor of the number of channels", as::required);
    field("eps", eps, "added to the variance");
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<NativeGroupNorm> samples();
};
struct GroupNormBackward {
  static constexpr Doc doc{"native_group_norm_backward", "grad, input, weight?, mean, rstd",
                           "The gradients of group_norm; those of weight and bias for each sample.",
                           "input_grad, weight_grads, bias_grads"};
  static constexpr Traits traits{
      .saves = "*: grad, input, weight, mean, rstd", .internal = true, .kernel_required = true};
  int64_t num_groups = 1;
  bool affine = true;  // whether the gradients of weight and bias are wanted
  void describe(auto& field) {
    field("num_groups", num_groups, "how many groups; a divisor of the number of channels", as::required);
    field("affine", affine, "whether the gradients of weight and bias are wanted");
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<GroupNormBackward> samples();
};
/// Over the root of the mean of the squares (and eps) of the last dims.
struct RmsNorm {
  static constexpr Doc doc{"rms_norm", "input, weight?",
                           "Over the root of the mean of squares of the last dims, times weight."};
  static constexpr Traits traits{.order = "input, normalized_shape", .offered = Offered::function};  // and then weight
  Ints normalized_shape;
  std::optional<double> eps;
  void describe(auto& field) {
    field("normalized_shape", normalized_shape, "the last extents of input, over which to normalise", as::required);
    field("eps", eps, "added to the mean of squares; nil: the float dtype's epsilon");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<RmsNorm> samples();
};
/// input: N x C x …; each channel of each sample by its own mean and variance, or by running ones.
struct InstanceNorm {
  static constexpr Doc doc{"instance_norm", "input, running_mean?, running_var?, weight?, bias?",
                           "Each channel of each sample normalised, times weight, plus bias."};
  static constexpr Traits traits{.offered = Offered::function};
  bool use_input_stats = true;
  double momentum = 0.1, eps = 1e-5;
  void describe(auto& field) {
    field("use_input_stats", use_input_stats, "normalise by the sample, and move the running statistics");
    field("momentum", momentum, "the weight of this batch in the running statistics");
    field("eps", eps, "added to the variance");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<InstanceNorm> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::GroupNorm> group_norm;
inline constexpr Fn<ops::NativeGroupNorm> native_group_norm;
inline constexpr Fn<ops::GroupNormBackward> group_norm_backward;
inline constexpr Fn<ops::RmsNorm> rms_norm;
}  // namespace luth
