#include "core/ops/nn/optim.h"

namespace luth::ops {
namespace {

const DefineAll<SgdStep, AdamStep, NormOfAll, ClipByNorm, ClipByValue> define_all_;

// Groups of `n` tensors of one floating dtype and one dense layout.
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

}  // namespace

Specs SgdStep::infer(const Inputs& in) const {
  check_groups(in, momentum != 0 ? 3 : 2);
  return {};
}
Specs AdamStep::infer(const Inputs& in) const {
  check_groups(in, amsgrad ? 5 : 4);
  return {};
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

Cases<SgdStep> SgdStep::samples() {
  return {{{.lr = 0.1}, {{3, 2}, {3, 2}, {5}, {5}}},
          {{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true}, {{3, 2}, {3, 2}, {3, 2}}},
          {{.momentum = 0.5, .dampening = 0.5, .maximize = true, .first = true}, {{4}, {4}, {4}}}};
}
Cases<AdamStep> AdamStep::samples() {
  return {{{.weight_decay = 0.1}, {{3}, {3}, {3}, {3}}, 0.1, 1},
          {{.amsgrad = true, .decoupled = true, .step = 3}, {{2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}}, 0.1, 1}};
}
Cases<NormOfAll> NormOfAll::samples() {
  return {
      {{}, {{2, 3}, {4}}}, {{.norm_type = 1}, {{3}}}, {{.norm_type = INFINITY}, {{3}, {2}}}, {{.norm_type = 3}, {{3}}}};
}
Cases<ClipByNorm> ClipByNorm::samples() { return {{{.max_norm = 0.5}, {{}, {2, 3}, {4}}, 1, 2}}; }
Cases<ClipByValue> ClipByValue::samples() { return {{{.clip_value = 0.5}, {{2, 3}, {4}}}}; }

}  // namespace luth::ops
