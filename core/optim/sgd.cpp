#include "core/optim/sgd.h"

#include "core/ops/nn/optim.h"
#include "core/optim/tensor_lists.h"

namespace luth::optim {
namespace {
const DefineOptimizer<SGD> sgd_;
}

// Parameters whose buffer is new take another operator call: their first buffer is the gradient itself.
void SGD::run(const SGDSpec& s, const std::vector<Tensor>& params) {
  MultiTensor fresh, rest;
  for (auto& p : params) {
    bool momentum = s.momentum != 0;
    ParameterState* known = momentum ? &state(p) : nullptr;
    bool first = momentum && !known->find("momentum_buffer");
    MultiTensor& list = first ? fresh : rest;
    list.head(p);
    list.add(p.grad(), false);
    if (momentum) list.add(buffer(*known, "momentum_buffer", p), true);
  }
  ops::SgdStep op{s.lr, s.momentum, s.dampening, s.weight_decay, s.nesterov, s.maximize, false};
  if (!rest.empty()) rest.run(info<ops::SgdStep>(), &op);
  op.first = true;
  if (!fresh.empty()) fresh.run(info<ops::SgdStep>(), &op);
}

}  // namespace luth::optim
