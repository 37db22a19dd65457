#include "core/ops/elementwise/ternary.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {
const DefineAll<TernaryOps> define_all_;
}  // namespace

Spec Lerp::infer(const Inputs& in) const {
  const Dtype d = in[0].dtype();
  for (int k : {1, 2})
    if (in[k].is_tensor() && in[k].dtype() != d)
      throw Error("{} is {} and input {}; convert one of them", k == 1 ? "end" : "weight", name(in[k].dtype()),
                  name(d));
  return elementwise_spec(in);
}
Tensors Lerp::vjp(const Call& c, const Tensor& dy) const {
  const Value& w = c.in[2];
  Tensors dx(3);
  if (c.wants(0)) dx[0] = w.is_scalar() ? mul(dy, 1 - w.scalar().value()) : mul(dy, sub(1, w));
  if (c.wants(1)) dx[1] = mul(dy, w);
  if (c.wants(2)) dx[2] = mul(dy, sub(c.in[1], c.in[0]));
  return dx;
}
Cases<Lerp> Lerp::samples() {
  auto by_number = [] {
    return Inputs{Tensor::from<double>({3}, std::array{0.5, 1.5, -1.2}.data()),
                  Tensor::from<double>({2, 1}, std::array{1.0, -2.0}.data()), 0.3};
  };
  return {{{}, {{2, 3}, {2, 3}, {2, 3}}, 0, 0.45}, {{}, {{3}, {2, 1}, {}}, 0.55, 1}, {{}, {}, 0, 0, by_number}};
}

Spec Addcmul::infer(const Inputs& in) const {
  Spec s = elementwise_spec(in);
  if (is_integral(s.dtype)) check_holds(s.dtype, value);
  return s;
}
Tensors Addcmul::vjp(const Call& c, const Tensor& dy) const {
  Tensor scaled = value == Scalar(1) ? dy : mul(dy, value);
  return {dy, c.wants(1) ? mul(scaled, c.in[2]) : Tensor(), c.wants(2) ? mul(scaled, c.in[1]) : Tensor()};
}
Tensors Addcdiv::vjp(const Call& c, const Tensor& dy) const {
  Tensor scaled = value == Scalar(1) ? dy : mul(dy, value), da, db;
  if (c.wants(1)) da = div(scaled, c.in[2]);
  if (c.wants(2)) db = neg(mul(scaled, div(c.in[1], square(c.in[2]))));
  return {dy, da, db};
}

}  // namespace luth::ops
