#include "core/ops/elementwise/bessel.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {

const DefineAll<BesselOps> define_all_;

// f0 - f1 / x, the derivative of functions of order 1, and 1/2 at 0.
Tensor order_one(const Tensor& f0, const Tensor& f1, const Value& x) {
  return where(eq(x, 0), 0.5, sub(f0, div(f1, where(eq(x, 0), 1, x))));
}

}  // namespace

// DLMF 10.29.2 to 10.29.4
Tensors I0::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, i1(c.in[0]))}; }
Tensors I0e::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, sub(i1e(c.in[0]), mul(sign(c.in[0]), c.out[0])))};
}
Tensors I1::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, order_one(i0(c.in[0]), c.out[0], c.in[0]))}; }
Tensors I1e::vjp(const Call& c, const Tensor& dy) const {
  Tensor slope = sub(order_one(i0e(c.in[0]), c.out[0], c.in[0]), mul(sign(c.in[0]), c.out[0]));
  return {mul(dy, slope)};
}
Tensors ModifiedBesselI0::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, modified_bessel_i1(c.in[0]))}; }
Tensors ModifiedBesselI1::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, order_one(modified_bessel_i0(c.in[0]), c.out[0], c.in[0]))};
}
Tensors ModifiedBesselK0::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, neg(modified_bessel_k1(c.in[0])))};
}
Tensors ModifiedBesselK1::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, neg(add(modified_bessel_k0(c.in[0]), div(c.out[0], c.in[0]))))};
}
// DLMF 10.6.2 and 10.6.3
Tensors BesselJ0::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, neg(bessel_j1(c.in[0])))}; }
Tensors BesselJ1::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, order_one(bessel_j0(c.in[0]), c.out[0], c.in[0]))};
}
Tensors BesselY0::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, neg(bessel_y1(c.in[0])))}; }
Tensors BesselY1::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, sub(bessel_y0(c.in[0]), div(c.out[0], c.in[0])))};
}

}  // namespace luth::ops
