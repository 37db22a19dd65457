// Losses: modules of an input and a target, around one operator each.
#pragma once
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

using CrossEntropyLoss = OperatorModule<ops::CrossEntropy, "CrossEntropyLoss", with_weight>;
using NLLLoss = OperatorModule<ops::NllLoss, "NLLLoss", with_weight>;
using BCELoss = OperatorModule<ops::BinaryCrossEntropy, "BCELoss", with_element_weight>;
using BCEWithLogitsLoss = OperatorModule<ops::BinaryCrossEntropyWithLogits, "BCEWithLogitsLoss", with_weights>;
using MSELoss = OperatorModule<ops::MseLoss, "MSELoss">;
using L1Loss = OperatorModule<ops::L1Loss, "L1Loss">;
using SmoothL1Loss = OperatorModule<ops::SmoothL1Loss, "SmoothL1Loss">;
using HuberLoss = OperatorModule<ops::HuberLoss, "HuberLoss">;
using KLDivLoss = OperatorModule<ops::KlDiv, "KLDivLoss">;
using PoissonNLLLoss = OperatorModule<ops::PoissonNllLoss, "PoissonNLLLoss">;
using GaussianNLLLoss = OperatorModule<ops::GaussianNllLoss, "GaussianNLLLoss">;
using CTCLoss = OperatorModule<ops::CtcLoss, "CTCLoss">;
using HingeEmbeddingLoss = OperatorModule<ops::HingeEmbeddingLoss, "HingeEmbeddingLoss">;
using CosineEmbeddingLoss = OperatorModule<ops::CosineEmbeddingLoss, "CosineEmbeddingLoss">;
using MarginRankingLoss = OperatorModule<ops::MarginRankingLoss, "MarginRankingLoss">;
using MultiMarginLoss = OperatorModule<ops::MultiMarginLoss, "MultiMarginLoss", with_weight_behind>;
using MultiLabelMarginLoss = OperatorModule<ops::MultilabelMarginLoss, "MultiLabelMarginLoss">;
using MultiLabelSoftMarginLoss = OperatorModule<ops::MultilabelSoftMarginLoss, "MultiLabelSoftMarginLoss", with_weight>;
using SoftMarginLoss = OperatorModule<ops::SoftMarginLoss, "SoftMarginLoss">;
using TripletMarginLoss = OperatorModule<ops::TripletMarginLoss, "TripletMarginLoss">;

using Losses =
    Types<CrossEntropyLoss, NLLLoss, BCELoss, BCEWithLogitsLoss, MSELoss, L1Loss, SmoothL1Loss, HuberLoss, KLDivLoss,
          PoissonNLLLoss, GaussianNLLLoss, CTCLoss, HingeEmbeddingLoss, CosineEmbeddingLoss, MarginRankingLoss,
          MultiMarginLoss, MultiLabelMarginLoss, MultiLabelSoftMarginLoss, SoftMarginLoss, TripletMarginLoss>;

}  // namespace luth::nn
