// Connectionist temporal classification: Graves, Fernández, Gomez and Schmidhuber, "Connectionist Temporal
// Classification: Labelling Unsegmented Sequence Data with Recurrent Neural Networks" (2006). See op.h for the recipe;
// the forward recursion is also written in other operators, a few for each step in time, for gradients of gradients.
// T: steps, N: sequences, C: classes, S: labels of the longest target.
#pragma once
#include "core/ops/nn/reduction.h"

namespace luth::ops {

/// log_probs: T x N x C (or T x C); targets: N x S, or those of all sequences one after the other. The gradient by
/// log_probs is the true one; PyTorch's is that by logits whose log_softmax they are, which is the same behind one.
struct CtcLoss {
  static constexpr Doc doc{"ctc_loss", "log_probs, targets, input_lengths, target_lengths",
                           "The negated log-probability of targets under all alignments with log_probs."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::f32};
  int64_t blank = 0;
  std::string reduction = "mean";
  bool zero_infinity = false;
  int base = 0;
  void describe(auto& field) {
    field("blank", blank, "the class that stands for no label", as::index);
    describe_reduction(field, reduction);
    field("zero_infinity", zero_infinity, "whether sequences too short for their target count as 0, with no gradient");
    field("base", base, "from where labels count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<CtcLoss> samples();
};
/// The same with lengths that are lists.
struct CtcLossLists {
  static constexpr Doc doc{"ctc_loss.lists", "log_probs, targets",
                           "The negated log-probability of targets under all alignments with log_probs."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::f32};
  std::vector<double> input_lengths, target_lengths;
  CtcLoss loss;
  void describe(auto& field) {
    field("input_lengths", input_lengths, "steps of each sequence", as::required);
    field("target_lengths", target_lengths, "labels of each target", as::required);
    loss.describe(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<CtcLossLists> samples();
};
/// log_probs: T x N x C, targets: N x S with labels to target_lengths; a number for each sequence.
struct CtcEach {
  static constexpr Doc doc{"ctc.each", "log_probs, targets", "Ctc_loss of each sequence."};
  static constexpr Traits traits{.saves = "log_probs: log_probs, targets", .internal = true};
  std::vector<double> input_lengths, target_lengths;
  int64_t blank = 0;
  int base = 0;
  void describe(auto& field) {
    field("input_lengths", input_lengths, "steps of each sequence", as::required);
    field("target_lengths", target_lengths, "labels of each target", as::required);
    field("blank", blank, "the class that stands for no label", as::index);
    field("base", base, "from where labels count", as::base);
  }
  /// Throws unless lengths and blank fit log_probs and targets of `labels` labels.
  void check(const Value& log_probs, int64_t labels) const;
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  Tensor decompose(const Inputs& in) const;
  static Cases<CtcEach> samples();
};
/// grad: a number for each sequence.
struct CtcBackward {
  static constexpr Doc doc{"ctc_backward", "grad, log_probs, targets", "The gradient of ctc.each in log_probs."};
  static constexpr Traits traits{.internal = true};
  CtcEach forward;
  void describe(auto& field) { forward.describe(field); }
  Spec infer(const Inputs& in) const;
  Tensor decompose(const Inputs& in) const;
  static Cases<CtcBackward> samples();
};

/// What stands for log(0): finite, so that gradients of impossible states are numbers.
inline constexpr double never = -1e30;
/// From here on a loss is that of a target that is impossible.
inline constexpr double impossible = -never / 10;

}  // namespace luth::ops
