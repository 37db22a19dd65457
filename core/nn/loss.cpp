#include "core/nn/loss.h"

#include "core/ops/nn/loss.h"

namespace luth::nn {
namespace {
const DefineModule<CrossEntropyLoss> cross_entropy_loss_;
const DefineModule<NLLLoss> nll_loss_;
const DefineModule<MSELoss> mse_loss_;
const DefineModule<L1Loss> l1_loss_;
const DefineModule<BCEWithLogitsLoss> bce_loss_;
}  // namespace

// Weights are buffers, so that they are saved and move along; the settings let go of them.
void CrossEntropyLoss::build() { register_buffer("weight", std::exchange(spec.weight, Tensor())); }
void NLLLoss::build() { register_buffer("weight", std::exchange(spec.weight, Tensor())); }
void BCEWithLogitsLoss::build() {
  register_buffer("weight", std::exchange(spec.weight, Tensor()));
  register_buffer("pos_weight", std::exchange(spec.pos_weight, Tensor()));
}

Tensor CrossEntropyLoss::run(const Tensor& x, const Tensor& target) {
  return cross_entropy(x, target, buffer(0),
                       {.ignore_index = spec.ignore_index,
                        .reduction = spec.reduction,
                        .label_smoothing = spec.label_smoothing,
                        .base = spec.base});
}
Tensor NLLLoss::run(const Tensor& x, const Tensor& target) {
  return nll_loss(x, target, buffer(0),
                  {.ignore_index = spec.ignore_index, .reduction = spec.reduction, .base = spec.base});
}
Tensor MSELoss::run(const Tensor& x, const Tensor& target) {
  return mse_loss(x, target, {.reduction = spec.reduction});
}
Tensor L1Loss::run(const Tensor& x, const Tensor& target) { return l1_loss(x, target, {.reduction = spec.reduction}); }
Tensor BCEWithLogitsLoss::run(const Tensor& x, const Tensor& target) {
  return binary_cross_entropy_with_logits(x, target, buffer(0), buffer(1), {.reduction = spec.reduction});
}

}  // namespace luth::nn
