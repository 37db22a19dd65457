#include "core/ops/elementwise/binary_special.h"

#include <numbers>

#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {

const DefineAll<BinarySpecialOps> define_all_;
const DefineAll<ClampMin, ClampMax> define_clamps_;
const DefineAll<Nextafter, Rsub, FloatPower> define_;

void want_one_dtype(const Inputs& in) {
  if (in[0].dtype() != in[1].dtype())
    throw Error("takes tensors of one dtype, not {} and {}; convert one of them", name(in[0].dtype()),
                name(in[1].dtype()));
}
// A number as a tensor of dy's dtype, so that functions of it do not round to the default dtype.
Value tensor_of(const Value& v, const Tensor& dy) {
  return v.is_scalar() ? Value(Tensor::scalar(v.scalar(), dy.dtype())) : v;
}
// All of dy where `wins`, half of it where the elements are equal.
Tensor shared(const Tensor& dy, const Tensor& wins, const Tensor& ties) {
  return where(wins, dy, where(ties, mul(dy, 0.5), 0));
}
// Of a clamp whose bound wins where `beyond(x, bound)`.
template <class Beyond, class Within>
Tensors clamp_vjp(const Call& c, const Tensor& dy, Beyond beyond, Within within) {
  const Value &x = c.in[0], &bound = c.in[1];
  if (bound.is_scalar()) return {where(within(x, bound), dy, 0), Tensor()};
  Tensor half = where(eq(x, bound), mul(dy, 0.5), dy);
  return {c.wants(0) ? where(beyond(x, bound), 0, half) : Tensor(),
          c.wants(1) ? where(within(x, bound), 0, half) : Tensor()};
}

// Of fmax and fmin: the first operand wins where `first(x, y)`, the second where `second(x, y)`, and each beside nan.
template <class First, class Second>
Tensors extremum_vjp(const Call& c, const Tensor& dy, First first, Second second) {
  const Value &x = c.in[0], &y = c.in[1];
  Tensor ties = eq(x, y);
  return {c.wants(0) ? shared(dy, logical_or(first(x, y), isnan(y)), ties) : Tensor(),
          c.wants(1) ? shared(dy, logical_or(second(x, y), logical_and(isnan(x), eq(y, y))), ties) : Tensor()};
}
// Of x log(y + shift); shift is 0 or 1.
Tensors xlog_vjp(const Call& c, const Tensor& dy, int shift) {
  Value x = tensor_of(c.in[0], dy), y = tensor_of(c.in[1], dy);
  Tensor dx, dother;
  if (c.wants(0)) dx = where(logical_and(eq(x, 0), le(y, -shift)), 0, mul(dy, shift ? log1p(y) : log(y)));
  if (c.wants(1)) dother = mul(dy, div(x, shift ? Value(add(y, 1)) : y));
  return {dx, dother};
}

}  // namespace

Tensors Fmax::vjp(const Call& c, const Tensor& dy) const { return extremum_vjp(c, dy, gt, lt); }
Tensors Fmin::vjp(const Call& c, const Tensor& dy) const { return extremum_vjp(c, dy, lt, gt); }
Spec ClampMin::infer(const Inputs& in) const {
  check_least(in[0], in[1]);
  return elementwise_spec(in);
}
Spec ClampMax::infer(const Inputs& in) const {
  check_greatest(in[0], in[1]);
  return elementwise_spec(in);
}
Tensors ClampMin::vjp(const Call& c, const Tensor& dy) const { return clamp_vjp(c, dy, lt, gt); }
Tensors ClampMax::vjp(const Call& c, const Tensor& dy) const { return clamp_vjp(c, dy, gt, lt); }

Tensors Copysign::vjp(const Call& c, const Tensor& dy) const {
  const Value& x = c.in[0];
  Tensor dx;
  if (c.wants(0)) dx = where(eq(x, 0), 0, mul(dy, div(c.out[0], x)));
  return {dx, c.wants(1) ? zeros_of(dy) : Tensor()};
}
Tensors Hypot::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? mul(dy, div(c.in[0], c.out[0])) : Tensor(),
          c.wants(1) ? mul(dy, div(c.in[1], c.out[0])) : Tensor()};
}
Spec Heaviside::infer(const Inputs& in) const {
  want_one_dtype(in);
  return elementwise_spec(in);
}

Tensors Xlogy::vjp(const Call& c, const Tensor& dy) const { return xlog_vjp(c, dy, 0); }
Tensors Xlog1py::vjp(const Call& c, const Tensor& dy) const { return xlog_vjp(c, dy, 1); }
Tensors Logaddexp::vjp(const Call& c, const Tensor& dy) const {
  const Value &x = c.in[0], &y = c.in[1];
  return {c.wants(0) ? div(dy, add(exp(sub(y, x)), 1)) : Tensor(),
          c.wants(1) ? div(dy, add(exp(sub(x, y)), 1)) : Tensor()};
}
Tensors Logaddexp2::vjp(const Call& c, const Tensor& dy) const {
  const Value &x = c.in[0], &y = c.in[1];
  return {c.wants(0) ? div(dy, add(pow(2, sub(y, x)), 1)) : Tensor(),
          c.wants(1) ? div(dy, add(pow(2, sub(x, y)), 1)) : Tensor()};
}
Tensors Ldexp::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? mul(dy, pow(2, c.in[1])) : Tensor(),
          c.wants(1) ? mul(dy, mul(c.out[0], std::numbers::ln2)) : Tensor()};
}

template <class Op>
Cases<Op> divisor_samples() {
  return {{{}, {}, 0, 0, [] {
             return Inputs{Tensor::from<int64_t>({4}, std::array<int64_t, 4>{0, 12, -18, 9}.data()),
                           Tensor::from<int64_t>({2, 1}, std::array<int64_t, 2>{8, 0}.data())};
           }}};
}
template Cases<Gcd> divisor_samples();
template Cases<Lcm> divisor_samples();

Spec IsClose::infer(const Inputs& in) const {
  want_one_dtype(in);
  if (!(rtol >= 0)) throw Error("rtol must not be negative, got {}", rtol);
  if (!(atol >= 0)) throw Error("atol must not be negative, got {}", atol);
  return elementwise_spec(in, Dtype::boolean);
}
Cases<IsClose> IsClose::samples() {
  IsClose wide;
  wide.rtol = 0.2, wide.atol = 0.3, wide.equal_nan = true;
  auto near = [] {
    return Inputs{Tensor::from<double>({4}, std::array{1.0, 2.0, double(NAN), double(INFINITY)}.data()),
                  Tensor::from<double>({4}, std::array{1.0 + 1e-9, 2.1, double(NAN), double(INFINITY)}.data())};
  };
  return {{{}, {{2, 3}, {3}}}, {wide, {{2, 1, 3}, {4, 1}}}, {{}, {}, 0, 0, near}, {wide, {}, 0, 0, near}};
}
Tensors Nextafter::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? where(ne(c.in[0], c.in[1]), dy, 0) : Tensor(), c.wants(1) ? zeros_of(dy) : Tensor()};
}

Tensor Rsub::decompose(const Inputs& in) const {
  Sub op;
  op.alpha = alpha;
  return sub(in[1], in[0], op);
}
// The result is float64 whatever the input is.
void FloatPower::check_inplace(const void*, const Inputs& in) {
  if (in[0].dtype() != Dtype::f64)
    throw Error("the result is float64 and cannot be written into {}; leave out the underscore", name(in[0].dtype()));
}
Tensor FloatPower::decompose(const Inputs& in) const {
  auto wide = [](const Value& v) { return v.is_tensor() ? Value(cast_to(v, Dtype::f64)) : Value(v.scalar().value()); };
  if (in[0].is_scalar() && in[1].is_scalar()) throw Error("expects at least one tensor");
  return pow(wide(in[0]), wide(in[1]));
}

}  // namespace luth::ops
