#include "core/ops/elementwise/rectifier.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {
const DefineAll<RectifierOps> define_all_;
}  // namespace

Tensor product(const Value& a, const Value& b, const Value& c) { return mul(mul(a, b), c); }

Tensor bent_exponential(const Value& x, double factor, double rate) {
  return where(lt(x, 0), mul(exp(mul(x, rate)), factor), 0);
}
void Celu::check() const {
  if (alpha == 0) throw Error("alpha must not be 0");
}
Spec Celu::infer(const Inputs& in) const {
  check();
  return elementwise_spec(in);
}

Spec rectified_spec(const Inputs& in) {
  if (in[0].dtype() == Dtype::boolean) throw Error("not implemented for bool");
  return elementwise_spec(in);
}
void Hardtanh::check() const {
  if (min_val > max_val) throw Error("min_val ({}) is greater than max_val ({})", min_val, max_val);
}
Spec Hardtanh::infer(const Inputs& in) const {
  check();
  return rectified_spec(in);
}
Spec Threshold::infer(const Inputs& in) const {
  Spec s = rectified_spec(in);
  if (!is_integral(s.dtype)) return s;
  check_holds(s.dtype, threshold);
  check_holds(s.dtype, value);
  return s;
}
Cases<Hardtanh> Hardtanh::samples() {
  Hardtanh wide;
  wide.min_val = -2.5, wide.max_val = 3;
  return {{{}, {{3, 4}}, -0.8, 0.8}, {{}, {{3}}, 1.2, 2}, {wide, {{3, 4}}, -2.2, 2.8}, {{}, {{}}, -2, -1.2}};
}
Tensor Hardswish::bend(const Value& x) const {
  return mul(cast_to(logical_and(gt(x, -3), lt(x, 3)), x.dtype()), 1.0 / 3);
}

Tensors PreluSame::vjp(const Call& c, const Tensor& dy) const {
  const Value &x = c.in[0], &w = c.in[1];
  Tensor above = gt(x, 0);
  return {c.wants(0) ? where(above, dy, mul(dy, w)) : Tensor(), c.wants(1) ? where(above, 0, mul(dy, x)) : Tensor()};
}

}  // namespace luth::ops
