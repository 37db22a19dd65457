// Operators that run over all tensors of a list in one pass: the steps of optimizers, and the clipping of gradients.
// They write into their inputs and record nothing; core/optim calls them, scripts do not.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// tensors = {param, grad} or {param, grad, buffer} for each parameter in turn. All tensors of a parameter have its
/// dtype and its dense layout.
struct SgdStep {
  static constexpr Doc doc{"_sgd_step", "tensors[]", "one step of stochastic gradient descent, in place", "none[]"};
  static constexpr Traits traits{
      .not_differentiable = "it updates parameters in place", .internal = true, .kernel_required = true};
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
  bool first = false;  // the buffers are new: they become the gradient
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("momentum", momentum, "momentum factor; 0: the lists have no buffers");
    field("dampening", dampening, "dampening of the momentum");
    field("weight_decay", weight_decay, "L2 penalty");
    field("nesterov", nesterov, "Nesterov momentum");
    field("maximize", maximize, "ascend");
    field("first", first, "the momentum buffers are new");
  }
  Specs infer(const Inputs& in) const;
  static Cases<SgdStep> samples();
};

/// tensors = {param, grad, exp_avg, exp_avg_sq} and, with amsgrad, {…, max_exp_avg_sq} for each parameter in turn.
struct AdamStep {
  static constexpr Doc doc{"_adam_step", "tensors[]", "one step of Adam or AdamW, in place", "none[]"};
  static constexpr Traits traits{
      .not_differentiable = "it updates parameters in place", .internal = true, .kernel_required = true};
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool amsgrad = false, maximize = false, decoupled = false;
  int64_t step = 1;  // of these parameters, this one included
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("beta1", beta1, "decay of the running mean of the gradient");
    field("beta2", beta2, "decay of the running mean of its square");
    field("eps", eps, "added to the denominator");
    field("weight_decay", weight_decay, "weight decay");
    field("amsgrad", amsgrad, "keep the largest running mean of the square");
    field("maximize", maximize, "ascend");
    field("decoupled", decoupled, "weight decay apart from the gradient (AdamW)");
    field("step", step, "number of this step, from 1");
  }
  Specs infer(const Inputs& in) const;
  static Cases<AdamStep> samples();
};

/// The norm of all elements of all tensors together, 0-dimensional, in the dtype of the first.
struct NormOfAll {
  static constexpr Doc doc{"_norm_of_all", "tensors[]", "norm of all elements of a list of tensors"};
  static constexpr Traits traits{
      .not_differentiable = "it serves the clipping of gradients", .internal = true, .kernel_required = true};
  double norm_type = 2;
  void describe(auto& field) { field("norm_type", norm_type, "p of the norm; inf: the largest absolute value"); }
  Spec infer(const Inputs& in) const;
  static Cases<NormOfAll> samples();
};

/// tensors = {total_norm, grad…}: multiplies each grad by min(1, max_norm / (total_norm + 1e-6)).
struct ClipByNorm {
  static constexpr Doc doc{"_clip_by_norm", "tensors[]", "scale tensors so that their norm is at most max_norm",
                           "none[]"};
  static constexpr Traits traits{
      .not_differentiable = "it clips gradients in place", .internal = true, .kernel_required = true};
  double max_norm = 1;
  void describe(auto& field) { field("max_norm", max_norm, "the largest norm"); }
  Specs infer(const Inputs& in) const;
  static Cases<ClipByNorm> samples();
};

/// tensors = grads: each element is brought into [-clip_value, clip_value].
struct ClipByValue {
  static constexpr Doc doc{"_clip_by_value", "tensors[]", "clamp the elements of tensors in place", "none[]"};
  static constexpr Traits traits{
      .not_differentiable = "it clips gradients in place", .internal = true, .kernel_required = true};
  double clip_value = 1;
  void describe(auto& field) { field("clip_value", clip_value, "the largest absolute value"); }
  Specs infer(const Inputs& in) const;
  static Cases<ClipByValue> samples();
};

}  // namespace luth::ops
