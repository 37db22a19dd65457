// Random tensors. Every number is a function of (seed, offset, element), the same on every device and for any number of
// threads: see core/math/philox.h. Elements count in row-major order. Normal numbers come in pairs by Box and Muller's
// formula
// ("A note on the generation of random normal deviates", 1958): elements 2 j and 2 j + 1 are r cos t and r sin t with
// r = sqrt(-2 ln((a + 1) / 2^32)), t = 2 pi b, a and b being their words (for float64: 53 bits of two words each).
#pragma once
#include "core/ops/create/factory.h"

namespace luth::ops {

/// The base of fills: `op_` alone exists, and the old elements have no influence.
struct RandomFill {
  static constexpr Traits family{.offered = Offered::method, .inplace = Inplace::only, .overwrites = true},
      traits = family;
  PhiloxState philox{};
  Tensors vjp(const Call&, const Tensor&) const { return {Tensor()}; }
};
struct UniformFill : RandomFill {
  static constexpr Doc doc{"uniform", "input", "Fills with numbers from [from, to), all equally likely."};
  double from = 0, to = 1;
  void describe(auto& field) {
    field("from", from, "the least number");
    field("to", to, "numbers stay below it");
  }
  Spec infer(const Inputs& in) const;
  static Cases<UniformFill> samples() { return {{{}, {{2, 3}}}}; }
};
struct NormalFill : RandomFill {
  static constexpr Doc doc{"normal", "input", "Fills with normally distributed numbers."};
  double mean = 0, std = 1;
  void describe(auto& field) {
    field("mean", mean, "the mean");
    field("std", std, "the standard deviation");
  }
  Spec infer(const Inputs& in) const;
  static Cases<NormalFill> samples() { return {{{}, {{2, 3}}}}; }
};
struct ExponentialFill : RandomFill {
  static constexpr Doc doc{"exponential", "input", "Fills with exponentially distributed numbers of rate lambd."};
  double lambd = 1;
  void describe(auto& field) { field("lambd", lambd, "the rate, one over the mean"); }
  Spec infer(const Inputs& in) const;
  static Cases<ExponentialFill> samples() { return {{{}, {{2, 3}}}}; }
};
struct BernoulliFill : RandomFill {
  static constexpr Doc doc{"bernoulli.fill", "input", "Fills with 1 with probability p, else 0."};
  double p = 0.5;
  void describe(auto& field) { field("p", p, "the probability of 1"); }
  Spec infer(const Inputs& in) const;
  static Cases<BernoulliFill> samples() { return {{{}, {{2, 3}}}}; }
};
struct RandomIntegers : RandomFill {
  static constexpr Doc doc{"random.between", "input", "Fills with integers from [from, to), all equally likely."};
  int64_t from = 0;
  std::optional<int64_t> to{};
  void describe(auto& field) {
    field("from", from, "the least integer", as::required);
    field("to", to, "integers stay below it; nil: as many as the dtype holds exactly");
  }
  Spec infer(const Inputs& in) const;
  static Cases<RandomIntegers> samples() { return {{{.from = -3, .to = 7}, {{2, 3}}}, {{}, {{2, 3}}}}; }
};

struct Bernoulli {
  static constexpr Doc doc{"bernoulli", "input", "1 with the probability that input gives, else 0."};
  static constexpr Traits traits{.casts_out = true};
  PhiloxState philox{};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call&, const Tensor&) const { return {Tensor()}; }
  static Cases<Bernoulli> samples() { return {{{}, {{2, 3}}, 0, 1}}; }
};
struct NormalPairs {
  static constexpr Doc doc{"normal.pairs", "mean|number, std|number?",
                           "Normal numbers, each with its own mean and std."};
  static constexpr Traits traits{.offered = Offered::function, .casts_out = true, .takes_generator = true};
  Tensor decompose(const Inputs& in) const;
  static Cases<NormalPairs> samples() { return {{{}, {{2, 3}, {3}}, 0.5, 1}}; }
};
struct NormalSize : Constant, Options {
  static constexpr Doc doc{"normal.size", "", "A tensor of normal numbers."};
  static constexpr Traits traits =
      family.with({.offered = Offered::function, .factory = true, .takes_generator = true});
  double mean = 0, std = 1;
  Ints size;
  void describe(auto& field) {
    field("mean", mean, "the mean", as::required);
    field("std", std, "the standard deviation", as::required);
    field("size", size, "the shape", as::sizes | as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<NormalSize> samples();
};

struct RandFill {
  static constexpr std::string_view name = "rand", brief = "A tensor of numbers from [0, 1), all equally likely.";
  static constexpr Traits traits{.takes_generator = true};
  void describe(auto&) {}
  Dtype natural() const { return default_dtype(); }
  void fill(const Tensor& t) const;
};
struct RandnFill {
  static constexpr std::string_view name = "randn", brief = "A tensor of normal numbers with mean 0 and deviation 1.";
  static constexpr Traits traits{.takes_generator = true};
  void describe(auto&) {}
  Dtype natural() const { return default_dtype(); }
  void fill(const Tensor& t) const;
};

struct Randint : Constant, Options {
  static constexpr Doc doc{"randint", "", "A tensor of integers from [0, high), all equally likely."};
  static constexpr Traits traits =
      family.with({.offered = Offered::function, .factory = true, .takes_generator = true});
  int64_t high = 1;
  Ints size;
  void describe(auto& field) {
    field("high", high, "integers stay below it", as::required);
    field("size", size, "the shape", as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Randint> samples();
};
struct RandintLow : Constant, Options {
  static constexpr Doc doc{"randint.low", "", "A tensor of integers from [low, high), all equally likely."};
  static constexpr Traits traits =
      family.with({.offered = Offered::function, .factory = true, .takes_generator = true});
  int64_t low = 0, high = 1;
  Ints size;
  void describe(auto& field) {
    field("low", low, "the least integer", as::required);
    field("high", high, "integers stay below it", as::required);
    field("size", size, "the shape", as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<RandintLow> samples();
};
struct RandintLike : Constant, Options {
  static constexpr Doc doc{"randint_like", "input", "Integers from [0, high) in the shape, dtype and device of input."};
  static constexpr Traits traits =
      family.with({.offered = Offered::function, .factory = true, .takes_generator = true});
  int64_t high = 1;
  void describe(auto& field) {
    field("high", high, "integers stay below it", as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<RandintLike> samples();
};
struct RandintLikeLow : Constant, Options {
  static constexpr Doc doc{"randint_like.low", "input",
                           "Integers from [low, high) in the shape, dtype and device of input."};
  static constexpr Traits traits =
      family.with({.offered = Offered::function, .factory = true, .takes_generator = true});
  int64_t low = 0, high = 1;
  void describe(auto& field) {
    field("low", low, "the least integer", as::required);
    field("high", high, "integers stay below it", as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<RandintLikeLow> samples();
};
/// Sorts random words, so that the order does not depend on threads.
struct Randperm : Constant, Options {
  static constexpr Doc doc{"randperm", "", "The n first positions in random order."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  int64_t n = 0;
  int base = 0;
  PhiloxState philox{};
  void describe(auto& field) {
    field("n", n, "how many", as::required);
    describe_options(field);
    field("base", base, "from where positions count", as::base);
  }
  Spec infer(const Inputs& in) const;
  static Cases<Randperm> samples();
};

// ---- dropout -------------------------------------------------------------------------------------------------------

struct Dropout {
  static constexpr Doc doc{"dropout", "input",
                           "In training, each element 0 with probability p, and the rest / (1 - p)."};
  static constexpr Traits traits{.offered = Offered::function, .inplace = Inplace::also};
  double p = 0.5;
  bool training = true;
  void describe(auto& field) {
    field("p", p, "the probability of 0");
    field("training", training, "false: the input as it is");
  }
  void check() const;  // throws for a p that is no probability
  bool identity() const { return !training || p == 0; }
  Tensor decompose(const Inputs& in) const;
  static Cases<Dropout> samples();
};
/// The gradient is the same operator with the same random numbers.
struct NativeDropout {
  static constexpr Doc doc{"native_dropout", "input", "Dropout in training."};
  static constexpr Traits traits{.internal = true, .kernel_required = true};
  double p = 0.5;
  PhiloxState philox{};
  void describe(auto& field) {
    field("p", p, "the probability of 0");
    field("seed", philox.seed, "of the random numbers", as::hidden);
    field("offset", philox.offset, "of the random numbers", as::hidden);
    field("set", philox.set, "whether seed and offset are given", as::hidden);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<NativeDropout> samples() { return {{{}, {{3, 4}}}, {{.p = 0.2}, {{2, 2, 2}}}}; }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::UniformFill> uniform;          // uniform.into(t, {{}, from, to})
inline constexpr Fn<ops::NormalFill> normal;            // normal.into(t, …)
inline constexpr Fn<ops::ExponentialFill> exponential;  // the same
inline constexpr Fn<ops::BernoulliFill> bernoulli_fill;
inline constexpr Fn<ops::RandomIntegers> random_integers;
inline constexpr Fn<ops::Bernoulli> bernoulli;
inline constexpr Fn<ops::Randperm> randperm;
inline constexpr Fn<ops::Dropout> dropout;
inline constexpr Fn<ops::NativeDropout> native_dropout;
Tensor rand(const Shape& size, Dtype dtype = default_dtype(), Device& device = default_device());
Tensor randn(const Shape& size, Dtype dtype = default_dtype(), Device& device = default_device());
Tensor randint(int64_t low, int64_t high, const Shape& size, Dtype dtype = Dtype::i64,
               Device& device = default_device());
}  // namespace luth
