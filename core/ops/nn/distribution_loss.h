// Losses that are negated log-likelihoods of a distribution whose parameters are predicted. See op.h for the recipe;
// written in other operators. Formulas as in PyTorch's documentation.
#pragma once
#include "core/ops/nn/reduction.h"

namespace luth::ops {

struct PoissonNllLoss {
  static constexpr Doc doc{"poisson_nll_loss", "input, target",
                           "The negated log-likelihood of counts (target) under Poisson distributions of rate "
                           "exp(input), without its constant."};
  static constexpr Traits traits{.order = "input, target, log_input, full, eps, reduction",
                                 .offered = Offered::function,
                                 .autocast = Autocast::f32};
  bool log_input = true, full = false;
  double eps = 1e-8;
  std::string reduction = "mean";
  void describe(auto& field) {
    field("log_input", log_input, "whether input holds logarithms of rates; false: rates");
    field("full", full, "add Stirling's approximation of log(target!) for targets above 1");
    field("eps", eps, "added to rates before their logarithm is taken");
    describe_reduction(field, reduction);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<PoissonNllLoss> samples();
};
/// var: input's shape, or without its last dim, or with extent 1 there.
struct GaussianNllLoss {
  static constexpr Doc doc{"gaussian_nll_loss", "input, target, var|number",
                           "The negated log-likelihood of target under normal distributions of mean input and variance "
                           "var, without its constant."};
  static constexpr Traits traits{.offered = Offered::functional};
  bool full = false;
  double eps = 1e-6;
  std::string reduction = "mean";
  void describe(auto& field) {
    field("full", full, "add the constant, log(2 pi) / 2");
    field("eps", eps, "variances below it count as it");
    describe_reduction(field, reduction);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<GaussianNllLoss> samples();
};

}  // namespace luth::ops
