// Clipping of gradients: operators that run over all tensors of a list in one pass. They write into their inputs and
// record nothing; core/optim calls them, scripts do not. The steps of optimizers are in step.h.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

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
