// Losses: modules of an input and a target. reduction is 'mean', 'sum' or 'none'.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

/// Scores [N, C, …] and labels [N, …] (from `base`: 0 in C++, 1 in Lua) or probabilities [N, C, …].
struct CrossEntropyLossSpec {
  static constexpr const char* name = "CrossEntropyLoss";
  static constexpr const char* brief = "cross entropy of scores and class labels or probabilities";
  Tensor weight;
  int64_t ignore_index = -100;
  std::string reduction = "mean";
  double label_smoothing = 0;
  int base = 0;
  void describe(auto& field) {
    field("weight", weight, "a factor for each class");
    field("ignore_index", ignore_index, "a label that counts for nothing", as::index | as::named);
    field("reduction", reduction, "'mean', 'sum' or 'none'", as::named);
    field("label_smoothing", label_smoothing, "share of the probability that goes to all classes", as::named);
    field("base", base, "from where labels count", as::base);
  }
};
class CrossEntropyLoss final : public Layer<CrossEntropyLoss, CrossEntropyLossSpec> {
 public:
  using Layer::Layer;
  void build() override;
  Tensor run(const Tensor& x, const Tensor& target);
};

/// Log-probabilities [N, C, …] and labels [N, …].
struct NLLLossSpec {
  static constexpr const char* name = "NLLLoss";
  static constexpr const char* brief = "negative log-likelihood of class labels";
  Tensor weight;
  int64_t ignore_index = -100;
  std::string reduction = "mean";
  int base = 0;
  void describe(auto& field) {
    field("weight", weight, "a factor for each class");
    field("ignore_index", ignore_index, "a label that counts for nothing", as::index | as::named);
    field("reduction", reduction, "'mean', 'sum' or 'none'", as::named);
    field("base", base, "from where labels count", as::base);
  }
};
class NLLLoss final : public Layer<NLLLoss, NLLLossSpec> {
 public:
  using Layer::Layer;
  void build() override;
  Tensor run(const Tensor& x, const Tensor& target);
};

struct ReductionSpec {
  std::string reduction = "mean";
  void describe(auto& field) { field("reduction", reduction, "'mean', 'sum' or 'none'"); }
};
struct MSELossSpec : ReductionSpec {
  static constexpr const char* name = "MSELoss";
  static constexpr const char* brief = "squared differences";
};
class MSELoss final : public Layer<MSELoss, MSELossSpec> {
 public:
  using Layer::Layer;
  Tensor run(const Tensor& x, const Tensor& target);
};
struct L1LossSpec : ReductionSpec {
  static constexpr const char* name = "L1Loss";
  static constexpr const char* brief = "absolute differences";
};
class L1Loss final : public Layer<L1Loss, L1LossSpec> {
 public:
  using Layer::Layer;
  Tensor run(const Tensor& x, const Tensor& target);
};

/// Scores and probabilities of one shape.
struct BCEWithLogitsLossSpec {
  static constexpr const char* name = "BCEWithLogitsLoss";
  static constexpr const char* brief = "binary cross entropy of scores (before the sigmoid)";
  Tensor weight;
  std::string reduction = "mean";
  Tensor pos_weight;
  void describe(auto& field) {
    field("weight", weight, "a factor for each element");
    field("reduction", reduction, "'mean', 'sum' or 'none'", as::named);
    field("pos_weight", pos_weight, "a factor for positive targets", as::named);
  }
};
class BCEWithLogitsLoss final : public Layer<BCEWithLogitsLoss, BCEWithLogitsLossSpec> {
 public:
  using Layer::Layer;
  void build() override;
  Tensor run(const Tensor& x, const Tensor& target);
};

}  // namespace luth::nn
