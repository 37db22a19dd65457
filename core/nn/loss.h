// Losses: modules of an input and a target, around one operator each.
#pragma once
#include "core/nn/operator_module.h"
#include "core/ops/nn/loss.h"

namespace luth::nn {

inline constexpr Beside with_weight{.buffers = {"a factor for each class"}};
inline constexpr Beside with_weights{.buffers = {"a factor for each element", "a factor for positive targets"}};

using CrossEntropyLoss = OperatorModule<ops::CrossEntropy, "CrossEntropyLoss", with_weight>;
using NLLLoss = OperatorModule<ops::NllLoss, "NLLLoss", with_weight>;
using BCEWithLogitsLoss = OperatorModule<ops::BinaryCrossEntropyWithLogits, "BCEWithLogitsLoss", with_weights>;
using MSELoss = OperatorModule<ops::MseLoss, "MSELoss">;
using L1Loss = OperatorModule<ops::L1Loss, "L1Loss">;

using Losses = Types<CrossEntropyLoss, NLLLoss, BCEWithLogitsLoss, MSELoss, L1Loss>;

}  // namespace luth::nn
