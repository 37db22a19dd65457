// Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), with amsgrad (Reddi and others, 2018).
#pragma once
#include "core/optim/optimizer.h"

namespace luth::optim {

void describe_adam(auto& spec, auto& field) {
  field("lr", spec.lr, "learning rate");
  field("betas", spec.betas, "decay of the running means of the gradient and of its square");
  field("eps", spec.eps, "added to the denominator");
  field("weight_decay", spec.weight_decay, "weight decay");
  field("amsgrad", spec.amsgrad, "divide by the largest mean of the square so far");
  field("maximize", spec.maximize, "ascend instead of descend", as::named);
}
void check_adam(const auto& spec) {
  check_setting("lr", spec.lr);
  check_setting("eps", spec.eps);
  check_setting("weight_decay", spec.weight_decay);
  check_setting("the first of betas", spec.betas.first, 1);
  check_setting("the second of betas", spec.betas.second, 1);
}

struct AdamSpec {
  static constexpr const char* name = "Adam";
  static constexpr const char* brief = "Adam; weight_decay is an L2 penalty unless decoupled_weight_decay";
  double lr = 1e-3;
  std::pair<double, double> betas{0.9, 0.999};
  double eps = 1e-8, weight_decay = 0;
  bool amsgrad = false, maximize = false, decoupled_weight_decay = false;
  void describe(auto& field) {
    describe_adam(*this, field);
    field("decoupled_weight_decay", decoupled_weight_decay, "weight decay apart from the gradient, as AdamW",
          as::named);
  }
  void check() const { check_adam(*this); }
};
struct AdamWSpec {
  static constexpr const char* name = "AdamW";
  static constexpr const char* brief = "Adam with weight decay apart from the gradient";
  double lr = 1e-3;
  std::pair<double, double> betas{0.9, 0.999};
  double eps = 1e-8, weight_decay = 1e-2;
  bool amsgrad = false, maximize = false;
  void describe(auto& field) { describe_adam(*this, field); }
  void check() const { check_adam(*this); }
};

/// State: step, exp_avg, exp_avg_sq, max_exp_avg_sq (amsgrad).
class Adam final : public OptimizerOf<AdamSpec> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void run(const AdamSpec& s, const std::vector<Tensor>& params) override;
};
class AdamW final : public OptimizerOf<AdamWSpec> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void run(const AdamWSpec& s, const std::vector<Tensor>& params) override;
};

}  // namespace luth::optim
