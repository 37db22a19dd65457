#include "core/ops/trig.h"

#include "core/autocast.h"
#include "core/ops/arith.h"
#include "core/ops/unary.h"

namespace luth::ops {
namespace {
constexpr double pi = 3.141592653589793;
const DefineAll<TrigOps> define_all_;
const AutocastAs<Autocast::f32, Acos, Asin, Cosh, Sinh> autocast_f32_;
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
Tensors Sinc::vjp(const Call& c, const Tensor& dy) const {
  const Value& x = c.in[0];
  Tensor a = mul(x, pi), slope = div(sub(mul(cos(a), a), sin(a)), mul(a, x));
  return {mul(dy, where(eq(x, 0), 0, slope))};
}

}  // namespace luth::ops
