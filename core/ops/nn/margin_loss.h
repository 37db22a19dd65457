// Losses that ask for a margin: between pairs, between classes, between labels. See op.h for the recipe; all are
// written in other operators. Formulas as in PyTorch's documentation.
#pragma once
#include "core/ops/nn/reduction.h"

namespace luth::ops {

/// The base of losses without kernels of their own.
struct MarginLoss {
  static constexpr Traits family{.offered = Offered::function}, traits = family;
};

/// input1, input2: N x D, or D; target: N, or 0-dimensional; 1 for pairs that belong together, -1 for others.
struct CosineEmbeddingLoss : MarginLoss {
  static constexpr Doc doc{"cosine_embedding_loss", "input1, input2, target",
                           "1 - cosine for pairs that belong together (target 1), the cosine above margin for those "
                           "that do not (-1)."};
  static constexpr Traits traits = family.with({.autocast = Autocast::f32});
  double margin = 0;
  std::string reduction = "mean";
  void describe(auto& field) {
    field("margin", margin, "the cosine of pairs that do not belong together may reach it");
    describe_reduction(field, reduction);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<CosineEmbeddingLoss> samples();
};
struct HingeEmbeddingLoss : MarginLoss {
  static constexpr Doc doc{"hinge_embedding_loss", "input, target",
                           "Input where target is 1, and where it is -1 what input lacks to margin."};
  static constexpr Traits traits = family.with({.autocast = Autocast::f32});
  double margin = 1;
  std::string reduction = "mean";
  void describe(auto& field) {
    field("margin", margin, "what inputs of target -1 should reach");
    describe_reduction(field, reduction);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<HingeEmbeddingLoss> samples();
};
struct MarginRankingLoss : MarginLoss {
  static constexpr Doc doc{"margin_ranking_loss", "input1, input2, target",
                           "What input1 lacks to be above input2 (target 1), or below it (-1), by margin."};
  static constexpr Traits traits = family.with({.autocast = Autocast::f32});
  double margin = 0;
  std::string reduction = "mean";
  void describe(auto& field) {
    field("margin", margin, "the distance wanted");
    describe_reduction(field, reduction);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<MarginRankingLoss> samples();
};
/// input: N x C, or C; target: N labels, or one. Each other class counts max(0, margin - input[label] + input)^p, times
/// the label's weight, over C.
struct MultiMarginLoss : MarginLoss {
  static constexpr Doc doc{"multi_margin_loss", "input, target, weight?",
                           "What the label's input lacks to be above the others by margin, to the power of p."};
  static constexpr Traits traits = family.with({.order = "input, target, p, margin, weight, reduction",
                                                .offered = Offered::functional,
                                                .autocast = Autocast::f32});
  int64_t p = 1;
  double margin = 1;
  std::string reduction = "mean";
  int base = 0;
  void describe(auto& field) {
    field("p", p, "the exponent, 1 or 2");
    field("margin", margin, "the distance wanted");
    describe_reduction(field, reduction);
    field("base", base, "from where labels count", as::base);
  }
  void check() const;  // throws for another p
  Tensor decompose(const Inputs& in) const;
  static Cases<MultiMarginLoss> samples();
};
/// input and target: N x C, or C. A row of target lists labels up to the first negative number.
struct MultilabelMarginLoss : MarginLoss {
  static constexpr Doc doc{"multilabel_margin_loss", "input, target",
                           "What the inputs of each row's labels lack to be above all others by 1; -1 ends a row."};
  static constexpr Traits traits = family.with({.offered = Offered::functional, .autocast = Autocast::f32});
  std::string reduction = "mean";
  int base = 0;
  void describe(auto& field) {
    describe_reduction(field, reduction);
    field("base", base, "from where labels count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<MultilabelMarginLoss> samples();
};
struct MultilabelSoftMarginLoss : MarginLoss {
  static constexpr Doc doc{"multilabel_soft_margin_loss", "input, target, weight?",
                           "Cross entropy of sigmoid(input) and target (0 or 1 for each label), the mean over labels."};
  static constexpr Traits traits = family.with({.offered = Offered::functional});
  std::string reduction = "mean";
  void describe(auto& field) { describe_reduction(field, reduction); }
  Tensor decompose(const Inputs& in) const;
  static Cases<MultilabelSoftMarginLoss> samples();
};
struct SoftMarginLoss : MarginLoss {
  static constexpr Doc doc{"soft_margin_loss", "input, target", "log(1 + exp(-target * input)) for targets 1 and -1."};
  static constexpr Traits traits = family.with({.offered = Offered::functional, .autocast = Autocast::f32});
  std::string reduction = "mean";
  void describe(auto& field) { describe_reduction(field, reduction); }
  Tensor decompose(const Inputs& in) const;
  static Cases<SoftMarginLoss> samples();
};
struct TripletMarginLoss : MarginLoss {
  static constexpr Doc doc{"triplet_margin_loss", "anchor, positive, negative",
                           "How much nearer than margin the negative is to the anchor, compared with the positive."};
  static constexpr Traits traits = family.with({.autocast = Autocast::f32});
  double margin = 1, p = 2, eps = 1e-6;
  bool swap = false;
  std::string reduction = "mean";
  void describe(auto& field) {
    field("margin", margin, "the difference of distances wanted; above 0");
    field("p", p, "the exponent of the norm that measures distances");
    field("eps", eps, "added to differences");
    field("swap", swap, "take the negative's distance to the positive where that is less");
    describe_reduction(field, reduction);
  }
  void check() const;  // throws for a margin that is not above 0
  Tensor decompose(const Inputs& in) const;
  static Cases<TripletMarginLoss> samples();
};

}  // namespace luth::ops
