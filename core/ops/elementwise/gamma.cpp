#include "core/ops/elementwise/gamma.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {

const DefineAll<GammaOps> define_all_;
const DefineAll<Mvlgamma, PolygammaOf> define_;

// x^(a - 1) e^-x / Γ(a), the derivative of P(a, x) by x: DLMF 8.8.13.
Tensors incomplete_vjp(const Call& c, const Tensor& dy) {
  if (c.wants(0)) throw Error("has no gradient by input, as in PyTorch; detach() it");
  const Value &a = c.in[0], &x = c.in[1];
  return {Tensor(), mul(dy, exp(sub(sub(mul(sub(a, 1), log(x)), x), lgamma(a))))};
}

}  // namespace

Tensors Lgamma::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, digamma(c.in[0]))}; }
Tensors Digamma::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, polygamma(c.in[0], {.n = 1}))}; }
Spec Polygamma::infer(const Inputs& in) const {
  if (n < 0) throw Error("n must not be negative, got {}", n);
  if (n > 1000000) throw Error("n is too large: {}", n);
  return elementwise_spec(in);
}
Tensors Polygamma::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, polygamma(c.in[0], {.n = n + 1}))}; }
Tensor PolygammaOf::decompose(const Inputs& in) const {
  Polygamma op;
  op.n = n;
  return polygamma(in[0], op);
}
Tensors Zeta::vjp(const Call& c, const Tensor& dy) const {  // DLMF 25.11.17
  if (c.wants(0)) throw Error("has no gradient by input, as in PyTorch; detach() it");
  return {Tensor(), mul(dy, neg(mul(c.in[0], zeta(add(c.in[0], 1), c.in[1]))))};
}
Tensors Igamma::vjp(const Call& c, const Tensor& dy) const { return incomplete_vjp(c, dy); }
Tensors Igammac::vjp(const Call& c, const Tensor& dy) const { return incomplete_vjp(c, neg(dy)); }

// p (p - 1) / 4 log(pi) + Σ lgamma(x - j / 2), DLMF 35.3.4.
Tensor Mvlgamma::decompose(const Inputs& in) const {
  if (p < 1 || p > 10000) throw Error("p must be from 1 to 10000, got {}", p);
  if (in[0].dtype() == Dtype::boolean) throw Error("not implemented for bool");
  Tensor sum = lgamma(in[0]);
  for (int64_t j = 1; j < p; ++j) sum = add(sum, lgamma(sub(in[0], 0.5 * double(j))));
  return add(sum, double(p) * double(p - 1) / 4 * 1.14472988584940017414);
}

}  // namespace luth::ops
