#include "core/ops/nn/margin_loss.h"

#include "core/ops/common/checks.h"
#include "core/ops/common/chunked.h"
#include "core/ops/common/positions.h"
#include "core/ops/common/sample_tensors.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/smooth_activation.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/nn/loss.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<CosineEmbeddingLoss, HingeEmbeddingLoss, MarginRankingLoss, MultiMarginLoss, MultilabelMarginLoss,
                MultilabelSoftMarginLoss, SoftMarginLoss, TripletMarginLoss>
    define_all_;

Tensor at_least_zero(const Tensor& t) { return clamp(t, 0, Value()); }
// Without what is nan, as PyTorch's losses over classes count it.
Tensor above_zero(const Tensor& t) { return where(gt(t, 0), t, 0); }

/// Inputs of classes as N x C: 0 or 1 dims are one row.
Tensor rows_of_classes(const Tensor& x) {
  if (x.dim() > 2 || (x.dim() == 2 && x.shape()[1] == 0))
    throw Error("input must be N x C or C with classes, but has shape {}", to_string(x.shape()));
  check_floating(x);
  return x.dim() == 2 ? x : reshape(x, {.shape = {1, x.numel()}});
}
/// Row by row results as reduction says; those of an input that is no matrix are one number.
Tensor reduced_rows(const Tensor& each, const Tensor& input, const std::string& reduction) {
  check_reduction(reduction);
  if (reduction == "none" && input.dim() < 2) return reshape(each, {.shape = Shape()});
  return reduced(each, reduction);
}
Tensor distance(const Tensor& a, const Tensor& b, double p, double eps) {
  return norm(add(sub(a, b), eps), {.p = p, .dim = {-1}});
}
/// The largest number of labels of a row, given where they have ended (N x C); C where asking would wait for a device.
int64_t most_labels(const Tensor& ended) {
  if (&ended.device() != &host() || ended.numel() == 0) return ended.shape(1);
  return amax(sum(logical_not(ended), {.dim = {1}})).item().integer();
}
}  // namespace

Tensor CosineEmbeddingLoss::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &y = in[1], &target = in[2];
  const int n = target.dim();
  if (n > 1) throw Error("target must have 1 dim at most, but has shape {}", to_string(target.shape()));
  if (x.dim() != n + 1 || y.dim() != n + 1)
    throw Error("a target of {} dims wants inputs of {} dims, got {} and {}", n, n + 1, to_string(x.shape()),
                to_string(y.shape()));
  const double eps = 1e-12;
  auto total = [&](const Tensor& t) { return sum(t, {.dim = {n}}); };
  Tensor size = sqrt(mul(add(total(mul(x, x)), eps), add(total(mul(y, y)), eps)));
  Tensor cosine = div(total(mul(x, y)), size);
  Tensor together = where(eq(target, 1), sub(1, cosine), 0);
  Tensor apart = where(eq(target, -1), at_least_zero(sub(cosine, margin)), 0);
  return reduced(add(together, apart), reduction);
}
Tensor HingeEmbeddingLoss::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &target = in[1];
  Tensor lack = where(ne(target, 1), at_least_zero(sub(margin, x)), 0);
  return reduced(add(lack, where(ne(target, -1), x, 0)), reduction);
}
Tensor MarginRankingLoss::decompose(const Inputs& in) const {
  if (in[0].dim() != in[1].dim() || in[0].dim() != in[2].dim())
    throw Error("inputs and target must have as many dims, got {}, {} and {}", to_string(in[0].shape()),
                to_string(in[1].shape()), to_string(in[2].shape()));
  return reduced(at_least_zero(add(mul(neg(in[2]), sub(in[0], in[1])), margin)), reduction);
}

void MultiMarginLoss::check() const {
  if (p != 1 && p != 2) throw Error("p must be 1 or 2, not {}", p);
}
Tensor MultiMarginLoss::decompose(const Inputs& in) const {
  check();
  check_index_dtype("target", in[1].dtype());
  Tensor x = rows_of_classes(in[0]);
  const int64_t n = x.shape()[0], classes = x.shape()[1];
  if (in[1].numel() != n || in[1].dim() > 1)
    throw Error("target has shape {}, but input of shape {} wants {} labels", to_string(in[1].shape()),
                to_string(in[0].shape()), n);
  if (in[2] && !(in[2].shape() == Shape{classes}))
    throw Error("weight has shape {}; it needs a number for each of {} classes", to_string(in[2].shape()), classes);
  Tensor target = reshape(in[1], {.shape = {n, 1}});
  Tensor own = gather(x, target, {.dim = 1, .base = base});
  Tensor lack = above_zero(sub(add(x, margin), own));
  Tensor each = masked_fill(lack, eq(add(counting(classes, x.device()), base), target), 0);
  if (p == 2) each = square(each);
  if (in[2])
    each = mul(each,
               unsqueeze(index_select(in[2], reshape(target, {.shape = {n}}), {.dim = 0, .base = base}), {.dim = 1}));
  return reduced_rows(div(sum(each, {.dim = {1}}), double(classes)), in[0], reduction);
}

Tensor MultilabelMarginLoss::decompose(const Inputs& in) const {
  check_index_dtype("target", in[1].dtype());
  if (!(in[0].shape() == in[1].shape()))
    throw Error("input has shape {} and target {}; they must be the same", to_string(in[0].shape()),
                to_string(in[1].shape()));
  Tensor x = rows_of_classes(in[0]);
  const int64_t n = x.shape()[0], classes = x.shape()[1];
  Tensor target = reshape(in[1], {.shape = x.shape()});
  Tensor ended = gt(cumsum(lt(target, 0), {.dim = 1}), 0);  // from the first negative number on
  Tensor labels = masked_fill(target, ended, base);
  Tensor own = gather(x, labels, {.dim = 1, .base = base});
  Tensor listed = gt(scatter_add(zeros({n, classes}, Dtype::i64, x.device()), labels,
                                 cast_to(logical_not(ended), Dtype::i64), {.dim = 1, .base = base}),
                     0);
  // The pairs N x label x class, some labels at a time; a label that is listed counts, with a class that is not.
  auto pairs = [=](int64_t begin, int64_t end) {
    auto some = [&](const Tensor& t) { return unsqueeze(slice(t, {1, begin, end, 1}), {.dim = 2}); };
    Tensor out = logical_or(some(ended), unsqueeze(listed, {.dim = 1}));
    Tensor lack = above_zero(sub(add(unsqueeze(x, {.dim = 1}), 1), some(own)));
    return sum(masked_fill(lack, out, 0), {.dim = {1, 2}});
  };
  const Tensors sums = in_slices(most_labels(ended), double(n) * double(classes), {x, own}, pairs);
  Tensor each = div(sums.size() == 1 ? sums[0] : sum(stack(sums, {1}), {.dim = {1}}), double(classes));
  return reduced_rows(reshape(each, {.shape = {n}}), in[0], reduction);
}
Tensor MultilabelSoftMarginLoss::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &target = in[1];
  if (x.dim() == 0) throw Error("input needs a dim of labels, but is 0-dimensional");
  Tensor each = logit_cross_entropy(x, target);
  if (in[2]) each = mul(each, in[2]);
  const int last = x.dim() - 1;
  return reduced(div(sum(each, {.dim = {last}}), double(x.shape()[last])), reduction);
}
Tensor SoftMarginLoss::decompose(const Inputs& in) const {
  Tensor product = mul(in[1], in[0]);
  if (!(product.shape() == in[0].shape()))
    throw Error("target of shape {} does not fit input of shape {}", to_string(in[1].shape()),
                to_string(in[0].shape()));
  return reduced(neg(log_sigmoid(product)), reduction);
}

void TripletMarginLoss::check() const {
  if (!(margin > 0)) throw Error("margin must be above 0, not {}", margin);
}
Tensor TripletMarginLoss::decompose(const Inputs& in) const {
  check();
  const Tensor &anchor = in[0], &positive = in[1], &negative = in[2];
  if (anchor.dim() != positive.dim() || anchor.dim() != negative.dim())
    throw Error("anchor, positive and negative must have as many dims, got {}, {} and {}", to_string(anchor.shape()),
                to_string(positive.shape()), to_string(negative.shape()));
  Tensor near = distance(anchor, positive, p, eps), far = distance(anchor, negative, p, eps);
  if (swap) far = minimum(far, distance(positive, negative, p, eps));
  return reduced(at_least_zero(sub(add(near, margin), far)), reduction);
}

// ---- cases ---------------------------------------------------------------------------------------------------------

namespace {
Tensor other_values(const Shape& s) {
  return sample_of(s, [](int64_t i) { return double((i * 5 + 2) % 13) * 0.17 - 1.03; });
}
/// 1, -1, -1, 1, -1, -1, … as integers, so that no gradient is asked for.
Tensor signs(const Shape& s) {
  return sample_of(s, [](int64_t i) { return int64_t(i % 3 ? -1 : 1); });
}
/// Inputs of `make` with the settings of each of `ops`.
template <class Op>
Cases<Op> cases_of(Inputs (*make)(), std::initializer_list<Op> ops) {
  Cases<Op> all;
  for (auto& op : ops) all.push_back({op, {}, 0, 0, make});
  return all;
}
}  // namespace

Cases<CosineEmbeddingLoss> CosineEmbeddingLoss::samples() {
  auto batch = [] { return Inputs{sample_values({3, 4}, 0.2, -0.97), other_values({3, 4}), signs({3})}; };
  auto one = [] { return Inputs{sample_values({4}, 0.2, -0.97), other_values({4}), signs({})}; };
  return {{{}, {}, 0, 0, batch},
          {{.margin = -0.5, .reduction = "none"}, {}, 0, 0, batch},
          {{.reduction = "sum"}, {}, 0, 0, one}};
}
Cases<HingeEmbeddingLoss> HingeEmbeddingLoss::samples() {
  return cases_of<HingeEmbeddingLoss>(
      [] {
        return Inputs{sample_values({2, 3}, 0.2, -0.97), signs({2, 3})};
      },
      {{}, {.margin = 0.5, .reduction = "sum"}, {.reduction = "none"}});
}
Cases<MarginRankingLoss> MarginRankingLoss::samples() {
  return cases_of<MarginRankingLoss>(
      [] {
        return Inputs{sample_values({2, 3}, 0.2, -0.97), other_values({2, 3}), signs({2, 3})};
      },
      {{}, {.margin = 0.3, .reduction = "sum"}, {.reduction = "none"}});
}
Cases<MultiMarginLoss> MultiMarginLoss::samples() {
  auto batch = [] { return Inputs{sample_values({3, 4}, 0.2, -0.97), sample_integers({3}, {0, 3, 1}), Value()}; };
  auto weighted = [] {
    return Inputs{sample_values({3, 4}, 0.2, -0.97), sample_integers({3}, {0, 3, 1}), sample_values({4}, 0.2, -0.97)};
  };
  auto single = [] { return Inputs{sample_values({4}, 0.2, -0.97), sample_integers({}, {4}), Value()}; };
  return {{{}, {}, 0, 0, batch},
          {{.p = 2, .margin = 0.55, .reduction = "none"}, {}, 0, 0, weighted},
          {{.base = 1}, {}, 0, 0, single}};
}
Cases<MultilabelMarginLoss> MultilabelMarginLoss::samples() {
  auto batch = [] { return Inputs{sample_values({2, 3}, 0.2, -0.97), sample_integers({2, 3}, {2, 0, -1, 1, -1, 0})}; };
  auto single = [] { return Inputs{sample_values({3}, 0.2, -0.97), sample_integers({3}, {3, -1, 2})}; };
  return {{{}, {}, 0, 0, batch}, {{.reduction = "none"}, {}, 0, 0, batch}, {{.base = 1}, {}, 0, 0, single}};
}
Cases<MultilabelSoftMarginLoss> MultilabelSoftMarginLoss::samples() {
  auto plain = [] { return Inputs{sample_values({3, 2}, 0.2, -0.97), other_values({3, 2}), Value()}; };
  auto weighted = [] {
    return Inputs{sample_values({3, 2}, 0.2, -0.97), other_values({3, 2}), sample_values({2}, 0.2, -0.97)};
  };
  return {{{}, {}, 0, 0, plain}, {{.reduction = "none"}, {}, 0, 0, weighted}};
}
Cases<SoftMarginLoss> SoftMarginLoss::samples() {
  return {{{}, {{2, 3}, {2, 3}}}, {{.reduction = "none"}, {{3}, {3}}}, {{.reduction = "sum"}, {{}, {}}}};
}
Cases<TripletMarginLoss> TripletMarginLoss::samples() {
  return cases_of<TripletMarginLoss>(
      [] {
        return Inputs{sample_values({3, 4}, 0.2, -0.97), other_values({3, 4}), sample_values({3, 4}, 0.31, -0.97)};
      },
      {{}, {.swap = true, .reduction = "sum"}, {.margin = 2, .p = 3, .reduction = "none"}});
}

}  // namespace luth::ops
