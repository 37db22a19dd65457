// Further distributions: fills made of those of random.h, and draws whose probabilities are in a tensor. See op.h for
// the recipe of operators, random.h for how random words become numbers.
#pragma once
#include "core/ops/random/random.h"

namespace luth::ops {

/// The base of fills without kernels: `op_` alone exists, and the old elements have no influence.
struct ComposedFill {
  static constexpr Traits family{.offered = Offered::method, .inplace = Inplace::only}, traits = family;
  Tensors vjp(const Call& c, const Tensor&) const { return Tensors(c.in.size()); }
};
struct GeometricFill : ComposedFill {
  static constexpr Doc doc{"geometric", "input", "Fills with how many trials the first success takes, 1 or more."};
  static constexpr Traits traits = family.with({.takes_generator = true});
  double p = 0.5;
  void describe(auto& field) { field("p", p, "the probability of success, above 0 and below 1", as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<GeometricFill> samples() { return {{{}, {{2, 3}}}}; }
};
struct CauchyFill : ComposedFill {
  static constexpr Doc doc{"cauchy", "input", "Fills with numbers of the Cauchy distribution."};
  static constexpr Traits traits = family.with({.takes_generator = true});
  double median = 0, sigma = 1;
  void describe(auto& field) {
    field("median", median, "the median");
    field("sigma", sigma, "half the distance between the quartiles");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<CauchyFill> samples() { return {{{}, {{2, 3}}}}; }
};
struct LogNormalFill : ComposedFill {
  static constexpr Doc doc{"log_normal", "input", "Fills with numbers whose logarithms are normally distributed."};
  static constexpr Traits traits = family.with({.takes_generator = true});
  double mean = 1, std = 2;
  void describe(auto& field) {
    field("mean", mean, "the mean of the logarithms");
    field("std", std, "their standard deviation");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<LogNormalFill> samples() { return {{{}, {{2, 3}}}}; }
};
/// random_(), random_(to); random_(from, to) is RandomIntegers.
struct RandomAll : ComposedFill {
  static constexpr Doc doc{"random", "input",
                           "Fills with integers from 0 to the largest that the dtype holds exactly."};
  static constexpr Traits traits = family.with({.takes_generator = true});
  Tensor decompose(const Inputs& in) const;
  static Cases<RandomAll> samples() { return {{{}, {{2, 3}}}}; }
};
struct RandomBelow : ComposedFill {
  static constexpr Doc doc{"random.below", "input", "Fills with integers from [0, to), all equally likely."};
  static constexpr Traits traits = family.with({.takes_generator = true});
  int64_t to = 1;
  void describe(auto& field) { field("to", to, "integers stay below it", as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<RandomBelow> samples();
};
struct BernoulliFillEach : ComposedFill {
  static constexpr Doc doc{"bernoulli.each", "input, p", "Fills with 1 with the probability that p gives, else 0."};
  static constexpr Traits traits = family.with({.takes_generator = true});
  Tensor decompose(const Inputs& in) const;
  static Cases<BernoulliFillEach> samples() { return {{{}, {{2, 3}, {3}}, 0, 1}}; }
};
struct BernoulliLike {
  static constexpr Doc doc{"bernoulli.like", "input", "1 with probability p, else 0, in input's shape and dtype."};
  static constexpr Traits traits{.takes_generator = true};
  double p = 0.5;
  void describe(auto& field) { field("p", p, "the probability of 1", as::required); }
  Tensors vjp(const Call&, const Tensor&) const { return {Tensor()}; }
  Tensor decompose(const Inputs& in) const;
  static Cases<BernoulliLike> samples() { return {{{}, {{2, 3}}}}; }
};

/// Element i draws from an endless sequence of random words of its own (Endless in core/math/draw.h).
struct Poisson {
  static constexpr Doc doc{"poisson", "input", "Poisson distributed numbers, of the rates that input holds."};
  static constexpr Traits traits{.offered = Offered::function};
  PhiloxState philox{};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call&, const Tensor&) const { return {Tensor()}; }
  static Cases<Poisson> samples() { return {{{}, {{2, 3}}, 0, 30}}; }
};

/// Element i draws from an endless sequence of random words, as in Poisson.
struct Binomial {
  static constexpr Doc doc{"binomial", "count, prob",
                           "How many of count trials succeed, each with probability prob: float32 or float64."};
  static constexpr Traits traits{.offered = Offered::function, .broadcast = true};
  PhiloxState philox{};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call&, const Tensor&) const { return {Tensor(), Tensor()}; }
  static Cases<Binomial> samples();
};

/// input: weights of C classes, or N rows of them. Without replacement: the classes with the largest weight over an
/// exponential random number. With replacement: by cumulative sums of the weights.
struct Multinomial {
  static constexpr Doc doc{"multinomial", "input", "Positions drawn with the weights of each row as chances."};
  static constexpr Traits traits{.not_differentiable = "its result is positions", .takes_generator = true};
  int64_t num_samples = 1;
  bool replacement = false;
  int base = 0;
  void describe(auto& field) {
    field("num_samples", num_samples, "how many of each row", as::required);
    field("replacement", replacement, "whether a position may come again");
    field("base", base, "from where positions count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Multinomial> samples();
};
/// sums: N x C, cumulative sums of weights; at: N x n, each from 0 to below the last sum.
struct MultinomialPick {
  static constexpr Doc doc{"multinomial.pick", "sums, at", "The first position of each row whose sum is above `at`."};
  static constexpr Traits traits{.not_differentiable = "its result is positions", .internal = true};
  int base = 0;
  void describe(auto& field) { field("base", base, "from where positions count", as::base); }
  Spec infer(const Inputs& in) const;
  static Cases<MultinomialPick> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Poisson> poisson;
inline constexpr Fn<ops::Multinomial> multinomial;
}  // namespace luth
