#include "core/optim/adam.h"

#include "core/ops/nn/optim.h"
#include "core/optim/tensor_lists.h"

namespace luth::optim {
namespace {

const DefineOptimizer<Adam> adam_;
const DefineOptimizer<AdamW> adamw_;

template <class Spec>
ops::AdamStep step_op(const Spec& s, bool decoupled) {
  ops::AdamStep op;
  op.lr = s.lr;
  op.beta1 = s.betas.first;
  op.beta2 = s.betas.second;
  op.eps = s.eps;
  op.weight_decay = s.weight_decay;
  op.amsgrad = s.amsgrad;
  op.maximize = s.maximize;
  op.decoupled = decoupled;
  return op;
}

// One operator call for all parameters that have taken equally many steps: usually one.
void run_adam(Optimizer& o, ops::AdamStep op, const std::vector<Tensor>& params) {
  std::map<int64_t, MultiTensor> lists;
  for (auto& p : params) {
    ParameterState& s = o.state(p);
    MultiTensor& list = lists[++s.step];
    list.head(p);
    list.add(p.grad(), false);
    list.add(Optimizer::buffer(s, "exp_avg", p), true);
    list.add(Optimizer::buffer(s, "exp_avg_sq", p), true);
    if (op.amsgrad) list.add(Optimizer::buffer(s, "max_exp_avg_sq", p), true);
  }
  for (auto& [step, list] : lists) {
    op.step = step;
    list.run(info<ops::AdamStep>(), &op);
  }
}

}  // namespace

void Adam::run(const AdamSpec& s, const std::vector<Tensor>& params) {
  run_adam(*this, step_op(s, s.decoupled_weight_decay), params);
}
void AdamW::run(const AdamWSpec& s, const std::vector<Tensor>& params) { run_adam(*this, step_op(s, true), params); }

}  // namespace luth::optim
