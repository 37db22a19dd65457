#include "core/ops/random/distributions.h"

#include <array>
#include <cmath>

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/mask.h"
#include "core/ops/index/sort.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<GeometricFill, CauchyFill, LogNormalFill, RandomAll, RandomBelow, BernoulliFillEach, BernoulliLike,
                Poisson, Binomial, Multinomial, MultinomialPick>
    define_all_;

Tensor empty_like(const Tensor& x) { return Tensor::empty(x.shape(), x.dtype(), x.device()); }
/// Uniform in (0, 1], in float64.
Tensor uniform_above_zero(const Tensor& like) { return sub(1, luth::rand(like.shape(), Dtype::f64, like.device())); }
}  // namespace

Tensor GeometricFill::decompose(const Inputs& in) const {
  if (!(p > 0 && p < 1)) throw Error("p must be above 0 and below 1, not {}", p);
  if (in[0].dtype() == Dtype::boolean) throw Error("wants a dtype of numbers, got bool");
  NoGrad no_grad;
  Tensor trials = ceil(div(log(uniform_above_zero(in[0])), std::log1p(-p)));
  return cast_to(clamp(trials, 1, Value()), in[0].dtype());
}
Tensor CauchyFill::decompose(const Inputs& in) const {
  if (!(sigma > 0)) throw Error("sigma must be above 0, not {}", sigma);
  check_floating(in[0]);
  NoGrad no_grad;
  Tensor angle = mul(sub(uniform_above_zero(in[0]), 0.5), 3.141592653589793);
  return cast_to(add(mul(div(sin(angle), cos(angle)), sigma), median), in[0].dtype());
}
Tensor LogNormalFill::decompose(const Inputs& in) const {
  if (!(std > 0)) throw Error("std must be above 0, not {}", std);
  check_floating(in[0]);
  NoGrad no_grad;
  const Dtype wide = in[0].dtype() == Dtype::f64 ? Dtype::f64 : Dtype::f32;
  NormalFill op;
  op.mean = mean;
  op.std = std;
  return cast_to(exp(normal.into(Tensor::empty(in[0].shape(), wide, in[0].tensor().device()), op)), in[0].dtype());
}
Tensor RandomAll::decompose(const Inputs& in) const {
  NoGrad no_grad;
  return random_integers.into(empty_like(in[0]));
}
Tensor RandomBelow::decompose(const Inputs& in) const {
  if (to < 1) throw Error("to must be above 0, not {}", to);
  NoGrad no_grad;
  RandomIntegers op;
  op.to = to;
  return random_integers.into(empty_like(in[0]), op);
}
Tensor BernoulliFillEach::decompose(const Inputs& in) const {
  NoGrad no_grad;
  return cast_to(bernoulli(expand_to(in[1].tensor().detach(), in[0].shape())), in[0].dtype());
}
Tensor BernoulliLike::decompose(const Inputs& in) const {
  NoGrad no_grad;
  BernoulliFill op;
  op.p = p;
  return bernoulli_fill.into(empty_like(in[0]), op);
}

Spec Poisson::infer(const Inputs& in) const {
  check_floating(in[0]);
  return {in[0].shape(), in[0].dtype()};
}

Spec Binomial::infer(const Inputs& in) const {
  for (auto* v : {&in[0], &in[1]})
    if (v->dtype() != Dtype::f32 && v->dtype() != Dtype::f64)
      throw Error("wants float32 or float64, got {}", name(v->dtype()));
  check_same_dtype("count", in[0], "prob", in[1]);
  return {in[0].shape(), in[0].dtype()};
}
// Counts between integers, at which the number of trials changes.
Cases<Binomial> Binomial::samples() {
  return {{{}, {}, 0, 0, [] {
             return Inputs{Tensor::from<double>({2, 1}, std::array{7.5, 300.5}.data()),
                           Tensor::from<double>({3}, std::array{0.25, 0.3, 0.8}.data())};
           }}};
}

// ---- multinomial ---------------------------------------------------------------------------------------------------

namespace {
void check_weights(const Multinomial& op, const Tensor& weights) {
  const Shape& s = weights.shape();
  if (s.size() != 1 && s.size() != 2) throw Error("input must have 1 or 2 dims, but has shape {}", to_string(s));
  check_floating(weights);
  const int64_t classes = s.back();
  if (op.num_samples < 1) throw Error("num_samples must be at least 1, not {}", op.num_samples);
  if (classes == 0) throw Error("input has no classes: its shape is {}", to_string(s));
  if (!op.replacement && op.num_samples > classes)
    throw Error("cannot draw {} of {} classes without replacement", op.num_samples, classes);
  if (!is_readable(weights)) return;
  const double least = amin(weights).item().value();
  Tensor some = sum(cast_to(ne(weights, 0), Dtype::i64), {.dim = {-1}});
  const double total = sum(cast_to(weights, Dtype::f64)).item().value();
  if (!(least >= 0) || !std::isfinite(total)) throw Error("input must hold no negative number, infinity or nan");
  const int64_t fewest = amin(some).item().integer();
  if (fewest < (op.replacement ? 1 : op.num_samples))
    throw Error("a row of input has {} weights above 0; {} are needed", fewest, op.replacement ? 1 : op.num_samples);
}
}  // namespace

Spec MultinomialPick::infer(const Inputs& in) const {
  if (in[0].dtype() != in[1].dtype())
    throw Error("wants one dtype, got {} and {}", name(in[0].dtype()), name(in[1].dtype()));
  return {in[1].shape(), Dtype::i64};
}
Tensor Multinomial::decompose(const Inputs& in) const {
  NoGrad no_grad;
  Tensor given = in[0].tensor().detach();
  check_weights(*this, given);
  const bool one = given.dim() == 1;
  Tensor weights = cast_to(one ? unsqueeze(given, {.dim = 0}) : given, Dtype::f64), at;
  const int64_t rows = weights.shape()[0], classes = weights.shape()[1];
  if (replacement) {
    Tensor sums = cumsum(weights, {.dim = 1});
    Tensor total = narrow(sums, {.dim = 1, .start = classes - 1, .length = 1});
    at = Fn<MultinomialPick>()(sums, mul(luth::rand({rows, num_samples}, Dtype::f64, weights.device()), total), {base});
  } else {
    Tensor race = div(weights, clamp(neg(log(uniform_above_zero(weights))), 1e-300, Value()));
    TopK first;
    first.k = num_samples;
    first.dim = 1;
    first.base = base;
    at = topk(race, first)[1];
  }
  return one ? squeeze(at, {Ints{0}}) : at;
}

// ---- cases ---------------------------------------------------------------------------------------------------------

Cases<RandomBelow> RandomBelow::samples() {
  RandomBelow op;
  op.to = 5;
  return {{op, {{2, 3}}}};
}
Cases<Multinomial> Multinomial::samples() {
  return {{{.num_samples = 2}, {{2, 3}}, 0.1, 1}, {{.num_samples = 5, .replacement = true, .base = 1}, {{3}}, 0.1, 1}};
}
Cases<MultinomialPick> MultinomialPick::samples() {
  auto make = [] {
    const double sums[] = {1, 1, 3, 0, 2, 2}, at[] = {0, 1, 2.9, 1.9};
    return Inputs{Tensor::from({2, 3}, sums), Tensor::from({2, 2}, at)};
  };
  return {{{}, {}, 0, 0, make}, {{.base = 1}, {}, 0, 0, make}};
}

}  // namespace luth::ops
