#include "core/ops/nn/loss.h"

#include "core/base/warn.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/positions.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/smooth_activation.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/mask.h"
#include "core/ops/nn/reduction.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {

void check_reduction(const std::string& reduction) {
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    throw Error("reduction must be 'mean', 'sum' or 'none', not '{}'", reduction);
}
Tensor reduced(const Tensor& t, const std::string& reduction) {
  check_reduction(reduction);
  return reduction == "mean" ? mean(t) : reduction == "sum" ? sum(t) : t;
}

namespace {
const DefineAll<CrossEntropy, CrossEntropyLabels, CrossEntropyBackward, NllLoss, NllLossLabels, NllLossBackward,
                MseLoss, L1Loss, SmoothL1Loss, HuberLoss, BinaryCrossEntropy, BceEach, BackwardOf<BceEach>,
                BinaryCrossEntropyWithLogits, KlDiv>
    define_all_;

void check_same_shape(const Inputs& in) {
  if (!(in[0].shape() == in[1].shape()))
    throw Error("input has shape {} and target {}; they must be the same", to_string(in[0].shape()),
                to_string(in[1].shape()));
}

// A loss for each pair. PyTorch broadcasts here, too, and warns: a column beside a row makes a matrix of differences.
template <class Term>
Tensor each_pair(const Inputs& in, const char* loss, const Term& term = {}) {
  const Shape &x = in[0].shape(), &target = in[1].shape();
  Tensor each = Fn<Term>()(in[0], in[1], term);
  if (!(x == target))
    warn(
        fmt::format("{}: input has shape {} and target {}; they are broadcast to {}, which is seldom meant: give them "
                    "one shape",
                    loss, to_string(x), to_string(target), to_string(each.shape())));
  return each;
}

/// The dim of the classes in C, N x C, N x C x d1 x ….
int class_dim(const Shape& input) {
  if (input.size() == 0) throw Error("input needs a dim of classes, but is 0-dimensional");
  return input.size() == 1 ? 0 : 1;
}
/// The shape of labels for an input: without the dim of classes.
Shape label_shape(Shape input) {
  input.erase(class_dim(input));
  return input;
}
/// Checks labels and weights against the input; the shape of labels.
Shape check_labels(const Inputs& in, const std::string& reduction) {
  check_reduction(reduction);
  check_floating(in[0], "input");
  check_index_dtype("target", in[1].dtype());
  const Shape expected = label_shape(in[0].shape());
  const int64_t classes = in[0].shape()[class_dim(in[0].shape())];
  if (!(in[1].shape() == expected))
    throw Error(
        "target has shape {}; for an input of shape {} it must be {}, a label without the dim of classes, or "
        "probabilities of input's shape",
        to_string(in[1].shape()), to_string(in[0].shape()), to_string(expected));
  if (in[2] && !(in[2].shape() == Shape{classes}))
    throw Error("weight has shape {}; it needs a number for each of {} classes", to_string(in[2].shape()), classes);
  if (in[2]) check_same_dtype("input", in[0], "weight", in[2]);
  return expected;
}

/// Probabilities as targets: -sum over classes of weight * target * log_softmax(input).
Tensor with_probabilities(const CrossEntropy& op, const Inputs& in) {
  if (!(in[1].shape() == in[0].shape()))
    throw Error(
        "target is {} of shape {}; for an input of shape {} labels are integers (say target:long()) of shape {}, and "
        "probabilities have input's shape",
        name(in[1].dtype()), to_string(in[1].shape()), to_string(in[0].shape()), to_string(label_shape(in[0].shape())));
  check_floating(in[0], "input");
  if (op.ignore_index >= 0) throw Error("ignore_index has no meaning for targets that are probabilities");
  const Shape& s = in[0].shape();
  int d = class_dim(s);
  Tensor target = in[1];
  if (op.label_smoothing > 0) target = add(mul(target, 1 - op.label_smoothing), op.label_smoothing / double(s[d]));
  if (in[2]) {
    Shape across(size_t(s.size()), 1);
    across[d] = s[d];
    target = mul(target, reshape(in[2], {.shape = across}));
  }
  Tensor each = neg(sum(mul(log_softmax(in[0], {.dim = d}), target), {.dim = {d}}));
  if (op.reduction != "mean") return reduced(each, op.reduction);
  return div(sum(each), double(s.numel()) / double(s[d]));
}
}  // namespace

// ---- classification ------------------------------------------------------------------------------------------------

void CrossEntropy::check() const {
  if (label_smoothing < 0 || label_smoothing > 1)
    throw Error("label_smoothing must be from 0 to 1, not {}", label_smoothing);
}
Tensor CrossEntropy::decompose(const Inputs& in) const {
  check();
  if (is_floating(in[1].dtype()) && in[1].dim() > 0) return with_probabilities(*this, in);
  return cross_entropy_labels(in[0], in[1], in[2], {ignore_index, reduction, label_smoothing, base})[0];
}
Specs CrossEntropyLabels::infer(const Inputs& in) const {
  Shape labels = check_labels(in, reduction);
  // logsumexp is in double: of large logits it has, in float, lost the digits that the loss consists of
  return {Spec{reduction == "none" ? labels : Shape(), in[0].dtype()}, Spec{labels, Dtype::f64},
          Spec{labels, wide(in[0].dtype())}};
}
[[noreturn]] static void throw_constant_weight() {
  throw Error("has no gradient by weight: class weights are constants, as in PyTorch; detach() it");
}
Tensors CrossEntropyLabels::vjp(const Call& c, const Tensors& dy) const {
  if (c.wants(2)) throw_constant_weight();
  const Value& x = c.in[0];
  Tensor dx;
  if (dy[0])
    dx = cross_entropy_backward(mul(c.out[2].detach(), dy[0]), x, c.out[1], c.in[1], c.in[2],
                                {ignore_index, label_smoothing, base});
  if (dy[1]) {
    int d = class_dim(x.shape());
    const Tensor by = cast_to(unsqueeze(dy[1], {.dim = d}), wide(x.dtype()));
    Tensor part = cast_to(mul(by, softmax(x, {.dim = d})), x.dtype());
    dx = dx ? add(dx, part) : part;
  }
  return {dx};
}
Tensors CrossEntropyBackward::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &grad = c.in[0], &x = c.in[1], &total = c.in[2];
  int d = class_dim(x.shape());
  Tensors out(5);
  if (c.wants(0)) {
    Tensor unit =
        cross_entropy_backward(full(grad.shape(), 1, grad.dtype(), grad.device()), x, total, c.in[3], c.in[4], *this);
    out[0] = sum(mul(dy, unit), {.dim = {d}});
  }
  if (c.wants(1) || c.wants(2)) {
    const Dtype t = wide(x.dtype());
    const Tensor log_sum = unsqueeze(total, {.dim = d}), high = cast_to(log_sum, t);  // as the kernels round it
    const Tensor softmax = exp(sub(sub(x, high), cast_to(sub(log_sum, high), t)));
    Tensor p = mul(mul(dy, unsqueeze(grad, {.dim = d})), softmax);
    if (c.wants(1)) out[1] = p;
    if (c.wants(2)) out[2] = cast_to(neg(sum(p, {.dim = {d}})), total.dtype());
  }
  return out;
}

Tensor NllLoss::decompose(const Inputs& in) const {
  return nll_loss_labels(in[0], in[1], in[2], {ignore_index, reduction, base})[0];
}
Specs NllLossLabels::infer(const Inputs& in) const {
  Shape labels = check_labels(in, reduction);
  return {Spec{reduction == "none" ? labels : Shape(), in[0].dtype()}, Spec{labels, wide(in[0].dtype())}};
}
Tensors NllLossLabels::vjp(const Call& c, const Tensors& dy) const {
  if (c.wants(2)) throw_constant_weight();
  if (!dy[0]) return {};
  return {nll_loss_backward(mul(c.out[1].detach(), dy[0]), c.in[1], {c.in[0].shape(), ignore_index, base})};
}
Tensors NllLossBackward::vjp(const Call& c, const Tensor& dy) const {
  return {nll_loss_labels(dy, c.in[1], Value(), {ignore_index, "none", base})[0]};
}

// ---- regression ----------------------------------------------------------------------------------------------------

namespace {
// Losses of pairs times their weights.
Tensor weighted(const Tensor& each, const Inputs& in) {
  if (!in[2]) return each;
  if (!(in[2].shape() == in[0].shape()))
    throw Error("weight has shape {} and input {}; they must be the same", to_string(in[2].shape()),
                to_string(in[0].shape()));
  return mul(each, in[2]);
}
// The mean divides by the sum of the weights.
Tensor weighted_mean(const Tensor& each, const Inputs& in, const std::string& reduction) {
  if (!in[2] || reduction != "mean") return reduced(weighted(each, in), reduction);
  return div(sum(weighted(each, in)), sum(in[2]));
}
// A bool beside floats is 0 or 1, as in PyTorch; a difference of bool tensors is refused.
Inputs with_bool_as_float(Inputs in) {
  for (int i = 0; i < 2; ++i)
    if (in[i].dtype() == Dtype::boolean && is_floating(in[1 - i].dtype()))
      in[i] = cast_to(in[i].tensor(), in[1 - i].dtype());
  return in;
}
}  // namespace

Tensor MseLoss::decompose(const Inputs& in) const {
  return weighted_mean(each_pair<SquaredDifference>(with_bool_as_float(in), "mse_loss"), in, reduction);
}
Tensor L1Loss::decompose(const Inputs& in) const {
  const bool floats = is_floating(in[0].dtype()) || is_floating(in[1].dtype());
  const Tensor each = floats ? each_pair<AbsoluteDifference>(in, "l1_loss") : abs(each_pair<Sub>(in, "l1_loss"));
  return weighted_mean(each, in, reduction);
}
void SmoothL1Loss::check() const {
  if (beta < 0) throw Error("beta must be at least 0, not {}", beta);
}
Tensor SmoothL1Loss::decompose(const Inputs& given) const {
  check();
  const Inputs in = with_bool_as_float(given);
  if (!is_floating(in[0].dtype()) && !is_floating(in[1].dtype()))
    check_floating(sub(in[0], in[1]), "the difference of input and target");
  const char* name = "smooth_l1_loss";
  return reduced(
      beta == 0 ? each_pair<AbsoluteDifference>(in, name) : each_pair(in, name, Huber{.delta = beta, .unit = beta}),
      reduction);
}
void HuberLoss::check() const {
  if (delta <= 0) throw Error("delta must be above 0, not {}", delta);
}
Tensor HuberLoss::decompose(const Inputs& in) const {
  check();
  return reduced(weighted(each_pair(in, "huber_loss", Huber{.delta = delta}), in), reduction);
}

// ---- probabilities -------------------------------------------------------------------------------------------------

// Losses times their weights, which must not make more of them.
static Tensor weighted(const Tensor& each, const Value& weight) {
  if (!weight) return each;
  Tensor t = mul(each, weight);
  if (!(t.shape() == each.shape()))
    throw Error("weight of shape {} does not fit input of shape {}", to_string(weight.shape()),
                to_string(each.shape()));
  return t;
}
Tensor BinaryCrossEntropy::decompose(const Inputs& in) const {
  check_same_shape(in);
  check_floating(in[0], "input");
  Tensor each = bce_each(in[0], in[1]);
  return reduced(weighted(each, in[2]), reduction);
}
Tensor BceEach::slope(const Value& x, const Value& t) const {
  return div(sub(x, t), maximum(mul(x, sub(1, x)), 1e-12));
}
Tensors BceEach::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& x = c.in[0];
  Tensors out(2);
  if (c.wants(0)) out[0] = input_grad(c, dy);
  if (c.wants(1)) out[1] = mul(dy, sub(maximum(log1p(neg(x)), -100), maximum(log(x), -100)));
  return out;
}
Tensor BinaryCrossEntropyWithLogits::decompose(const Inputs& in) const {
  check_same_shape(in);
  const Tensor &x = in[0], &t = in[1];
  Tensor each;
  if (in[3])  // the logarithm of sigmoid counts 1 + (pos_weight - 1) * target times
    each = sub(mul(sub(1, t), x), mul(log_sigmoid(x), add(mul(sub(in[3], 1), t), 1)));
  else
    each = logit_cross_entropy(x, t);
  return reduced(weighted(each, in[2]), reduction);
}
Tensor KlDiv::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &t = in[1];
  Tensor each;
  if (log_target)
    each = mul(exp(t), sub(t, x));
  else  // 0 * log(0) counts as 0
    each = mul(t, sub(log(masked_fill(t, eq(t, 0), 1)), x));
  if (reduction == "batchmean") return div(sum(each), x.dim() ? double(x.shape()[0]) : 1.0);
  return reduced(each, reduction);
}

}  // namespace luth::ops
