#include "core/ops/nn/ctc.h"

#include <algorithm>
#include <cmath>
#include "core/ops/common/sample_tensors.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/positions.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<CtcLoss, CtcLossLists, CtcEach, CtcBackward> define_all_;

using Lengths = std::vector<double>;

int64_t longest(const Lengths& lengths) {
  double most = 0;
  for (double n : lengths) most = std::max(most, n);
  return int64_t(most);
}
Tensor column(const Lengths& v, Device& device) {
  Tensor t = Tensor::empty({int64_t(v.size()), 1}, Dtype::i64, host());
  for (size_t i = 0; i < v.size(); ++i) t.data<int64_t>()[i] = int64_t(v[i]);
  return &device == &host() ? t : to_device(t, {&device});
}

void check_lengths(const char* what, const Lengths& lengths, int64_t sequences, int64_t most) {
  if (int64_t(lengths.size()) != sequences)
    throw Error("{} has {} numbers for {} sequences", what, lengths.size(), sequences);
  for (double n : lengths)
    if (!(n >= 0 && n <= double(most)) || n != std::floor(n))
      throw Error("{} must be integers from 0 to {}, but holds {}", what, most, n);
}

/// Labels of targets that stand one after the other, as N x S; places behind a target hold any label.
Tensor targets_in_rows(const Tensor& flat, const Lengths& lengths) {
  double total = 0;
  for (double n : lengths) total += n;
  if (double(flat.numel()) != total)
    throw Error("targets holds {} labels, but target_lengths sum to {}", flat.numel(), total);
  const int64_t n = int64_t(lengths.size()), most = longest(lengths);
  Tensor at = Tensor::empty({n * most}, Dtype::i64, host());
  int64_t start = 0;
  for (int64_t i = 0; i < n; start += int64_t(lengths[size_t(i)]), ++i)
    for (int64_t s = 0; s < most; ++s)
      at.data<int64_t>()[i * most + s] = s < int64_t(lengths[size_t(i)]) ? start + s : 0;
  if (&flat.device() != &host()) at = to_device(at, {&flat.device()});
  return reshape(index_select(flat, at, {}), {.shape = {n, most}});
}

/// The states of each sequence, a blank before, between and behind the labels: their classes N x (2 S + 1), and which
/// may follow the state two before (a label unlike the last one).
struct States {
  Tensor classes, skips;
};
States states_of(const CtcEach& op, const Tensor& targets) {
  NoGrad no_grad;
  const int64_t n = targets.shape()[0], labels = targets.shape()[1];
  const int64_t blank = op.blank + op.base;
  Device& device = targets.device();
  Tensor behind = ge(counting(labels, device), column(op.target_lengths, device));
  Tensor own = masked_fill(targets, behind, blank), none = full({n, labels}, blank, targets.dtype(), device);
  Tensor both = reshape(stack({none, own}, {.dim = 2}), {.shape = {n, 2 * labels}});
  Tensor classes = cat({both, full({n, 1}, blank, targets.dtype(), device)}, {.dim = 1});
  const int64_t states = 2 * labels + 1, later = std::max<int64_t>(states - 2, 0);
  Tensor unlike = ne(narrow(classes, {.dim = 1, .start = states - later, .length = later}),
                     narrow(classes, {.dim = 1, .start = 0, .length = later}));
  Tensor first = full({n, states - later}, false, Dtype::boolean, device);
  return {classes, cat({first, unlike}, {.dim = 1})};
}

/// The states' log-probabilities after the first step, N x states: only the first two can be.
Tensor first_step(const Tensor& emitted) {
  Tensor late = gt(counting(emitted.shape()[1], emitted.device()), 1);
  return masked_fill(emitted, late, never);
}
/// After one step more: from the same state, the one before, or, where `skips` says, the one before that.
Tensor next_step(const Tensor& alpha, const Tensor& emitted, const Tensor& skips) {
  const Shape& s = alpha.shape();
  auto moved = [&](int64_t by) {
    by = std::min(by, s[1]);
    Tensor before = full({s[0], by}, never, alpha.dtype(), alpha.device());
    return cat({before, narrow(alpha, {.dim = 1, .start = 0, .length = s[1] - by})}, {.dim = 1});
  };
  Tensor two = masked_fill(moved(2), logical_not(skips), never);
  return add(logsumexp(stack({alpha, moved(1), two}, {.dim = 0}), {.dim = {0}}), emitted);
}
}  // namespace

void CtcEach::check(const Value& log_probs, int64_t labels) const {
  if (log_probs.dtype() != Dtype::f32 && log_probs.dtype() != Dtype::f64)
    throw Error("log_probs must be float32 or float64, but is {}", name(log_probs.dtype()));
  const Shape& s = log_probs.shape();
  if (blank < 0 || blank >= s[2]) throw Error("blank must be one of {} classes, not {}", s[2], shown(blank));
  check_lengths("input_lengths", input_lengths, s[1], s[0]);
  check_lengths("target_lengths", target_lengths, s[1], labels);
}
Spec CtcEach::infer(const Inputs& in) const {
  check(in[0], in[1].shape()[1]);
  return {{in[0].shape()[1]}, in[0].dtype()};
}
Tensor CtcEach::decompose(const Inputs& in) const {
  const Tensor &log_probs = in[0], &targets = in[1];
  const Shape& s = log_probs.shape();
  Device& device = log_probs.device();
  const int64_t n = s[1];
  if (n == 0) return zeros({0}, log_probs.dtype(), device);
  const States states = states_of(*this, targets);
  const int64_t width = states.classes.shape()[1], steps = longest(input_lengths);
  Tensor classes = expand_to(unsqueeze(states.classes, {.dim = 0}), {steps, n, width});
  Tensor emitted =
      gather(narrow(log_probs, {.dim = 0, .start = 0, .length = steps}), classes, {.dim = 2, .base = base});
  emitted = clamp(emitted, never, Value());
  const int64_t all_run = int64_t(*std::min_element(input_lengths.begin(), input_lengths.end()));
  Tensor lengths = column(input_lengths, device), alpha = full({n, width}, never, log_probs.dtype(), device);
  for (int64_t t = 0; t < steps; ++t) {
    Tensor now = select(emitted, {0, t});
    now = t ? next_step(alpha, now, states.skips) : first_step(now);
    alpha = t < all_run ? now : where(gt(lengths, t), now, alpha);
  }
  // The end: the last label or the blank behind it. Nothing at all has probability 1 of no labels.
  Tensor end = mul(column(target_lengths, device), 2);
  Tensor last = gather(alpha, end, {.dim = 1});
  Tensor before = masked_fill(gather(alpha, clamp(sub(end, 1), 0, Value()), {.dim = 1}), eq(end, 0), never);
  Tensor loss = neg(logsumexp(cat({last, before}, {.dim = 1}), {.dim = {1}}));
  Tensor empty = reshape(logical_and(eq(lengths, 0), eq(end, 0)), {.shape = {n}});
  return masked_fill(masked_fill(loss, gt(loss, impossible), INFINITY), empty, 0);
}
Tensors CtcEach::vjp(const Call& c, const Tensor& dy) const {
  return {Fn<CtcBackward>()(dy, c.in[0], c.in[1], {*this}), Tensor()};
}

Spec CtcBackward::infer(const Inputs& in) const {
  forward.check(in[1], in[2].shape()[1]);
  return {in[1].shape(), in[1].dtype()};
}
Tensor CtcBackward::decompose(const Inputs& in) const {
  const bool create_graph = grad_enabled();
  Tensor x = in[1];
  if (!create_graph || !x.requires_grad()) x = x.detach(), x.set_requires_grad();
  GradMode on(true);
  const Tensor dx =
      grad({forward.decompose({x, in[2]})}, {x}, {in[0]}, {.create_graph = create_graph, .allow_unused = true})[0];
  return dx ? dx : zeros(x.shape(), x.dtype(), x.device());
}

namespace {
Tensor ctc(const CtcLoss& op, const Tensor& given, const Tensor& labels, const Lengths& steps, const Lengths& sizes) {
  check_reduction(op.reduction);
  check_index_dtype("targets", labels.dtype());
  if (given.dim() != 2 && given.dim() != 3)
    throw Error("log_probs must be T x N x C or T x C, but has shape {}", to_string(given.shape()));
  const bool one = given.dim() == 2;
  Tensor log_probs = one ? unsqueeze(given, {.dim = 1}) : given;
  const Shape& s = log_probs.shape();
  const bool rows = labels.dim() == 2;
  if (!rows && labels.dim() != 1)
    throw Error("targets must have 1 or 2 dims, but has shape {}", to_string(labels.shape()));
  if (rows && labels.shape()[0] != s[1])
    throw Error("targets has shape {}, but log_probs has {} sequences", to_string(labels.shape()), s[1]);
  const CtcEach of_each{steps, sizes, op.blank, op.base};
  of_each.check(log_probs, rows ? labels.shape()[1] : labels.numel());
  Tensor targets =
      rows ? narrow(labels, {.dim = 1, .start = 0, .length = longest(sizes)}) : targets_in_rows(labels, sizes);
  Tensor each = Fn<CtcEach>()(log_probs, targets, of_each);
  if (op.zero_infinity) each = masked_fill(each, eq(each, INFINITY), 0);
  if (op.reduction == "mean") {
    Tensor size = reshape(column(sizes, each.device()), {.shape = {s[1]}});
    return mean(div(each, cast_to(clamp(size, 1, Value()), each.dtype())));
  }
  return op.reduction == "none" && one ? reshape(each, {.shape = Shape()}) : reduced(each, op.reduction);
}

Lengths lengths_in(const Value& t, const char* what) {
  check_index_dtype(what, t.dtype());
  if (t.dim() > 1) throw Error("{} must have 1 dim, but has shape {}", what, to_string(t.shape()));
  NoGrad no_grad;
  Tensor here = to_device(reshape(cast_to(t, Dtype::i64), {.shape = {t.numel()}}), {&host()});
  Lengths list(size_t(t.numel()));
  for (size_t i = 0; i < list.size(); ++i) list[i] = double(select(here, {0, int64_t(i)}).item().integer());
  return list;
}
}  // namespace

Tensor CtcLoss::decompose(const Inputs& in) const {
  return ctc(*this, in[0], in[1], lengths_in(in[2], "input_lengths"), lengths_in(in[3], "target_lengths"));
}
Tensor CtcLossLists::decompose(const Inputs& in) const {
  return ctc(loss, in[0], in[1], input_lengths, target_lengths);
}

// ---- cases ---------------------------------------------------------------------------------------------------------

namespace {
template <class T>
Tensor log_values(const Shape& s) {
  Tensor t = Tensor::empty(s, dtype_of<T>, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<T>()[i] = T(double((i * 7 + 3) % 11) * -0.3 - 0.1);
  return t;
}
Tensor normalised(const Shape& s) { return log_softmax(log_values<float>(s), {.dim = -1}); }
}  // namespace

Cases<CtcLoss> CtcLoss::samples() {
  auto flat = [] {
    return Inputs{normalised({5, 2, 4}), sample_integers({3}, {1, 2, 2}), sample_integers({2}, {5, 4}),
                  sample_integers({2}, {1, 2})};
  };
  auto rows = [] {
    return Inputs{normalised({4, 2, 3}), sample_integers({2, 2}, {1, 1, 3, 3}), sample_integers({2}, {4, 1}),
                  sample_integers({2}, {1, 2})};
  };
  const CtcLoss zero{.blank = 1, .reduction = "none", .zero_infinity = true, .base = 1};
  return {{{}, {}, 0, 0, flat}, {zero, {}, 0, 0, rows}};
}
Cases<CtcLossLists> CtcLossLists::samples() {
  const CtcLossLists op{.input_lengths = {5, 4}, .target_lengths = {2, 1}, .loss = {.reduction = "sum"}};
  return {{op, {}, 0, 0, [] { return Inputs{normalised({5, 2, 4}), sample_integers({2, 2}, {1, 1, 3, 0})}; }}};
}
Cases<CtcEach> CtcEach::samples() {
  const CtcEach op{.input_lengths = {5, 4}, .target_lengths = {2, 1}};
  const CtcEach one{.input_lengths = {3}, .target_lengths = {2}, .blank = 2, .base = 1};
  const CtcEach empty{.input_lengths = {3, 0, 2}, .target_lengths = {0, 0, 1}};
  return {{op,
           {},
           0,
           0,
           [] {
             return Inputs{log_values<double>({5, 2, 4}), sample_integers({2, 2}, {1, 1, 3, 0})};
           }},
          {one,
           {},
           0,
           0,
           [] {
             return Inputs{log_values<double>({3, 1, 3}), sample_integers({1, 2}, {2, 1})};
           }},
          {empty, {}, 0, 0, [] {
             return Inputs{log_values<double>({3, 3, 3}), sample_integers({3, 1}, {2, 1, 2})};
           }}};
}

Cases<CtcBackward> CtcBackward::samples() {
  const CtcEach op{.input_lengths = {5, 4}, .target_lengths = {2, 1}};
  return {{{op}, {}, 0, 0, [] {
             Tensor grad = Tensor::empty({2}, Dtype::f64, host());
             grad.data<double>()[0] = 0.7, grad.data<double>()[1] = -1.3;
             return Inputs{grad, log_values<double>({5, 2, 4}), sample_integers({2, 2}, {1, 1, 3, 0})};
           }}};
}

}  // namespace luth::ops
