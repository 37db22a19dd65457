// Stochastic gradient descent, with momentum (Sutskever and others, 2013; PyTorch's form) and Nesterov's variant.
#pragma once
#include "core/optim/optimizer.h"

namespace luth::optim {

struct SGDSpec {
  static constexpr const char* name = "SGD";
  static constexpr const char* brief = "stochastic gradient descent, with momentum";
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
  void describe(auto& field) {
    field("lr", lr, "learning rate");
    field("momentum", momentum, "momentum factor");
    field("dampening", dampening, "dampening of the momentum");
    field("weight_decay", weight_decay, "L2 penalty");
    field("nesterov", nesterov, "Nesterov momentum");
    field("maximize", maximize, "ascend instead of descend", as::named);
  }
  void check() const {
    check_setting("lr", lr);
    check_setting("momentum", momentum);
    check_setting("weight_decay", weight_decay);
    if (nesterov && (momentum <= 0 || dampening != 0))
      throw Error("nesterov momentum needs a momentum above 0 and no dampening");
  }
};

/// State: momentum_buffer.
class SGD final : public OptimizerOf<SGDSpec> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void run(const SGDSpec& s, const std::vector<Tensor>& params) override;
};

}  // namespace luth::optim
