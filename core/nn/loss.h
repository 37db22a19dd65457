// Losses: modules of an input and a target, around one operator each.
#pragma once
#include "core/nn/operator_module.h"
#include "core/ops/nn/loss.h"

namespace luth::nn {

inline constexpr Beside with_weight{.buffers = 1};
inline constexpr Beside with_weights{.buffers = 2};  // weight and pos_weight

using CrossEntropyLoss = OperatorModule<ops::CrossEntropy, "CrossEntropyLoss", with_weight>;
using NLLLoss = OperatorModule<ops::NllLoss, "NLLLoss", with_weight>;
using BCEWithLogitsLoss = OperatorModule<ops::BinaryCrossEntropyWithLogits, "BCEWithLogitsLoss", with_weights>;
using MSELoss = OperatorModule<ops::MseLoss, "MSELoss">;
using L1Loss = OperatorModule<ops::L1Loss, "L1Loss">;

using Losses = Types<CrossEntropyLoss, NLLLoss, BCEWithLogitsLoss, MSELoss, L1Loss>;

}  // namespace luth::nn
