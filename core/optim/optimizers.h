// The optimizers. Those with a rule have settings, formulas and sources in core/ops/nn/rules.h; the others are made of
// operators.
#pragma once
#include "core/optim/rule_optimizer.h"

namespace luth::optim {

using SGD = RuleOptimizer<ops::SgdRule>;
using Adam = RuleOptimizer<ops::AdamRule>;
using AdamW = RuleOptimizer<ops::AdamWRule>;
using NAdam = RuleOptimizer<ops::NAdamRule>;
using RAdam = RuleOptimizer<ops::RAdamRule>;
using Adamax = RuleOptimizer<ops::AdamaxRule>;
using Lion = RuleOptimizer<ops::LionRule>;
using Adagrad = RuleOptimizer<ops::AdagradRule>;
using Adadelta = RuleOptimizer<ops::AdadeltaRule>;
using RMSprop = RuleOptimizer<ops::RMSpropRule>;
using Rprop = RuleOptimizer<ops::RpropRule>;
using ASGD = RuleOptimizer<ops::ASGDRule>;

/// The rule gives a direction for each parameter; the step along it has the length lr × the parameter's norm.
class LAMB final : public RuleOptimizer<ops::LambRule> {
 public:
  using RuleOptimizer::RuleOptimizer;

 protected:
  void run(const ops::LambRule& settings, const std::vector<Tensor>& params) override;
};

/// Jordan and others, "Muon: an optimizer for hidden layers in neural networks" (2024): the momentum of a matrix,
/// orthogonalised by Newton and Schulz's iteration. The iteration runs in float32, or in the dtype of float64.
struct MuonSpec {
  static constexpr const char* name = "Muon";
  static constexpr const char* brief = "steps along the orthogonalised momentum; for matrices only";
  double lr = 1e-3, weight_decay = 0.1, momentum = 0.95;
  bool nesterov = true;
  std::vector<double> ns_coefficients{3.4445, -4.775, 2.0315};
  double eps = 1e-7;
  int64_t ns_steps = 5;
  std::optional<std::string> adjust_lr_fn;
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("weight_decay", weight_decay, "weight decay apart from the gradient");
    field("momentum", momentum, "decay of the running mean of the gradient");
    field("nesterov", nesterov, "Nesterov momentum");
    field("ns_coefficients", ns_coefficients, "coefficients of the iteration's polynomial");
    field("eps", eps, "the smallest norm to divide by");
    field("ns_steps", ns_steps, "steps of the iteration");
    field("adjust_lr_fn", adjust_lr_fn,
          "how lr depends on the shape: 'original', 'match_rms_adamw' or 'spectral_unclamped'; nil: 'original'");
  }
  void check() const;
};
/// State: momentum_buffer.
class Muon final : public OptimizerOf<MuonSpec> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void check_parameter(const Tensor& p) override;
  void run(const MuonSpec& s, const std::vector<Tensor>& params) override;
};

/// Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost" (2018), in PyTorch's form: lr is
/// the largest relative step, eps_1 bounds the variance from below.
struct AdafactorSpec {
  static constexpr const char* name = "Adafactor";
  static constexpr const char* brief =
      "mean squares of the gradient by rows and columns; steps relative to the weights";
  double lr = 1e-2, beta2_decay = -0.8;
  std::vector<double> eps{-1, 1e-3};
  double d = 1, weight_decay = 0;
  ops::StepFlags flags = {};
  void describe(auto& field) {
    field("lr", lr, "the largest relative step");
    field("beta2_decay", beta2_decay, "the mean squares decay by 1 - step ^ beta2_decay");
    field("eps", eps,
          "the smallest root of a variance (torch.none or -1: the dtype's epsilon), and of a weight's square",
          as::holes);
    field("d", d, "the largest root mean square of an update");
    field("weight_decay", weight_decay, "weight decay apart from the gradient");
    flags.foreach_field(field);
    flags.maximize_field(field);
  }
  void check() const;
};
/// State: step; row_var and col_var of a parameter with two dims or more, variance of others.
class Adafactor final : public OptimizerOf<AdafactorSpec> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  bool shaped_like_parameters() const override { return false; }
  void run(const AdafactorSpec& s, const std::vector<Tensor>& params) override;
};

/// Liu and Nocedal, "On the limited memory BFGS method for large scale optimization" (1989); the strong Wolfe line
/// search of Nocedal and Wright, "Numerical optimization", algorithms 3.5 and 3.6. PyTorch's stopping rules.
struct LBFGSSpec {
  static constexpr const char* name = "LBFGS";
  static constexpr const char* brief = "limited-memory BFGS; step needs a closure, which it calls several times";
  double lr = 1;
  int64_t max_iter = 20;
  std::optional<int64_t> max_eval;
  double tolerance_grad = 1e-7, tolerance_change = 1e-9;
  int64_t history_size = 100;
  std::optional<std::string> line_search_fn;
  bool maximize = false;
  void describe(auto& field) {
    field("lr", lr, "length of a step, or of the first that a line search tries");
    field("max_iter", max_iter, "iterations of one step");
    field("max_eval", max_eval, "calls of the closure in one step; nil: 1.25 max_iter");
    field("tolerance_grad", tolerance_grad, "stops where no element of the gradient is larger");
    field("tolerance_change", tolerance_change, "stops where parameters or loss change less");
    field("history_size", history_size, "how many steps and changes of the gradient are kept");
    field("line_search_fn", line_search_fn, "'strong_wolfe' or nil: steps of length lr");
    field("maximize", maximize, "ascend instead of descend", as::named);
  }
  void check() const;
};
/// State, of the first parameter: d, prev_flat_grad, old_dirs, old_stps, ro; func_evals, n_iter, t, H_diag, prev_loss.
class LBFGS final : public OptimizerOf<LBFGSSpec> {
 public:
  using Optimizer::step;
  using OptimizerOf::OptimizerOf;
  void step(const Closure& closure) override;
  bool needs_closure() const override { return true; }

 protected:
  void check_parameter(const Tensor& p) override;
  bool shaped_like_parameters() const override { return false; }
  void run(const LBFGSSpec& s, const std::vector<Tensor>& params) override;
};

}  // namespace luth::optim
