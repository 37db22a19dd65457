#include "core/nn/adaptive_softmax.h"

#include <cmath>

#include "core/autograd/autograd.h"
#include "core/nn/container.h"
#include "core/ops/common/positions.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {
const DefineModule<AdaptiveLogSoftmaxWithLoss> adaptive_;

Tensor column(const Tensor& t) { return unsqueeze(t, {.dim = 1}); }
/// Element index[i] of row i.
Tensor pick(const Tensor& rows, const Tensor& index) {
  return squeeze(gather(rows, column(index), {.dim = 1}), {.dim = Ints{1}});
}
}  // namespace

void AdaptiveLogSoftmaxWithLoss::check() const {
  need_at_least(type(), "in_features", spec.in_features, 1);
  need_at_least(type(), "n_classes", spec.n_classes, 2);
  int64_t last = 0;
  for (int64_t cut : spec.cutoffs)
    if (cut <= std::exchange(last, cut) || cut >= spec.n_classes)
      throw Error("cutoffs must ascend from 1 to at most n_classes - 1 = {}, got {}", spec.n_classes - 1,
                  to_string(spec.cutoffs));
  if (spec.cutoffs.empty()) throw Error("cutoffs must hold at least one number");
  if (!(spec.div_value > 0)) throw Error("div_value must be above 0, got {}", spec.div_value);
}

void AdaptiveLogSoftmaxWithLoss::build() {
  check();
  auto linear = [&](int64_t in, int64_t out, bool bias) {
    return create<Linear>({.in_features = in, .out_features = out, .bias = bias, .factory = spec.factory});
  };
  add_module("head", linear(spec.in_features, spec.cutoffs[0] + clusters(), spec.head_bias));
  Ref<ModuleList> tail(new ModuleList);
  for (int i = 0; i < clusters(); ++i) {
    const double share = std::floor(double(spec.in_features) / std::pow(spec.div_value, i + 1));
    if (!(share < 1e15)) throw Error("div_value = {} gives cluster {} {} features", spec.div_value, shown(i), share);
    const auto features = int64_t(share);
    tail->append(
        sequential({linear(spec.in_features, features, false), linear(features, end_of(i) - spec.cutoffs[i], false)}));
  }
  add_module("tail", tail);
}
void AdaptiveLogSoftmaxWithLoss::reset_parameters() {
  for (auto& [path, m] : named_modules())
    if (m.get() != this) m->reset_parameters();
}

void AdaptiveLogSoftmaxWithLoss::check_inputs(const Tensor& x, const Tensor& target) const {
  const bool batch = x.dim() == 2;
  if (!(batch || x.dim() == 1) || x.shape(-1) != spec.in_features)
    throw Error("expects an input [N, {}] or [{}] of in_features, got shape {}", spec.in_features, spec.in_features,
                to_string(x.shape()));
  check_index_dtype("target", target.dtype());
  if (!(target.shape() == (batch ? Shape{x.shape(0)} : Shape{})))
    throw Error("expects a class for each sample: an input of shape {} and a target of shape {} do not fit",
                to_string(x.shape()), to_string(target.shape()));
  if (!target.device().has_data() || !target.numel()) return;
  for (const Scalar& v : {amin(target).item(), amax(target).item()})
    if (v.integer() < spec.base || v.integer() >= spec.n_classes + spec.base)
      throw Error("target holds class {}; n_classes is {}, so it must be from {} to {}", v.integer(), spec.n_classes,
                  spec.base, spec.n_classes - 1 + spec.base);
}

Tensor AdaptiveLogSoftmaxWithLoss::head_log_prob(const Tensor& x) {
  return log_softmax((*child("head"))(x), {.dim = 1});
}
Tensor AdaptiveLogSoftmaxWithLoss::cluster_log_prob(int i, const Tensor& x) {
  return log_softmax((*child("tail")->child(std::to_string(i + 1)))(x), {.dim = 1});
}

// Each cluster sees the samples alone whose target lies in it.
Values AdaptiveLogSoftmaxWithLoss::run(const AdaptiveSoftmaxArguments& a) {
  const bool single = a.input.dim() == 1;
  check_inputs(a.input, a.target);
  const Tensor x = single ? unsqueeze(a.input, {.dim = 0}) : a.input;
  const Tensor target = sub(cast_to(single ? unsqueeze(a.target, {.dim = 0}) : a.target, Dtype::i64), spec.base);
  Tensor in_head = target;  // the class, or the number of the cluster behind the head's classes
  std::vector<Tensor> rows;
  for (int i = 0; i < clusters(); ++i) {
    const Tensor here = logical_and(ge(target, spec.cutoffs[i]), lt(target, end_of(i)));
    rows.push_back(squeeze(nonzero(here), {.dim = Ints{1}}));
    in_head = masked_fill(in_head, here, spec.cutoffs[0] + i);
  }
  Tensor output = pick(head_log_prob(x), in_head);
  for (int i = 0; i < clusters(); ++i) {
    if (!rows[size_t(i)].numel()) continue;
    const Tensor of_cluster = cluster_log_prob(i, index_select(x, rows[size_t(i)], {.dim = 0}));
    const Tensor at = sub(index_select(target, rows[size_t(i)], {.dim = 0}), spec.cutoffs[i]);
    output = index_add(output, rows[size_t(i)], pick(of_cluster, at), {});
  }
  return {single ? squeeze(output, {.dim = Ints{0}}) : output, neg(mean(output))};
}

Tensor AdaptiveLogSoftmaxWithLoss::log_prob(const Tensor& x) {
  if (x.dim() != 2) throw Error("expects an input [N, {}], got shape {}", spec.in_features, to_string(x.shape()));
  const Tensor head = head_log_prob(x);
  Tensors parts{narrow(head, {.dim = 1, .start = 0, .length = spec.cutoffs[0]})};
  for (int i = 0; i < clusters(); ++i)
    parts.push_back(add(cluster_log_prob(i, x), narrow(head, {.dim = 1, .start = spec.cutoffs[0] + i, .length = 1})));
  return cat(parts, {.dim = 1});
}
Tensor AdaptiveLogSoftmaxWithLoss::predict(const Tensor& x) {
  return argmax(log_prob(x), {.dim = 1, .base = spec.base});
}

}  // namespace luth::nn
