// Update rules of optimizers: settings, and the new value of one element of a parameter and of its state. C is the type
// to compute in; v[0] is the parameter, v[1] its gradient, then come the tensors that state() names. The names of
// settings and state are PyTorch's.
#pragma once
#include <algorithm>
#include <array>

#include "core/ops/nn/step.h"

namespace luth::ops {

/// Stochastic gradient descent, with momentum (Sutskever and others, 2013; PyTorch's form) and Nesterov's variant.
struct SgdRule {
  static constexpr const char* name = "SGD";
  static constexpr Doc doc{"_sgd_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "stochastic gradient descent, with momentum";
  static constexpr int least = 2, most = 3;
  static constexpr bool counts = false;  // keeps no number of steps
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
  StepFlags flags = {};
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("momentum", momentum, "momentum factor");
    field("dampening", dampening, "dampening of the momentum");
    field("weight_decay", weight_decay, "L2 penalty");
    field("nesterov", nesterov, "Nesterov momentum");
    flags.maximize_field(field);
    flags.foreach_field(field);
    flags.differentiable_field(field);
    flags.fused_field(field);
  }
  void check() const {
    check_setting("lr", lr);
    check_setting("momentum", momentum);
    check_setting("weight_decay", weight_decay);
    if (nesterov && (momentum <= 0 || dampening != 0))
      throw Error("nesterov momentum needs a momentum above 0 and no dampening");
    flags.check();
  }
  StateNames state() const {
    if (momentum == 0) return {};
    return {"momentum_buffer"};
  }
  static std::vector<SgdRule> variants();

  template <class C>
  struct Update {
    C lr, momentum, keep, decay, sign;
    bool nesterov, first;
    Update(const SgdRule& s, const StepMoment& at)
        : lr(C(s.lr)),
          momentum(C(s.momentum)),
          keep(C(1 - s.dampening)),
          decay(C(s.weight_decay)),
          sign(s.flags.sign<C>()),
          nesterov(s.nesterov),
          first(at.first) {}
    template <int n>
    LUTH_HD void operator()(C (&v)[n]) const {
      C g = sign * v[1] + decay * v[0];
      if constexpr (n == 3) {  // the first buffer is the gradient, without dampening
        v[2] = first ? g : momentum * v[2] + keep * g;
        g = nesterov ? g + momentum * v[2] : v[2];
      }
      v[0] -= lr * g;
    }
  };
};

// ---- Running means of the gradient and of its square --------------------------------------------------------------

void describe_moments(auto& rule, auto& field) {
  field("lr", rule.lr, "learning rate");
  field("betas", rule.betas, "decay of the running means of the gradient and of its square");
  field("eps", rule.eps, "added to the denominator");
  field("weight_decay", rule.weight_decay, "weight decay");
}
void check_moments(const auto& rule) {
  check_setting("lr", rule.lr);
  check_setting("eps", rule.eps);
  check_setting("weight_decay", rule.weight_decay);
  check_betas(rule.betas);
  rule.flags.check();
}
void decoupled_field(auto& rule, auto& field, unsigned mark) {
  field("decoupled_weight_decay", rule.decoupled_weight_decay, "weight decay apart from the gradient, as AdamW", mark);
}

void describe_adam(auto& rule, auto& field) {
  describe_moments(rule, field);
  field("amsgrad", rule.amsgrad, "divide by the largest mean of the square so far");
  rule.flags.foreach_field(field);
  rule.flags.maximize_field(field);
  rule.flags.capturable_field(field);
  rule.flags.differentiable_field(field);
  rule.flags.fused_field(field);
  decoupled_field(rule, field, as::named);
}

/// Both running means, and their bias corrections at a step.
template <class C>
struct Moments {
  C decay, shrink, sign, b1, b2, c2, eps;
  double bias1, bias2;
  Moments(const auto& s, const StepMoment& at, bool decoupled)
      : decay(C(decoupled ? 0 : s.weight_decay)),
        shrink(C(decoupled ? 1 - s.lr * s.weight_decay : 1)),
        sign(s.flags.template sign<C>()),
        b1(C(1 - s.betas.first)),
        b2(C(s.betas.second)),
        c2(C(1 - s.betas.second)),
        eps(C(s.eps)),
        bias1(1 - std::pow(s.betas.first, double(at.step))),
        bias2(1 - std::pow(s.betas.second, double(at.step))) {}
  /// Decays v[0], updates the means v[2] and v[3]; returns the gradient.
  template <int n>
  LUTH_HD C update(C (&v)[n]) const {
    v[0] *= shrink;
    const C g = sign * v[1] + decay * v[0];
    v[2] += b1 * (g - v[2]);
    v[3] = b2 * v[3] + c2 * g * g;
    return g;
  }
};

/// Kingma and Ba, "Adam: a method for stochastic optimization" (2015); Loshchilov and Hutter (2019) for the decoupled
/// decay; Reddi and others (2018) for amsgrad. eps is added after the bias correction.
struct AdamRule {
  static constexpr const char* name = "Adam";
  static constexpr Doc doc{"_adam_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "Adam; weight_decay is an L2 penalty unless decoupled_weight_decay";
  static constexpr int least = 4, most = 5;
  double lr = 1e-3;
  std::pair<double, double> betas{0.9, 0.999};
  double eps = 1e-8, weight_decay = 0;
  bool amsgrad = false, decoupled_weight_decay = false;
  StepFlags flags = {};
  void describe(auto& field) { describe_adam(*this, field); }
  void check() const { check_moments(*this); }
  StateNames state() const {
    if (amsgrad) return {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
    return {"exp_avg", "exp_avg_sq"};
  }
  static std::vector<AdamRule> variants();

  template <class C>
  struct Update : Moments<C> {
    C size, root;
    Update(const AdamRule& s, const StepMoment& at)
        : Moments<C>(s, at, s.decoupled_weight_decay),
          size(C(s.lr / this->bias1)),
          root(C(1 / std::sqrt(this->bias2))) {}
    template <int n>
    LUTH_HD void operator()(C (&v)[n]) const {
      this->update(v);
      C top = v[3];
      if constexpr (n == 5) top = v[4] = v[4] < top ? top : v[4];
      v[0] -= size * (v[2] / (std::sqrt(top) * root + this->eps));
    }
  };
};

/// Adam with decoupled_weight_decay.
struct AdamWRule {
  static constexpr const char* name = "AdamW";
  static constexpr const char* brief = "Adam with weight decay apart from the gradient";
  double lr = 1e-3;
  std::pair<double, double> betas{0.9, 0.999};
  double eps = 1e-8, weight_decay = 1e-2;
  bool amsgrad = false, decoupled_weight_decay = true;
  StepFlags flags = {};
  void describe(auto& field) { describe_adam(*this, field); }
  void check() const {
    check_moments(*this);
    if (!decoupled_weight_decay) throw Error("AdamW has decoupled weight decay; use Adam for the other one");
  }
  AdamRule rule() const { return {lr, betas, eps, weight_decay, amsgrad, true, flags}; }
};

/// Dozat, "Incorporating Nesterov momentum into Adam" (2016).
struct NAdamRule {
  static constexpr const char* name = "NAdam";
  static constexpr Doc doc{"_nadam_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "Adam with Nesterov momentum";
  static constexpr int least = 4, most = 4;
  static constexpr std::array number_names{"mu_product"};
  double lr = 2e-3;
  std::pair<double, double> betas{0.9, 0.999};
  double eps = 1e-8, weight_decay = 0, momentum_decay = 4e-3;
  bool decoupled_weight_decay = false;
  StepFlags flags = {};
  void describe(auto& field) {
    describe_moments(*this, field);
    field("momentum_decay", momentum_decay, "decay of the momentum");
    decoupled_field(*this, field, as::plain);
    flags.foreach_field(field);
    flags.maximize_field(field);
    flags.capturable_field(field);
    flags.differentiable_field(field);
  }
  void check() const {
    check_moments(*this);
    check_setting("momentum_decay", momentum_decay);
  }
  StateNames state() const { return {"exp_avg", "exp_avg_sq"}; }
  static std::vector<NAdamRule> variants();
  double mu(int64_t step) const { return betas.first * (1 - 0.5 * std::pow(0.96, double(step) * momentum_decay)); }
  std::vector<double> first_numbers() const { return {1}; }
  /// The product of mu, which PyTorch keeps in float32.
  std::vector<double> next_numbers(const StepMoment& at) const { return {float(at.numbers[0]) * float(mu(at.step))}; }

  template <class C>
  struct Update : Moments<C> {
    C root, of_gradient, of_mean;
    Update(const NAdamRule& s, const StepMoment& at)
        : Moments<C>(s, at, s.decoupled_weight_decay), root(C(1 / std::sqrt(this->bias2))) {
      const double product = s.next_numbers(at)[0], next = s.mu(at.step + 1);
      of_gradient = C(s.lr * (1 - s.mu(at.step)) / (1 - product));
      of_mean = C(s.lr * next / (1 - product * next));
    }
    LUTH_HD void operator()(C (&v)[4]) const {
      const C g = this->update(v);
      v[0] -= (of_gradient * g + of_mean * v[2]) / (std::sqrt(v[3]) * root + this->eps);
    }
  };
};

/// Liu and others, "On the variance of the adaptive learning rate and beyond" (2020).
struct RAdamRule {
  static constexpr const char* name = "RAdam";
  static constexpr Doc doc{"_radam_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "Adam with a rectified variance in the first steps";
  static constexpr int least = 4, most = 4;
  double lr = 1e-3;
  std::pair<double, double> betas{0.9, 0.999};
  double eps = 1e-8, weight_decay = 0;
  bool decoupled_weight_decay = false;
  StepFlags flags = {};
  void describe(auto& field) {
    describe_moments(*this, field);
    decoupled_field(*this, field, as::plain);
    flags.foreach_field(field);
    flags.maximize_field(field);
    flags.capturable_field(field);
    flags.differentiable_field(field);
  }
  void check() const { check_moments(*this); }
  StateNames state() const { return {"exp_avg", "exp_avg_sq"}; }
  static std::vector<RAdamRule> variants();

  template <class C>
  struct Update : Moments<C> {
    C size, rectified;
    bool adaptive;
    Update(const RAdamRule& s, const StepMoment& at)
        : Moments<C>(s, at, s.decoupled_weight_decay), size(C(s.lr / this->bias1)) {
      const double most = 2 / (1 - s.betas.second) - 1, t = double(at.step);
      const double length = most - 2 * t * (1 - this->bias2) / this->bias2;  // of the simple average that it equals
      adaptive = length > 5;
      const double share = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length);
      rectified = C(adaptive ? std::sqrt(share) * std::sqrt(this->bias2) : 0);
    }
    LUTH_HD void operator()(C (&v)[4]) const {
      this->update(v);
      v[0] -= size * v[2] * (adaptive ? rectified / (std::sqrt(v[3]) + this->eps) : C(1));
    }
  };
};

/// You and others, "Large batch optimization for deep learning: training BERT in 76 minutes" (2020), algorithm 2. This
/// is its first half: the direction of the step, into v[4]. The optimizer scales it for each parameter.
struct LambRule {
  static constexpr const char* name = "LAMB";
  static constexpr Doc doc{"_lamb_direction", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "Adam whose step has, for each parameter, the parameter's norm times lr";
  static constexpr int least = 5, most = 5;
  double lr = 1e-3;
  std::pair<double, double> betas{0.9, 0.999};
  double eps = 1e-6, weight_decay = 0.01;
  StepFlags flags = {};
  void describe(auto& field) {
    describe_moments(*this, field);
    flags.maximize_field(field);
  }
  void check() const { check_moments(*this); }
  StateNames state() const { return {"exp_avg", "exp_avg_sq", "direction"}; }
  static std::vector<LambRule> variants();

  template <class C>
  struct Update : Moments<C> {
    C correction, root, decay;
    Update(const LambRule& s, const StepMoment& at)
        : Moments<C>(s, at, true),
          correction(C(1 / this->bias1)),
          root(C(1 / std::sqrt(this->bias2))),
          decay(C(s.weight_decay)) {
      this->shrink = 1;
    }
    LUTH_HD void operator()(C (&v)[5]) const {
      this->update(v);
      v[4] = correction * v[2] / (std::sqrt(v[3]) * root + this->eps) + decay * v[0];
    }
  };
};

/// Kingma and Ba, section 7.1: Adam with the largest gradient in place of the mean square.
struct AdamaxRule {
  static constexpr const char* name = "Adamax";
  static constexpr Doc doc{"_adamax_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "Adam with a decaying maximum in place of the mean square";
  static constexpr int least = 4, most = 4;
  double lr = 2e-3;
  std::pair<double, double> betas{0.9, 0.999};
  double eps = 1e-8, weight_decay = 0;
  StepFlags flags = {};
  void describe(auto& field) {
    describe_moments(*this, field);
    flags.foreach_field(field, true);
    flags.maximize_field(field);
    flags.differentiable_field(field);
    flags.capturable_field(field);
  }
  void check() const { check_moments(*this); }
  StateNames state() const { return {"exp_avg", "exp_inf"}; }
  static std::vector<AdamaxRule> variants();

  template <class C>
  struct Update {
    C size, b1, b2, eps, decay, sign;
    Update(const AdamaxRule& s, const StepMoment& at)
        : size(C(s.lr / (1 - std::pow(s.betas.first, double(at.step))))),
          b1(C(1 - s.betas.first)),
          b2(C(s.betas.second)),
          eps(C(s.eps)),
          decay(C(s.weight_decay)),
          sign(s.flags.sign<C>()) {}
    LUTH_HD void operator()(C (&v)[4]) const {
      const C g = sign * v[1] + decay * v[0];
      v[2] += b1 * (g - v[2]);
      const C old = b2 * v[3], now = std::abs(g) + eps;
      v[3] = old > now ? old : now;
      v[0] -= size * v[2] / v[3];
    }
  };
};

/// Chen and others, "Symbolic discovery of optimization algorithms" (2023), program 1.
struct LionRule {
  static constexpr const char* name = "Lion";
  static constexpr Doc doc{"_lion_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "the sign of a mean of momentum and gradient; weight decay apart from it";
  static constexpr int least = 3, most = 3;
  static constexpr bool counts = false;
  double lr = 1e-4;
  std::pair<double, double> betas{0.9, 0.99};
  double weight_decay = 0;
  StepFlags flags = {};
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("betas", betas, "share of the momentum in the step, and its decay");
    field("weight_decay", weight_decay, "weight decay");
    flags.maximize_field(field);
  }
  void check() const {
    check_setting("lr", lr);
    check_betas(betas);
    check_setting("weight_decay", weight_decay);
  }
  StateNames state() const { return {"exp_avg"}; }
  static std::vector<LionRule> variants();

  template <class C>
  struct Update {
    C lr, shrink, b1, b2, sign;
    Update(const LionRule& s, const StepMoment&)
        : lr(C(s.lr)),
          shrink(C(1 - s.lr * s.weight_decay)),
          b1(C(1 - s.betas.first)),
          b2(C(1 - s.betas.second)),
          sign(s.flags.sign<C>()) {}
    LUTH_HD void operator()(C (&v)[3]) const {
      const C g = sign * v[1], mean = v[2] + b1 * (g - v[2]);
      v[0] = v[0] * shrink - (mean > 0 ? lr : mean < 0 ? -lr : C(0) * mean);
      v[2] += b2 * (g - v[2]);
    }
  };
};

// ---- Squares of the gradient --------------------------------------------------------------------------------------

/// Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization" (2011).
struct AdagradRule {
  static constexpr const char* name = "Adagrad";
  static constexpr Doc doc{"_adagrad_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "divides by the root of the sum of all squared gradients";
  static constexpr int least = 3, most = 3;
  double lr = 1e-2, lr_decay = 0, weight_decay = 0, initial_accumulator_value = 0, eps = 1e-10;
  StepFlags flags = {};
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("lr_decay", lr_decay, "decay of the learning rate");
    field("weight_decay", weight_decay, "L2 penalty");
    field("initial_accumulator_value", initial_accumulator_value, "what the sum of squares begins with");
    field("eps", eps, "added to the denominator");
    flags.foreach_field(field, true);
    flags.maximize_field(field);
    flags.differentiable_field(field);
    flags.fused_field(field);
  }
  void check() const {
    check_setting("lr", lr);
    check_setting("lr_decay", lr_decay);
    check_setting("weight_decay", weight_decay);
    check_setting("initial_accumulator_value", initial_accumulator_value);
    check_setting("eps", eps);
    flags.check();
  }
  StateNames state() const { return {"sum"}; }
  double first_value(size_t) const { return initial_accumulator_value; }
  static std::vector<AdagradRule> variants();

  template <class C>
  struct Update {
    C size, eps, decay, sign;
    Update(const AdagradRule& s, const StepMoment& at)
        : size(C(s.lr / (1 + double(at.step - 1) * s.lr_decay))),
          eps(C(s.eps)),
          decay(C(s.weight_decay)),
          sign(s.flags.sign<C>()) {}
    LUTH_HD void operator()(C (&v)[3]) const {
      const C g = sign * v[1] + decay * v[0];
      v[2] += g * g;
      v[0] -= size * (g / (std::sqrt(v[2]) + eps));
    }
  };
};

/// Zeiler, "ADADELTA: an adaptive learning rate method" (2012).
struct AdadeltaRule {
  static constexpr const char* name = "Adadelta";
  static constexpr Doc doc{"_adadelta_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "the ratio of the mean squares of steps and gradients in place of a rate";
  static constexpr int least = 4, most = 4;
  double lr = 1, rho = 0.9, eps = 1e-6, weight_decay = 0;
  StepFlags flags = {};
  void describe(auto& field) {
    field("lr", lr, "factor of the step");
    field("rho", rho, "decay of the mean squares");
    field("eps", eps, "added to the mean squares");
    field("weight_decay", weight_decay, "L2 penalty");
    flags.foreach_field(field, true);
    flags.capturable_field(field);
    flags.maximize_field(field);
    flags.differentiable_field(field);
  }
  void check() const {
    check_setting("lr", lr);
    check_setting("rho", rho);
    if (rho > 1) throw Error("rho must be at most 1, got {}", rho);
    check_setting("eps", eps);
    check_setting("weight_decay", weight_decay);
    flags.check();
  }
  StateNames state() const { return {"square_avg", "acc_delta"}; }
  static std::vector<AdadeltaRule> variants();

  template <class C>
  struct Update {
    C lr, rho, rest, eps, decay, sign;
    Update(const AdadeltaRule& s, const StepMoment&)
        : lr(C(s.lr)),
          rho(C(s.rho)),
          rest(C(1 - s.rho)),
          eps(C(s.eps)),
          decay(C(s.weight_decay)),
          sign(s.flags.sign<C>()) {}
    LUTH_HD void operator()(C (&v)[4]) const {
      const C g = sign * v[1] + decay * v[0];
      v[2] = rho * v[2] + rest * g * g;
      const C delta = std::sqrt(v[3] + eps) / std::sqrt(v[2] + eps) * g;
      v[3] = rho * v[3] + rest * delta * delta;
      v[0] -= lr * delta;
    }
  };
};

/// Tieleman and Hinton, "RMSprop" (Coursera, 2012); Graves (2013) for the centered form.
struct RMSpropRule {
  static constexpr const char* name = "RMSprop";
  static constexpr Doc doc{"_rmsprop_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "divides by the root of the running mean of squared gradients";
  static constexpr int least = 3, most = 5;
  double lr = 1e-2, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false;
  StepFlags flags = {};
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("alpha", alpha, "decay of the running means");
    field("eps", eps, "added to the denominator");
    field("weight_decay", weight_decay, "L2 penalty");
    field("momentum", momentum, "momentum factor");
    field("centered", centered, "divide by the standard deviation of the gradient");
    flags.capturable_field(field, as::plain);
    flags.foreach_field(field, true);
    flags.maximize_field(field, as::plain);
    flags.differentiable_field(field, as::plain);
  }
  void check() const {
    check_setting("lr", lr);
    check_setting("alpha", alpha);
    check_setting("eps", eps);
    check_setting("weight_decay", weight_decay);
    check_setting("momentum", momentum);
    flags.check();
  }
  StateNames state() const {
    StateNames names{"square_avg"};
    if (centered) names.push_back("grad_avg");
    if (momentum > 0) names.push_back("momentum_buffer");
    return names;
  }
  static std::vector<RMSpropRule> variants();

  template <class C>
  struct Update {
    C lr, alpha, rest, eps, decay, momentum, sign;
    bool centered;
    Update(const RMSpropRule& s, const StepMoment&)
        : lr(C(s.lr)),
          alpha(C(s.alpha)),
          rest(C(1 - s.alpha)),
          eps(C(s.eps)),
          decay(C(s.weight_decay)),
          momentum(C(s.momentum)),
          sign(s.flags.sign<C>()),
          centered(s.centered) {}
    template <int n>
    LUTH_HD void operator()(C (&v)[n]) const {
      C g = sign * v[1] + decay * v[0];
      v[2] = alpha * v[2] + rest * g * g;
      C variance = v[2];
      if constexpr (n > 3) {
        if (centered) {
          v[3] += rest * (g - v[3]);
          variance -= v[3] * v[3];
        }
      }
      g /= std::sqrt(variance) + eps;
      if constexpr (n > 3) {
        if (n == 5 || !centered) g = v[n - 1] = momentum * v[n - 1] + g;
      }
      v[0] -= lr * g;
    }
  };
};

// ---- Others -------------------------------------------------------------------------------------------------------

/// Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning: the RPROP algorithm" (1993).
struct RpropRule {
  static constexpr const char* name = "Rprop";
  static constexpr Doc doc{"_rprop_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "a step of its own for each element, by the signs of its gradients";
  static constexpr int least = 4, most = 4;
  double lr = 1e-2;
  std::pair<double, double> etas{0.5, 1.2}, step_sizes{1e-6, 50};
  StepFlags flags = {};
  void describe(auto& field) {
    field("lr", lr, "the first steps");
    field("etas", etas, "factors of a step after a change of sign, and without one");
    field("step_sizes", step_sizes, "the smallest and the largest step");
    flags.capturable_field(field);
    flags.foreach_field(field);
    flags.maximize_field(field);
    flags.differentiable_field(field);
  }
  void check() const {
    check_setting("lr", lr);
    if (!(etas.first > 0 && etas.first < 1 && etas.second > 1))
      throw Error("etas must be one number between 0 and 1 and one above 1, got {} and {}", etas.first, etas.second);
    flags.check();
  }
  StateNames state() const { return {"prev", "step_size"}; }
  double first_value(size_t k) const { return k == 1 ? lr : 0; }
  static std::vector<RpropRule> variants();

  template <class C>
  struct Update {
    C minus, plus, low, high, sign;
    Update(const RpropRule& s, const StepMoment&)
        : minus(C(s.etas.first)),
          plus(C(s.etas.second)),
          low(C(s.step_sizes.first)),
          high(C(s.step_sizes.second)),
          sign(s.flags.sign<C>()) {}
    LUTH_HD void operator()(C (&v)[4]) const {
      const C g = sign * v[1], product = g * v[2];
      const C size = v[3] * (product > 0 ? plus : product < 0 ? minus : C(1));
      v[3] = size < low ? low : size > high ? high : size;
      v[2] = product < 0 ? C(0) : g;
      v[0] -= v[2] > 0 ? v[3] : v[2] < 0 ? -v[3] : C(0);
    }
  };
};

/// Polyak and Juditsky, "Acceleration of stochastic approximation by averaging" (1992); Bottou's form.
struct ASGDRule {
  static constexpr const char* name = "ASGD";
  static constexpr Doc doc{"_asgd_step", "tensors[]", step_help, "none[]"};
  static constexpr const char* brief = "stochastic gradient descent that also averages the parameters";
  static constexpr int least = 3, most = 3;
  static constexpr std::array number_names{"eta", "mu"};
  double lr = 1e-2, lambd = 1e-4, alpha = 0.75, t0 = 1e6, weight_decay = 0;
  StepFlags flags = {};
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("lambd", lambd, "decay of the parameters and of the rate");
    field("alpha", alpha, "power of the decay of the rate");
    field("t0", t0, "step at which averaging begins");
    field("weight_decay", weight_decay, "L2 penalty");
    flags.foreach_field(field, true);
    flags.maximize_field(field, as::plain);
    flags.differentiable_field(field, as::plain);
    flags.capturable_field(field, as::plain);
  }
  void check() const {
    check_setting("lr", lr);
    check_setting("lambd", lambd);
    check_setting("alpha", alpha);
    check_setting("weight_decay", weight_decay);
    flags.check();
  }
  StateNames state() const { return {"ax"}; }
  static std::vector<ASGDRule> variants();
  /// The rate and the share of the newest parameter in the mean, which PyTorch keeps in float32.
  std::vector<double> first_numbers() const { return {float(lr), 1}; }
  std::vector<double> next_numbers(const StepMoment& at) const {
    const double t = double(at.step);
    return {float(lr / std::pow(1 + lambd * lr * t, alpha)), float(1 / std::max(1.0, t - t0))};
  }

  template <class C>
  struct Update {
    C eta, mu, shrink, decay, sign;
    Update(const ASGDRule& s, const StepMoment& at)
        : eta(C(at.numbers[0])),
          mu(C(at.numbers[1])),
          shrink(C(1 - s.lambd * at.numbers[0])),
          decay(C(s.weight_decay)),
          sign(s.flags.sign<C>()) {}
    LUTH_HD void operator()(C (&v)[3]) const {
      const C g = sign * v[1] + decay * v[0];
      v[0] = v[0] * shrink - eta * g;
      v[2] = mu == 1 ? v[0] : v[2] + (v[0] - v[2]) * mu;
    }
  };
};

/// All rules that have an operator.
using UpdateRules = Types<SgdRule, AdamRule, NAdamRule, RAdamRule, LambRule, AdamaxRule, LionRule, AdagradRule,
                          AdadeltaRule, RMSpropRule, RpropRule, ASGDRule>;

template <class List>
struct StepsOf;
template <class... Rule>
struct StepsOf<Types<Rule...>> {
  using type = Types<Step<Rule>...>;
};
/// Their operators.
using Steps = StepsOf<UpdateRules>::type;

}  // namespace luth::ops
