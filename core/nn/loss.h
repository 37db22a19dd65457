// Losses: modules of an input and a target, around one operator each.
#pragma once
#include <type_traits>

#include "core/nn/operator_module.h"
#include "core/ops/nn/ctc.h"
#include "core/ops/nn/distribution_loss.h"
#include "core/ops/nn/loss.h"
#include "core/ops/nn/margin_loss.h"

namespace luth::nn {

inline constexpr Beside with_weight{.buffers = {"a factor for each class"}};
inline constexpr Beside with_element_weight{.buffers = {"a factor for each element"}};
inline constexpr Beside with_weights{.buffers = {"a factor for each element", "a factor for positive targets"}};
inline constexpr Beside with_weight_behind{.buffers = {"a factor for each class"},
                                           .order = "p, margin, weight, reduction, base"};

template <class Op, Text class_name, Beside beside = {}>
class Loss : public OperatorModule<Op, class_name, beside> {
 public:
  using OperatorModule<Op, class_name, beside>::OperatorModule;
  void build() override {
    const std::string& reduction = this->spec.reduction;
    if (!std::is_same_v<Op, ops::KlDiv> || reduction != "batchmean") ops::check_reduction(reduction);
    OperatorModule<Op, class_name, beside>::build();
  }
};

/// Takes the lengths as tensors or as lists.
class CTCLoss final : public Loss<ops::CtcLoss, "CTCLoss"> {
 public:
  using Loss::Loss;
  ModuleRef fresh() const override { return ModuleRef(new CTCLoss(spec)); }
  Values forward(const Values& in) override;
};

using CrossEntropyLoss = Loss<ops::CrossEntropy, "CrossEntropyLoss", with_weight>;
using NLLLoss = Loss<ops::NllLoss, "NLLLoss", with_weight>;
using BCELoss = Loss<ops::BinaryCrossEntropy, "BCELoss", with_element_weight>;
using BCEWithLogitsLoss = Loss<ops::BinaryCrossEntropyWithLogits, "BCEWithLogitsLoss", with_weights>;
using MSELoss = Loss<ops::MseLoss, "MSELoss">;
using L1Loss = Loss<ops::L1Loss, "L1Loss">;
using SmoothL1Loss = Loss<ops::SmoothL1Loss, "SmoothL1Loss">;
using HuberLoss = Loss<ops::HuberLoss, "HuberLoss">;
using KLDivLoss = Loss<ops::KlDiv, "KLDivLoss">;
using PoissonNLLLoss = Loss<ops::PoissonNllLoss, "PoissonNLLLoss">;
using GaussianNLLLoss = Loss<ops::GaussianNllLoss, "GaussianNLLLoss">;
using HingeEmbeddingLoss = Loss<ops::HingeEmbeddingLoss, "HingeEmbeddingLoss">;
using CosineEmbeddingLoss = Loss<ops::CosineEmbeddingLoss, "CosineEmbeddingLoss">;
using MarginRankingLoss = Loss<ops::MarginRankingLoss, "MarginRankingLoss">;
using MultiMarginLoss = Loss<ops::MultiMarginLoss, "MultiMarginLoss", with_weight_behind>;
using MultiLabelMarginLoss = Loss<ops::MultilabelMarginLoss, "MultiLabelMarginLoss">;
using MultiLabelSoftMarginLoss = Loss<ops::MultilabelSoftMarginLoss, "MultiLabelSoftMarginLoss", with_weight>;
using SoftMarginLoss = Loss<ops::SoftMarginLoss, "SoftMarginLoss">;
using TripletMarginLoss = Loss<ops::TripletMarginLoss, "TripletMarginLoss">;

using Losses =
    Types<CrossEntropyLoss, NLLLoss, BCELoss, BCEWithLogitsLoss, MSELoss, L1Loss, SmoothL1Loss, HuberLoss, KLDivLoss,
          PoissonNLLLoss, GaussianNLLLoss, CTCLoss, HingeEmbeddingLoss, CosineEmbeddingLoss, MarginRankingLoss,
          MultiMarginLoss, MultiLabelMarginLoss, MultiLabelSoftMarginLoss, SoftMarginLoss, TripletMarginLoss>;

}  // namespace luth::nn
