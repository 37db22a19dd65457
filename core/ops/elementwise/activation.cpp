#include "core/ops/elementwise/activation.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {

const DefineAll<ActivationOps> define_all_;
const DefineAll<ActivationGrads> define_grads_;
const Define<Clamp> clamp_;

template <class Op>
Op approximated(const std::string& how) {
  Op op;
  op.approximate = how;
  return op;
}

}  // namespace

Tensor TanhBackward::decompose(const Inputs& in) const { return mul(in[0], sub(1, square(in[1]))); }
Tensors Tanh::vjp(const Call& c, const Tensor& dy) const { return {tanh_backward(dy, c.out[0])}; }
Tensor SigmoidBackward::decompose(const Inputs& in) const { return mul(in[0], mul(in[1], sub(1, in[1]))); }
Tensors Sigmoid::vjp(const Call& c, const Tensor& dy) const { return {sigmoid_backward(dy, c.out[0])}; }

Tensor ReluBackward::decompose(const Inputs& in) const { return where(le(in[1], 0), 0, in[0]); }
// Zeros, not nothing: as in PyTorch a second gradient exists.
Tensors ReluBackward::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? relu_backward(dy, c.in[1]) : Tensor(), c.wants(1) ? zeros_of(c.in[1]) : Tensor()};
}
Spec Relu::infer(const Inputs& in) const {
  if (in[0].dtype() == Dtype::boolean) throw Error("not implemented for bool");
  return elementwise_spec(in);
}
Tensors Relu::vjp(const Call& c, const Tensor& dy) const { return {relu_backward(dy, c.out[0])}; }

// In float32 for 16-bit floats, whose squares overflow, and without 1 - tanh^2, which cancels: with s = sigmoid(u) and
// u = 2 sqrt(2 / pi) (x + 0.044715 x^3) that is 4 s sigmoid(-u), and gelu is x s.
Tensor GeluBackward::decompose(const Inputs& in) const {
  const Dtype d = in[1].dtype(), wide = size_of(d) == 2 ? Dtype::f32 : d;
  const Tensor dy = cast_to(in[0], wide), x = cast_to(in[1], wide);
  if (by_tanh()) {
    const Tensor u = mul(add(x, mul(pow(x, 3), 0.044715)), 1.5957691216057308);
    const Tensor growth = mul(add(mul(square(x), 0.134145), 1), 1.5957691216057308), s = sigmoid(u);
    return cast_to(mul(dy, add(s, mul(x, mul(mul(s, sigmoid(neg(u))), growth)))), d);
  }
  const Tensor cdf = mul(add(erf(mul(x, 0.7071067811865476)), 1), 0.5);
  const Tensor pdf = mul(exp(mul(square(x), -0.5)), 0.3989422804014327);
  return cast_to(mul(dy, add(cdf, mul(x, pdf))), d);
}
Cases<GeluBackward> GeluBackward::samples() {
  return {{{}, {{3, 4}, {3, 4}}}, {approximated<GeluBackward>("tanh"), {{3, 4}, {3, 4}}}};
}
Tensors Gelu::vjp(const Call& c, const Tensor& dy) const {
  return {gelu_backward(dy, c.in[0], approximated<GeluBackward>(approximate))};
}
Cases<Gelu> Gelu::samples() { return {{{}, {{3, 4}}}, {approximated<Gelu>("tanh"), {{3, 4}}}, {{}, {{}}}}; }

Tensor SiluBackward::decompose(const Inputs& in) const {
  Tensor s = sigmoid(in[1]);
  return mul(in[0], mul(s, add(mul(in[1], sub(1, s)), 1)));
}
Tensors Silu::vjp(const Call& c, const Tensor& dy) const { return {silu_backward(dy, c.in[0])}; }

Tensors Softplus::vjp(const Call& c, const Tensor& dy) const {
  Tensor scaled = mul(c.in[0], beta);
  return {where(gt(scaled, threshold), dy, mul(dy, sigmoid(scaled)))};
}
Cases<Softplus> Softplus::samples() {
  Softplus sharp;
  sharp.beta = 2, sharp.threshold = 1;
  return {{{}, {{3, 4}}}, {sharp, {{3, 4}}, -2, 0.4}, {sharp, {{3}}, 0.6, 2}};
}
Tensor LeakyReluBackward::decompose(const Inputs& in) const {
  return where(gt(in[1], 0), in[0], mul(in[0], negative_slope));
}
Tensors LeakyReluBackward::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? leaky_relu_backward(dy, c.in[1], *this) : Tensor(), c.wants(1) ? zeros_of(c.in[1]) : Tensor()};
}
Cases<LeakyReluBackward> LeakyReluBackward::samples() {
  LeakyReluBackward steep;
  steep.negative_slope = 0.3;
  return {{{}, {{3, 4}, {3, 4}}, 0.2, 2}, {steep, {{3, 4}, {3, 4}}, -2, -0.2}};
}
Tensors LeakyRelu::vjp(const Call& c, const Tensor& dy) const {
  LeakyReluBackward back;
  back.negative_slope = negative_slope;
  return {leaky_relu_backward(dy, c.in[0], back)};
}

namespace {
// Calls f(least, greatest) with the range of an integer dtype, where the bound is a number for a tensor of one.
template <class F>
void with_range(Dtype d, const Value& bound, F&& f) {
  if (!bound.is_scalar() || !is_integral(d)) return;
  dispatch(Integers{}, d, [&]<class T>(Type<T>) {
    f(int64_t(std::numeric_limits<T>::lowest()), int64_t(std::numeric_limits<T>::max()));
  });
}
}  // namespace

void check_least(const Tensor& t, const Value& min) {
  with_range(t.dtype(), min, [&](int64_t, int64_t most) {
    if (min.scalar().integer() > most)
      throw Error("min is {}, and {} holds nothing above {}; convert the tensor first", min.scalar().integer(),
                  luth::name(t.dtype()), most);
  });
}
void check_greatest(const Tensor& t, const Value& max) {
  with_range(t.dtype(), max, [&](int64_t least, int64_t) {
    if (max.scalar().integer() < least)
      throw Error("max is {}, and {} holds nothing below {}; convert the tensor first", max.scalar().integer(),
                  luth::name(t.dtype()), least);
  });
}
static Value binding(const Value& given, Dtype d, bool least) {
  Value bound = given;
  if (!given) dispatch(AllTypes{}, d, [&]<class T>(Type<T>) { bound = least ? lowest_of<T>() : highest_of<T>(); });
  with_range(d, given, [&](int64_t low, int64_t high) {
    bound = least ? std::max(low, given.scalar().integer()) : std::min(high, given.scalar().integer());
  });
  return bound;
}
Value binding_least(const Value& min, Dtype d) { return binding(min, d, true); }
Value binding_greatest(const Value& max, Dtype d) { return binding(max, d, false); }

Spec Clamp::infer(const Inputs& in) const {
  if (!in[1] && !in[2]) throw Error("at least one of min and max must be given");
  check_least(in[0], in[1]);
  check_greatest(in[0], in[2]);
  return elementwise_spec(in);
}
// As in PyTorch: at a bound that is a number nothing passes; an element that equals a bound that is a tensor shares its
// gradient with it, but for bounds that are equal; where the bounds cross, max takes all.
Tensors Clamp::vjp(const Call& c, const Tensor& dy) const {
  const Value &x = c.in[0], &low = c.in[1], &high = c.in[2];
  if (!low.is_tensor() && !high.is_tensor()) {
    Tensor inside = low && high ? logical_and(gt(x, low), lt(x, high)) : low ? gt(x, low) : lt(x, high);
    return {where(inside, dy, 0), Tensor(), Tensor()};
  }
  Tensor below, above, at_low, at_high;
  if (low) below = lt(x, low), at_low = eq(x, low);
  if (high) above = gt(x, high), at_high = eq(x, high);
  if (low && high) {
    Tensor apart = lt(low, high);
    below = logical_and(below, le(low, high)), above = logical_or(above, gt(low, high));
    at_low = logical_and(at_low, apart), at_high = logical_and(at_high, apart);
  }
  auto either = [](const Tensor& a, const Tensor& b) { return a && b ? logical_or(a, b) : a ? a : b; };
  Tensor half = mul(dy, 0.5);
  Tensors dx(3);
  if (c.wants(0)) dx[0] = where(either(below, above), 0, where(either(at_low, at_high), half, dy));
  if (c.wants(1)) dx[1] = where(below, dy, where(at_low, half, 0));
  if (c.wants(2)) dx[2] = where(above, dy, where(at_high, half, 0));
  return dx;
}
Cases<Clamp> Clamp::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{Tensor::from<double>({4}, std::array{-1.5, -0.2, 0.3, 1.7}.data()), -1, 1.0};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{Tensor::from<double>({4}, std::array{-1.5, -0.2, 0.3, 1.7}.data()), Value(), 1.0};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{Tensor::from<double>({4}, std::array{-1.5, -0.2, 0.3, 1.7}.data()),
                           Tensor::from<double>({1}, std::array{-0.5}.data()),
                           Tensor::from<double>({4}, std::array{0.1, 0.2, 0.1, 1.0}.data())};
           }}};
}

}  // namespace luth::ops
