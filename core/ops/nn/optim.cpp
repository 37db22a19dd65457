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

Cases<NormOfAll> NormOfAll::samples() {
  return {
      {{}, {{2, 3}, {4}}}, {{.norm_type = 1}, {{3}}}, {{.norm_type = INFINITY}, {{3}, {2}}}, {{.norm_type = 3}, {{3}}}};
}
Cases<ClipByNorm> ClipByNorm::samples() { return {{{.max_norm = 0.5}, {{}, {2, 3}, {4}}, 1, 2}}; }
Cases<ClipByValue> ClipByValue::samples() { return {{{.clip_value = 0.5}, {{2, 3}, {4}}}}; }

}  // namespace luth::ops
