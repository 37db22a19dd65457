// Activations: modules around one operator each, without parameters.
#pragma once
#include "core/nn/operator_module.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/nn/softmax.h"

namespace luth::nn {

inline constexpr Beside with_inplace{.inplace = Inplace::printed_if_set};

using ReLU = OperatorModule<ops::Relu, "ReLU", with_inplace>;
using SiLU = OperatorModule<ops::Silu, "SiLU", with_inplace>;
using LeakyReLU = OperatorModule<ops::LeakyRelu, "LeakyReLU", with_inplace>;
using GELU = OperatorModule<ops::Gelu, "GELU">;
using Tanh = OperatorModule<ops::Tanh, "Tanh">;
using Sigmoid = OperatorModule<ops::Sigmoid, "Sigmoid">;
using Softplus = OperatorModule<ops::Softplus, "Softplus">;
using Softmax = OperatorModule<ops::Softmax, "Softmax">;
using LogSoftmax = OperatorModule<ops::LogSoftmax, "LogSoftmax">;

using Activations = Types<ReLU, SiLU, LeakyReLU, GELU, Tanh, Sigmoid, Softplus, Softmax, LogSoftmax>;

}  // namespace luth::nn
