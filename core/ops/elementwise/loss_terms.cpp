#include "core/ops/elementwise/loss_terms.h"

#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/smooth_activation.h"

namespace luth::ops {
namespace {
const DefineAll<LossTermsOps> define_all_;
}  // namespace

Tensor SquaredDifference::slope(const Value& x, const Value& t) const { return mul(sub(x, t), 2); }
Tensor AbsoluteDifference::slope(const Value& x, const Value& t) const { return sign(sub(x, t)); }
Tensor Huber::slope(const Value& x, const Value& t) const { return div(clamp(sub(x, t), -delta, delta), unit); }
// Not sigmoid(x): the derivative of this, e^log(sigmoid(x)) sigmoid(-x), loses no digits where x is large.
Tensor LogitCrossEntropy::slope(const Value& x, const Value& t) const { return sub(exp(log_sigmoid(x)), t); }
Tensors LogitCrossEntropy::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? input_grad(c, dy) : Tensor(), c.wants(1) ? neg(mul(dy, c.in[0])) : Tensor()};
}
Tensor logit_cross_entropy(const Tensor& x, const Tensor& t) {
  if (!is_floating(x.dtype())) throw_unsupported(x.dtype());
  return Fn<LogitCrossEntropy>()(x, t);
}

}  // namespace luth::ops
