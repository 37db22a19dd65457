// Losses. See op.h for the recipe. `reduction` is 'mean', 'sum' or 'none' everywhere.
#pragma once
#include "core/ops/elementwise/loss_terms.h"
#include "core/ops/nn/reduction.h"

namespace luth::ops {

// ---- classification ------------------------------------------------------------------------------------------------

// The settings of losses whose targets are labels.
void describe_labels(auto& field, int64_t& ignore_index, std::string& reduction, int& base,
                     double* label_smoothing = nullptr) {
  field("ignore_index", ignore_index, "the label that counts for nothing", as::index);
  describe_reduction(field, reduction);
  if (label_smoothing)
    field("label_smoothing", *label_smoothing, "the part of each label that is spread over all classes, 0 to 1");
  field("base", base, "from where labels count", as::base);
}

/// input: C, N x C or N x C x d1 x … logits; target: labels without the C (integers counted from `base`; `ignore_index`
/// among them counts from 0 here), or probabilities of input's shape. The mean divides by the sum of the labels'
/// weights, as PyTorch's does.
struct CrossEntropy {
  static constexpr Doc doc{"cross_entropy", "input, target, weight?",
                           "Cross entropy of logits and labels, or of logits and class probabilities."};
  static constexpr Traits traits{.offered = Offered::functional, .autocast = Autocast::f32};
  int64_t ignore_index = -100;
  std::string reduction = "mean";
  double label_smoothing = 0;
  int base = 0;
  void describe(auto& field) { describe_labels(field, ignore_index, reduction, base, &label_smoothing); }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<CrossEntropy> samples();
};
/// The same for labels, in one pass over the logits. `logsumexp` and `scale` have a number per label: the logarithm of
/// the sum of exponentials, and the derivative of the loss by its input summed over the true classes (0 where ignored).
struct CrossEntropyLabels {
  static constexpr Doc doc{"cross_entropy.labels", "input, target, weight?", "Cross entropy of logits and labels.",
                           "loss, logsumexp, scale"};
  static constexpr Traits traits{
      .saves = "input: input, target, weight, logsumexp, scale", .internal = true, .kernel_required = true};
  int64_t ignore_index = -100;
  std::string reduction = "mean";
  double label_smoothing = 0;
  int base = 0;
  void describe(auto& field) { describe_labels(field, ignore_index, reduction, base, &label_smoothing); }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<CrossEntropyLabels> samples();
};
/// grad (a number per label) * (softmax(input) - q), q being the smoothed label's distribution.
struct CrossEntropyBackward {
  static constexpr Doc doc{"cross_entropy_backward", "grad, input, logsumexp, target, weight?",
                           "The gradient of cross_entropy in its input.", "input_grad"};
  static constexpr Traits traits{
      .saves = "*: grad, input, logsumexp, target, weight", .internal = true, .kernel_required = true};
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  int base = 0;
  void describe(auto& field) {
    field("ignore_index", ignore_index, "the label that counts for nothing", as::index);
    field("label_smoothing", label_smoothing, "the part of each label that is spread over all classes, 0 to 1");
    field("base", base, "from where labels count", as::base);
  }
  Spec infer(const Inputs& in) const { return {in[1].shape(), in[1].dtype()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<CrossEntropyBackward> samples();
};

struct NllLoss {
  static constexpr Doc doc{"nll_loss", "input, target, weight?", "The negated input at each label, weighted."};
  static constexpr Traits traits{.offered = Offered::functional, .autocast = Autocast::f32};
  int64_t ignore_index = -100;
  std::string reduction = "mean";
  int base = 0;
  void describe(auto& field) { describe_labels(field, ignore_index, reduction, base); }
  Tensor decompose(const Inputs& in) const;
  static Cases<NllLoss> samples();
};
/// `scale`: minus the derivative of the loss by the input at each label.
struct NllLossLabels {
  static constexpr Doc doc{"nll_loss.labels", "input, target, weight?", "Nll_loss and the share of each label.",
                           "loss, scale"};
  static constexpr Traits traits{
      .saves = "input: input.meta, target, scale", .internal = true, .kernel_required = true};
  int64_t ignore_index = -100;
  std::string reduction = "mean";
  int base = 0;
  void describe(auto& field) { describe_labels(field, ignore_index, reduction, base); }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<NllLossLabels> samples();
};
struct NllLossBackward {
  static constexpr Doc doc{"nll_loss_backward", "grad, target", "Zeros of a shape, with -grad at the labels.",
                           "input_grad"};
  static constexpr Traits traits{.saves = "grad: target", .internal = true, .kernel_required = true};
  Ints shape;
  int64_t ignore_index = -100;
  int base = 0;
  void describe(auto& field) {
    field("shape", shape, "the shape of the result", as::required);
    field("ignore_index", ignore_index, "the label that counts for nothing", as::index);
    field("base", base, "from where labels count", as::base);
  }
  Spec infer(const Inputs& in) const { return {shape, in[0].dtype()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<NllLossBackward> samples();
};

// ---- regression ----------------------------------------------------------------------------------------------------

struct MseLoss {
  static constexpr Doc doc{"mse_loss", "input, target, weight?", "Squared differences."};
  static constexpr Traits traits{
      .order = "input, target, reduction, weight", .offered = Offered::functional, .autocast = Autocast::f32};
  std::string reduction = "mean";
  void describe(auto& field) { describe_reduction(field, reduction); }
  Tensor decompose(const Inputs& in) const;
  static Cases<MseLoss> samples();
};
struct L1Loss {
  static constexpr Doc doc{"l1_loss", "input, target, weight?", "Absolute differences."};
  static constexpr Traits traits{
      .order = "input, target, reduction, weight", .offered = Offered::functional, .autocast = Autocast::f32};
  std::string reduction = "mean";
  void describe(auto& field) { describe_reduction(field, reduction); }
  Tensor decompose(const Inputs& in) const;
  static Cases<L1Loss> samples();
};
struct SmoothL1Loss {
  static constexpr Doc doc{"smooth_l1_loss", "input, target",
                           "Squared differences over 2 beta below beta, absolute ones less beta / 2 above."};
  static constexpr Traits traits{.offered = Offered::functional, .autocast = Autocast::f32};
  std::string reduction = "mean";
  double beta = 1;
  void describe(auto& field) {
    describe_reduction(field, reduction);
    field("beta", beta, "where it turns from square to absolute; at least 0");
  }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<SmoothL1Loss> samples();
};
struct HuberLoss {
  static constexpr Doc doc{"huber_loss", "input, target, weight?",
                           "Half the squared differences below delta, delta times (absolute less delta / 2) above."};
  static constexpr Traits traits{
      .order = "input, target, reduction, delta, weight", .offered = Offered::functional, .autocast = Autocast::f32};
  std::string reduction = "mean";
  double delta = 1;
  void describe(auto& field) {
    describe_reduction(field, reduction);
    field("delta", delta, "where it turns from square to absolute; above 0");
  }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<HuberLoss> samples();
};

// ---- probabilities -------------------------------------------------------------------------------------------------

struct BinaryCrossEntropy {
  static constexpr Doc doc{"binary_cross_entropy", "input, target, weight?",
                           "Cross entropy of probabilities (0 to 1) and targets; logarithms are cut off at -100."};
  static constexpr Traits traits{.offered = Offered::functional, .autocast = Autocast::refused};
  std::string reduction = "mean";
  void describe(auto& field) { describe_reduction(field, reduction); }
  Tensor decompose(const Inputs& in) const;
  static Cases<BinaryCrossEntropy> samples();
};
/// Its terms; input and target must be from 0 to 1. The gradient divides by at least 1e-12 and so avoids 0 / 0, as
/// PyTorch's does.
struct BceEach : LossTerm<BceEach> {
  static constexpr Doc doc{"binary_cross_entropy.each", "input, target", "Binary cross entropy without reduction."};
  static constexpr std::string_view backward = "binary_cross_entropy_backward";
  static constexpr Traits traits = family.with({.promote = Promote::floating});
  template <class T>
  LUTH_HD T f(T x, T t) const {
    T a = math::log(x), b = math::log1p(-x);
    return (t - T(1)) * (b < T(-100) ? T(-100) : b) - t * (a < T(-100) ? T(-100) : a);
  }
  template <class T>
  LUTH_HD T grad(T dy, T x, T t) const {
    const T v = x * (T(1) - x);
    return dy * ((x - t) / (v < T(1e-12) ? T(1e-12) : v));
  }
  Tensor slope(const Value& x, const Value& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<BceEach> samples() { return {{{}, {{2, 3}, {2, 3}}, 0.1, 0.9}}; }
};

struct BinaryCrossEntropyWithLogits {
  static constexpr Doc doc{"binary_cross_entropy_with_logits", "input, target, weight?, pos_weight?",
                           "Cross entropy of sigmoid(input) and targets, without overflow."};
  static constexpr Traits traits{
      .order = "input, target, weight, reduction, pos_weight", .offered = Offered::function, .autocast = Autocast::f32};
  std::string reduction = "mean";
  void describe(auto& field) { describe_reduction(field, reduction); }
  Tensor decompose(const Inputs& in) const;
  static Cases<BinaryCrossEntropyWithLogits> samples();
};
struct KlDiv {
  static constexpr Doc doc{"kl_div", "input, target",
                           "target * (log(target) - input): the divergence from log-probabilities to probabilities."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::f32};
  std::string reduction = "mean";
  bool log_target = false;
  void describe(auto& field) {
    field("reduction", reduction, "'mean', 'batchmean', 'sum' or 'none'");
    field("log_target", log_target, "whether target holds logarithms, too");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<KlDiv> samples();
};

}  // namespace luth::ops

namespace luth {
/// A loss of pairs whose weights may be left out.
template <class Op>
struct PairLoss : Fn<Op> {
  using Fn<Op>::operator();
  Tensor operator()(const Value& input, const Value& target, const Op& op = {}) const {
    return (*this)(input, target, Value(), op);
  }
};
inline constexpr Fn<ops::CrossEntropy> cross_entropy;
inline constexpr Fn<ops::CrossEntropyLabels> cross_entropy_labels;
inline constexpr Fn<ops::CrossEntropyBackward> cross_entropy_backward;
inline constexpr Fn<ops::NllLoss> nll_loss;
inline constexpr Fn<ops::NllLossLabels> nll_loss_labels;
inline constexpr Fn<ops::NllLossBackward> nll_loss_backward;
inline constexpr PairLoss<ops::MseLoss> mse_loss;
inline constexpr PairLoss<ops::L1Loss> l1_loss;
inline constexpr Fn<ops::SmoothL1Loss> smooth_l1_loss;
inline constexpr PairLoss<ops::HuberLoss> huber_loss;
inline constexpr Fn<ops::BinaryCrossEntropy> binary_cross_entropy;
inline constexpr Fn<ops::BceEach> bce_each;
inline constexpr Fn<ops::BinaryCrossEntropyWithLogits> binary_cross_entropy_with_logits;
inline constexpr Fn<ops::KlDiv> kl_div;
}  // namespace luth
