#include "core/ops/elementwise/smooth_activation.h"

#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {
const DefineAll<SmoothActivationOps> define_all_;
}  // namespace

void refuse_bool(const Inputs&) { throw Error("not implemented for bool; convert first, e.g. with :float()"); }

// With t = tanh(softplus(x)) and s = sigmoid(x): t' = (1 - t²) s, f' = t + x t', f'' = t' (2 + x (1 - s - 2 t s)).
Tensor Mish::bend(const Value& x) const {
  Tensor t = tanh(softplus(x)), s = sigmoid(x);
  Tensor inner = sub(sub(1, s), mul(mul(t, s), 2));
  return mul(mul(sub(1, square(t)), s), add(mul(x, inner), 2));
}
Tensor Softsign::bend(const Value& x) const { return div(mul(sign(x), -2), pow(add(abs(x), 1), 3)); }
Tensor Tanhshrink::bend(const Value& x) const {
  Tensor t = tanh(x);
  return mul(mul(t, sub(1, square(t))), 2);
}
void Softshrink::check() const {
  if (!(lambd >= 0 && std::isfinite(lambd))) throw Error("lambd must not be negative or infinite, got {}", lambd);
}
Spec Softshrink::infer(const Inputs& in) const {
  check();
  check_holds(in[0].dtype(), lambd);
  return elementwise_spec(in);
}
Tensor LogSigmoid::bend(const Value& x) const { return neg(mul(sigmoid(x), sigmoid(neg(x)))); }

Tensors Gated::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(2);
  if (c.wants(0)) out[0] = gated(dy, c.in[1]);
  if (c.wants(1)) out[1] = gate_slope(dy, c.in[0], c.in[1]);
  return out;
}
Tensor GateSlope::decompose(const Inputs& in) const {
  return mul(mul(in[0], in[1]), mul(sigmoid(in[2]), sigmoid(neg(in[2]))));  // 1 - sigmoid would cancel
}

}  // namespace luth::ops
