#include "core/ops/elementwise/trig.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {
constexpr double pi = 3.141592653589793;
const DefineAll<TrigOps> define_all_;
}  // namespace

Tensors Acos::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, neg(rsqrt(sub(1, square(c.in[0])))))}; }
Tensors Asin::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, rsqrt(sub(1, square(c.in[0]))))}; }
Tensors Atan::vjp(const Call& c, const Tensor& dy) const { return {div(dy, add(square(c.in[0]), 1))}; }
Tensors Sinh::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, cosh(c.in[0]))}; }
Tensors Cosh::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, sinh(c.in[0]))}; }
Tensors Acosh::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, rsqrt(sub(square(c.in[0]), 1)))}; }
Tensors Asinh::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, rsqrt(add(square(c.in[0]), 1)))}; }
Tensors Atanh::vjp(const Call& c, const Tensor& dy) const { return {div(dy, sub(1, square(c.in[0])))}; }
Tensors Deg2rad::vjp(const Call&, const Tensor& dy) const { return {mul(dy, pi / 180)}; }
Tensors Rad2deg::vjp(const Call&, const Tensor& dy) const { return {mul(dy, 180 / pi)}; }
// With a = pi x: pi (a cos a - sin a) / a^2, near 0, where that cancels, its series. Neither sees the other's
// arguments, so that both have finite derivatives.
Tensors Sinc::vjp(const Call& c, const Tensor& dy) const {
  const Tensor a = mul(c.in[0], pi), near = lt(abs(a.detach()), 0.25);
  const Tensor small = where(near, a, 0), large = where(near, 1, a), square_of = square(small);
  Tensor series = div(square_of, 3991680);
  for (double term : {-1 / 45360., 1 / 840., -1 / 30.}) series = mul(add(series, term), square_of);
  series = mul(add(series, 1 / 3.), small);
  const Tensor direct = div(sub(sin(large), mul(cos(large), large)), square(large));
  return {mul(dy, mul(where(near, series, direct), -pi))};
}

}  // namespace luth::ops
