#include "core/nn/activation.h"

#include "core/nn/init.h"

namespace luth::nn {
namespace {
const DefineModule<Activations> activations_;
}

void GELU::build() {
  spec.by_tanh();
  OperatorModule::build();
}

Tensor Softmax2d::run(const Tensor& x) {
  if (x.dim() != 3 && x.dim() != 4)
    throw Error("Softmax2d needs images, [N, C, H, W] or [C, H, W], got {}", to_string(x.shape()));
  return softmax(x, {.dim = -3});
}

void PReLU::build() {
  need_at_least("PReLU", "num_parameters", spec.num_parameters, 0);
  register_parameter("weight", spec.factory.parameter({spec.num_parameters}));
  reset_parameters();
}
void PReLU::reset_parameters() { init::constant(parameter(0), spec.init); }
Tensor PReLU::run(const Tensor& x) { return prelu(x, parameter(0)); }

}  // namespace luth::nn
