// Normalisation: batch_norm over all but the channels, layer_norm over the last dims. See op.h for the recipe.
#pragma once
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

/// a + b, where a null one counts as 0.
Tensor plus(const Tensor& a, const Tensor& b);
/// The gradients of a norm's backward, which is, with xh = (x - mean) * s, g = weight * grad and M the mean over
/// `dims`:
///   dx = s (g - M(g) - xh M(g xh)), dweight = sum(grad xh), dbias = sum(grad), the sums over `shared`.
/// dy: the cotangents of these three (null: none); mean and s broadcast to x. Gradients keep their dims. Not centred:
/// mean is 0, and so is M(g).
struct NormBackwardGrads {
  Tensor grad, x, weight, mean, s;
};
NormBackwardGrads norm_backward_grads(const Tensors& dy, const Tensor& grad, const Tensor& x, const Tensor& weight,
                                      const Tensor& mean, const Tensor& s, const Ints& dims, const Ints& shared,
                                      bool centred = true);
/// Throws unless the input, which comes first, is of a floating dtype and ends in `normalized_shape`, and weight and
/// bias have that shape.
void check_normalized(const Inputs& in, const Ints& normalized_shape);

/// Throws unless the inputs behind the first have its dtype, or are float32 and the first has 16 bits.
void check_norm_dtypes(const Inputs& in);

/// Input N x C x …; each channel becomes (x - mean) / standard deviation * weight + bias. Training takes mean and
/// variance of the batch, and moves the running ones; evaluation takes the running ones.
struct BatchNorm {
  static constexpr Doc doc{"batch_norm", "input, running_mean?, running_var?, weight?, bias?",
                           "Each channel normalised over the batch, or by running statistics."};
  static constexpr Traits traits{.offered = Offered::function};
  bool training = false;
  double momentum = 0.1, eps = 1e-5;
  void describe(auto& field) {
    field("training", training, "normalise by the batch, and move the running statistics");
    field("momentum", momentum, "the weight of this batch in the running statistics");
    field("eps", eps, "added to the variance");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<BatchNorm> samples();
};
/// (1 - weight) * running + weight * factor * now: one kernel, whether weight is a number or a tensor.
struct BatchNormMove : FloatElementwise {
  static constexpr Doc doc{"batch_norm.move", "running, now, weight|number",
                           "Running statistics moved towards new ones."};
  static constexpr Traits traits = family.with(
      {.not_differentiable = "running statistics are not trained", .internal = true, .kernel_required = true});
  double factor = 1;
  void describe(auto& field) { field("factor", factor, "multiplies the new ones"); }
  template <class T>
  LUTH_HD T f(T running, T now, T weight) const {
    return (T(1) - weight) * running + weight * (T(factor) * now);
  }
  static Cases<BatchNormMove> samples();
};
/// batch_norm in training, of its inputs in order; momentum: a number or a 0-dimensional tensor, which may lie on the
/// device, so that nobody waits for it.
Tensor batch_norm_by_batch(const Inputs& in, const Value& momentum, double eps);
/// (x - mean) / sqrt(var + eps) * weight + bias per channel. As the kernel computes, the scale of 16-bit floats is not
/// rounded to them. weight and bias may be null.
Tensor batch_norm_by_statistics(const Tensor& x, const Tensor& mean, const Tensor& var, const Tensor& weight,
                                const Tensor& bias, double eps);
/// Moves a running statistic, if there is one, towards factor * now. Not recorded.
void move_running(const Value& running, const Tensor& now, const Value& weight, double factor);
/// Normalised by the batch; `mean` and `var` (biased) of each channel, float32 for 16-bit floats.
struct BatchNormTrain {
  static constexpr Doc doc{"batch_norm.train", "input, weight?, bias?", "Batch_norm by the batch's own statistics.",
                           "output, mean, var"};
  static constexpr Traits traits{
      .saves = "*: input, weight, mean, var, bias.meta", .internal = true, .kernel_required = true};
  double eps = 1e-5;
  void describe(auto& field) { field("eps", eps, "added to the variance"); }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<BatchNormTrain> samples();
};
struct BatchNormBackward {
  static constexpr Doc doc{"batch_norm_backward", "grad, input, weight?, mean, var", "The gradients of batch_norm.",
                           "input_grad, weight_grad, bias_grad"};
  static constexpr Traits traits{
      .saves = "*: grad, input, weight, mean, var", .internal = true, .kernel_required = true};
  double eps = 1e-5;
  void describe(auto& field) { field("eps", eps, "added to the variance"); }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<BatchNormBackward> samples();
};
/// (input - shift) * scale + offset, a number of each per channel.
struct ChannelAffine {
  static constexpr Doc doc{"channel_affine", "input, shift?, scale?, offset?",
                           "(input - shift) * scale + offset with a number of each per channel."};
  static constexpr Traits traits{
      .saves = "input: scale, input.meta; shift: scale, input.meta; scale: input, shift; offset: input.meta",
      .internal = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ChannelAffine> samples();
};

struct LayerNorm {
  static constexpr Doc doc{"layer_norm", "input, weight?, bias?",
                           "Normalised over the last dims, times weight, plus bias."};
  static constexpr Traits traits{.order = "input, normalized_shape",
                                 .offered = Offered::function,
                                 .autocast = Autocast::f32};  // and then the other inputs
  Ints normalized_shape;
  double eps = 1e-5;
  void describe(auto& field) {
    field("normalized_shape", normalized_shape, "the last extents of input, over which to normalise", as::required);
    field("eps", eps, "added to the variance");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<LayerNorm> samples();
};
/// `mean` and `rstd` (1 / sqrt(variance + eps)) of each row, float32 for 16-bit floats. Not centred: the mean counts as
/// 0, which makes it rms_norm.
struct NativeLayerNorm {
  static constexpr Doc doc{"native_layer_norm", "input, weight?, bias?", "Layer_norm with its statistics.",
                           "output, mean, rstd"};
  static constexpr Traits traits{
      .saves = "*: input, weight, mean, rstd, bias.meta", .internal = true, .kernel_required = true};
  int64_t dims = 1;
  double eps = 1e-5;
  bool centred = true;
  void describe(auto& field) {
    field("dims", dims, "how many of the last dims to normalise over");
    field("eps", eps, "added to the variance");
    field("centred", centred, "whether the mean is subtracted");
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<NativeLayerNorm> samples();
};
struct LayerNormBackward {
  static constexpr Doc doc{"native_layer_norm_backward", "grad, input, weight?, mean?, rstd",
                           "The gradients of layer_norm.", "input_grad, weight_grad, bias_grad"};
  static constexpr Traits traits{
      .saves = "*: grad, input, weight, mean, rstd", .internal = true, .kernel_required = true};
  int64_t dims = 1;
  bool affine = true;   // whether the gradients of weight and bias are wanted
  bool centred = true;  // false: mean is absent
  void describe(auto& field) {
    field("dims", dims, "how many of the last dims to normalise over");
    field("affine", affine, "whether the gradients of weight and bias are wanted");
    field("centred", centred, "whether the mean was subtracted");
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<LayerNormBackward> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::BatchNorm> batch_norm;
inline constexpr Fn<ops::BatchNormTrain> batch_norm_train;
inline constexpr Fn<ops::BatchNormBackward> batch_norm_backward;
inline constexpr Fn<ops::ChannelAffine> channel_affine;
inline constexpr Fn<ops::LayerNorm> layer_norm;
inline constexpr Fn<ops::NativeLayerNorm> native_layer_norm;
inline constexpr Fn<ops::LayerNormBackward> layer_norm_backward;
}  // namespace luth
