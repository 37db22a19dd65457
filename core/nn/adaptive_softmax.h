// AdaptiveLogSoftmaxWithLoss: Grave and others, "Efficient softmax approximation for GPUs" (2017).
#pragma once
#include "core/nn/described_call.h"
#include "core/nn/linear.h"

namespace luth::nn {

/// Classes in the order of their frequency. `head` gives the first cutoffs[0] of them and one number per cluster of
/// rarer ones; cluster i is `tail.i`, two Linears with in_features / div_value^(i + 1) features between them, i from 0.
/// These may be none.
struct AdaptiveLogSoftmaxWithLossSpec {
  static constexpr const char* name = "AdaptiveLogSoftmaxWithLoss";
  static constexpr const char* brief =
      "softmax over many classes in clusters; gives the log probabilities of the targets and their mean loss";
  int64_t in_features = 0, n_classes = 0;
  Ints cutoffs;
  double div_value = 4;
  bool head_bias = false;
  int base = 0;
  Factory factory;
  void describe(auto& field) {
    field("in_features", in_features, "features of the input", as::required | as::unprinted);
    field("n_classes", n_classes, "how many classes there are", as::required | as::unprinted);
    field("cutoffs", cutoffs, "how many classes come before each cluster, ascending", as::required | as::unprinted);
    field("div_value", div_value, "each cluster has so many times fewer features than the one before", as::unprinted);
    field("head_bias", head_bias, "whether the head has a bias", as::unprinted);
    field("base", base, "from where classes count", as::base);
    factory.describe(field);
  }
};
struct AdaptiveSoftmaxArguments {
  Tensor input, target;
  void describe(auto& field) {
    field("input", input, "[N, in_features] or [in_features]", as::required);
    field("target", target, "classes, [N] or one number", as::required);
  }
};
class AdaptiveLogSoftmaxWithLoss final
    : public ArgumentsLayer<AdaptiveLogSoftmaxWithLoss, AdaptiveLogSoftmaxWithLossSpec, AdaptiveSoftmaxArguments> {
 public:
  using ArgumentsLayer::ArgumentsLayer;
  void build() override;
  void reset_parameters() override;
  /// The log probability of each target [N], and the mean loss.
  Values run(const AdaptiveSoftmaxArguments& a);
  /// The log probabilities of all classes, [N, n_classes], of an input [N, in_features].
  Tensor log_prob(const Tensor& x);
  /// The class of the highest probability, [N], from `base`.
  Tensor predict(const Tensor& x);

 private:
  void check() const;
  void check_inputs(const Tensor& x, const Tensor& target) const;
  int clusters() const { return spec.cutoffs.size(); }
  /// The first class behind cluster i.
  int64_t end_of(int i) const { return i + 1 < clusters() ? spec.cutoffs[i + 1] : spec.n_classes; }
  Tensor head_log_prob(const Tensor& x);
  Tensor cluster_log_prob(int i, const Tensor& x);
};

}  // namespace luth::nn
