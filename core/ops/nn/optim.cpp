#include "core/ops/nn/optim.h"

#include "core/ops/nn/rules.h"

namespace luth::ops {
namespace {

const DefineAll<Steps> steps_;
const DefineAll<NormOfAll, ClipByNorm, ClipByValue> clipping_;

}  // namespace

void check_groups(const Inputs& in, size_t n) {
  if (in.size() % n) throw Error("expects groups of {} tensors, got {}", n, in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const Tensor& t = in[i].tensor();
    const Tensor& head = in[i - i % n].tensor();
    if (!t || !is_floating(t.dtype())) throw Error("expects floating point tensors");
    if (!is_dense(t.shape(), t.strides())) throw Error("tensor {} is not dense", shown(int64_t(i)));
    if (t.dtype() != head.dtype() || !(t.shape() == head.shape()) || !(t.strides() == head.strides()))
      throw Error("tensor {} has another dtype or layout than its parameter", shown(int64_t(i)));
  }
}

Spec NormOfAll::infer(const Inputs& in) const {
  if (in.empty()) throw Error("expects at least one tensor");
  for (auto& v : in)
    if (!v.is_tensor() || !is_floating(v.dtype())) throw Error("expects floating point tensors");
  return {{}, in[0].dtype()};
}
Specs ClipByNorm::infer(const Inputs& in) const {
  check_groups(in, 1);
  return {};
}
Specs ClipByValue::infer(const Inputs& in) const {
  check_groups(in, 1);
  return {};
}

// Settings for the samples of the steps.
std::vector<SgdRule> SgdRule::variants() {
  return {{.lr = 0.1, .weight_decay = 0.1},
          {.lr = 0.1, .momentum = 0.9, .nesterov = true},
          {.momentum = 0.5, .dampening = 0.5, .flags = {.maximize = true}}};
}
std::vector<AdamRule> AdamRule::variants() {
  return {{.weight_decay = 0.1}, {.weight_decay = 0.1, .amsgrad = true, .decoupled_weight_decay = true}};
}
std::vector<NAdamRule> NAdamRule::variants() { return {{.lr = 0.1, .weight_decay = 0.1}}; }
std::vector<RAdamRule> RAdamRule::variants() { return {{.lr = 0.1, .betas = {0.8, 0.9}, .weight_decay = 0.1}}; }
std::vector<LambRule> LambRule::variants() { return {{.lr = 0.1}}; }
std::vector<AdamaxRule> AdamaxRule::variants() { return {{.lr = 0.1, .weight_decay = 0.1}}; }
std::vector<LionRule> LionRule::variants() { return {{.lr = 0.1, .weight_decay = 0.1}}; }
std::vector<AdagradRule> AdagradRule::variants() { return {{.lr = 0.1, .lr_decay = 0.1, .weight_decay = 0.1}}; }
std::vector<AdadeltaRule> AdadeltaRule::variants() { return {{.weight_decay = 0.1}}; }
std::vector<RMSpropRule> RMSpropRule::variants() {
  return {{.lr = 0.1, .weight_decay = 0.1},
          {.alpha = 0.9, .eps = 1, .centered = true},
          {.alpha = 0.9, .momentum = 0.9},
          {.alpha = 0.9, .eps = 1, .momentum = 0.9, .centered = true}};
}
std::vector<RpropRule> RpropRule::variants() { return {{.lr = 0.1}, {.step_sizes = {0.3, 0.6}}}; }
std::vector<ASGDRule> ASGDRule::variants() { return {{.lr = 0.1, .lambd = 0.01, .weight_decay = 0.1}}; }

Cases<NormOfAll> NormOfAll::samples() {
  return {
      {{}, {{2, 3}, {4}}}, {{.norm_type = 1}, {{3}}}, {{.norm_type = INFINITY}, {{3}, {2}}}, {{.norm_type = 3}, {{3}}}};
}
Cases<ClipByNorm> ClipByNorm::samples() { return {{{.max_norm = 0.5}, {{}, {2, 3}, {4}}, 1, 2}}; }
Cases<ClipByValue> ClipByValue::samples() { return {{{.clip_value = 0.5}, {{2, 3}, {4}}}}; }

}  // namespace luth::ops
