// Activations: modules around one operator each, without parameters but for PReLU.
#pragma once
#include "core/nn/linear.h"
#include "core/nn/operator_module.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/rectifier.h"
#include "core/ops/elementwise/smooth_activation.h"
#include "core/ops/nn/activation.h"
#include "core/ops/nn/softmax.h"

namespace luth::nn {

inline constexpr Beside with_inplace{.inplace = Inplace::printed_if_set};
inline constexpr Beside unprinted_inplace{.inplace = Inplace::unprinted};
inline constexpr Beside bare_lambd{.prints = "lambd", .bare = "lambd"};

using ReLU = OperatorModule<ops::Relu, "ReLU", with_inplace>;
using ReLU6 = OperatorModule<ops::Relu6, "ReLU6", with_inplace>;
using ELU = OperatorModule<ops::Elu, "ELU", with_inplace>;
using SELU = OperatorModule<ops::Selu, "SELU", with_inplace>;
using CELU = OperatorModule<ops::Celu, "CELU", with_inplace>;
using SiLU = OperatorModule<ops::Silu, "SiLU", with_inplace>;
using Mish = OperatorModule<ops::Mish, "Mish", with_inplace>;
using LeakyReLU = OperatorModule<ops::LeakyRelu, "LeakyReLU", with_inplace>;
using RReLU = OperatorModule<ops::Rrelu, "RReLU", with_inplace>;
using Threshold = OperatorModule<ops::Threshold, "Threshold", with_inplace>;
using Hardtanh = OperatorModule<ops::Hardtanh, "Hardtanh", with_inplace>;
using Hardsigmoid = OperatorModule<ops::Hardsigmoid, "Hardsigmoid", unprinted_inplace>;
using Hardswish = OperatorModule<ops::Hardswish, "Hardswish", unprinted_inplace>;
using Hardshrink = OperatorModule<ops::Hardshrink, "Hardshrink", bare_lambd>;
using Softshrink = OperatorModule<ops::Softshrink, "Softshrink", bare_lambd>;
using Tanhshrink = OperatorModule<ops::Tanhshrink, "Tanhshrink">;
using Softsign = OperatorModule<ops::Softsign, "Softsign">;
using Softplus = OperatorModule<ops::Softplus, "Softplus">;
using GLU = OperatorModule<ops::Glu, "GLU">;
using Tanh = OperatorModule<ops::Tanh, "Tanh">;
using Sigmoid = OperatorModule<ops::Sigmoid, "Sigmoid">;
using LogSigmoid = OperatorModule<ops::LogSigmoid, "LogSigmoid">;
using Softmax = OperatorModule<ops::Softmax, "Softmax">;
using Softmin = OperatorModule<ops::Softmin, "Softmin">;
using LogSoftmax = OperatorModule<ops::LogSoftmax, "LogSoftmax">;

class GELU final : public OperatorModule<ops::Gelu, "GELU"> {
 public:
  using OperatorModule::OperatorModule;
  void build() override;  // throws for a word that approximate does not know
};

/// Softmax over the channels of images, [N, C, H, W] or [C, H, W].
struct Softmax2dSpec {
  static constexpr const char* name = "Softmax2d";
  static constexpr const char* brief = "softmax over the channels of images";
  void describe(auto&) {}
};
class Softmax2d final : public Layer<Softmax2d, Softmax2dSpec> {
 public:
  using Layer::Layer;
  Tensor run(const Tensor& x);
};

/// x, or x times a learned weight where it is negative: weight [num_parameters], one for each channel or one for all.
struct PReLUSpec {
  static constexpr const char* name = "PReLU";
  static constexpr const char* brief = "each element, times a learned weight where it is negative";
  int64_t num_parameters = 1;
  double init = 0.25;
  Factory factory;
  void describe(auto& field) {
    field("num_parameters", num_parameters, "1, or as many weights as there are channels (dim 2)");
    field("init", init, "the weights' first value", as::unprinted);
    factory.describe(field);
  }
};
class PReLU final : public Layer<PReLU, PReLUSpec> {
 public:
  using Layer::Layer;
  void build() override;
  void reset_parameters() override;
  Tensor run(const Tensor& x);
};

using Rectifiers = Types<ReLU, ReLU6, LeakyReLU, RReLU, PReLU, Threshold, Hardtanh, Hardsigmoid, Hardswish, Hardshrink>;
using SmoothActivations = Types<ELU, SELU, CELU, SiLU, Mish, GELU, GLU, Tanh, Sigmoid, LogSigmoid, Softplus, Softsign>;
using Activations = ops::Concatenated<Rectifiers, SmoothActivations, Types<Softshrink, Tanhshrink>,
                                      Types<Softmax, Softmin, LogSoftmax, Softmax2d>>;

}  // namespace luth::nn
