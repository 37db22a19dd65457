#include "core/ops/elementwise/error_function.h"

#include <numbers>

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {

const DefineAll<ErrorFunctionOps> define_all_;

constexpr double two_over_root_pi = 2 * std::numbers::inv_sqrtpi;
constexpr double root_two_pi = 2.50662827463100050242;
Tensor bell(const Value& x, double factor) { return exp(mul(square(x), factor)); }

}  // namespace

Tensors Erfc::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, mul(bell(c.in[0], -1), -two_over_root_pi))};
}
Tensors Erfinv::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, mul(bell(c.out[0], 1), 1 / two_over_root_pi))};
}
Tensors Ndtr::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, mul(bell(c.in[0], -0.5), 1 / root_two_pi))};
}
Tensors Ndtri::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, mul(bell(c.out[0], 0.5), root_two_pi))}; }
Tensors LogNdtr::vjp(const Call& c, const Tensor& dy) const {
  constexpr double half_root = 0.70710678118654752440;
  return {mul(div(dy, erfcx(mul(c.in[0], -half_root))), two_over_root_pi * half_root)};
}
Tensors Erfcx::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, sub(mul(mul(c.in[0], c.out[0]), 2), two_over_root_pi))};
}
Tensors Entr::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, sub(-1, log(c.in[0])))}; }

Tensors Logit::vjp(const Call& c, const Tensor& dy) const {
  const Value& x = c.in[0];
  Tensor slope = div(dy, mul(x, sub(1, x)));
  const double low = eps ? *eps : 0, outside = eps ? 0.0 : double(NAN);
  return {where(logical_and(ge(x, low), le(x, 1 - low)), slope, outside)};
}

}  // namespace luth::ops
