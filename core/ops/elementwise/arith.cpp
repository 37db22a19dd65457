#include "core/ops/elementwise/arith.h"

#include "core/op/basics.h"
#include "core/ops/elementwise/copy.h"

namespace luth::basic {
Tensor add(const Tensor& a, const Tensor& b) { return luth::add(a, b); }
Tensor add_into(const Tensor& sum, const Tensor& more) { return luth::add.into(sum, more); }
}  // namespace luth::basic

namespace luth::ops {
namespace {

const DefineAll<ArithOps> define_all_;
const DefineAll<Where, DivMode> define_;

// Half of dy where both are equal, none where the other `wins`, else all of it: where one is nan both get it, as in
// PyTorch.
Tensor share(const Tensor& dy, const Tensor& wins, const Tensor& ties) {
  return where(wins, 0, where(ties, mul(dy, 0.5), dy));
}
void refuse_float_alpha(const Inputs& in, const Scalar& alpha) {
  if (alpha.kind() == Scalar::Kind::integer && alpha.integer() == 1) return;
  Dtype d = elementwise_spec(in).dtype;
  if (alpha.is_floating() && !is_floating(d))
    throw Error("alpha is a float, so the tensors must be floating point, not {}", name(d));
  if (alpha.kind() == Scalar::Kind::boolean && d != Dtype::boolean)
    throw Error("alpha is a boolean and the tensors are not");
  check_holds(d, alpha);
}

}  // namespace

template <class Op>
Cases<Op> integer_pairs() {
  return {{{}, {}, 0, 0, [] {
             return Inputs{Tensor::from<int64_t>({4}, std::array<int64_t, 4>{0, 1, 5, 9}.data()),
                           Tensor::from<int64_t>({4}, std::array<int64_t, 4>{3, 1, 2, 0}.data())};
           }}};
}
template Cases<BitwiseAnd> integer_pairs();
template Cases<BitwiseOr> integer_pairs();
template Cases<BitwiseXor> integer_pairs();
template Cases<BitwiseLeftShift> integer_pairs();
template Cases<BitwiseRightShift> integer_pairs();

template <class Op>
static Cases<Op> alpha_samples() {
  return {{{}, {{2, 3}, {2, 3}}}, {{.alpha = 2.5}, {{2, 1, 3}, {4, 1}}}, {{}, {{}, {2}}}};
}
// Between integers, where quotients jump.
template <class Op>
static Cases<Op> quotient_samples() {
  return {{{}, {{3}, {3}}, 2.2, 2.9}, {{}, {{2, 1}, {3}}, 2.2, 2.9}};
}

Spec Add::infer(const Inputs& in) const {
  refuse_float_alpha(in, alpha);
  return elementwise_spec(in);
}
Tensors Add::vjp(const Call& c, const Tensor& dy) const {
  return {dy, !c.wants(1) ? Tensor() : alpha == Scalar(1) ? dy : mul(dy, alpha)};
}
Cases<Add> Add::samples() { return alpha_samples<Add>(); }

// As PyTorch: true and false are not subtracted, nor from numbers.
void Sub::refuse_bool(const Inputs& in) {
  if (in[0].dtype() == in[1].dtype()) throw Error("two bool operands cannot be subtracted; use logical_xor or ne");
  throw Error("a bool operand cannot be subtracted, nor subtracted from; to invert a mask use ~x or logical_not");
}
Spec Sub::infer(const Inputs& in) const {
  refuse_float_alpha(in, alpha);
  for (auto& v : in)
    if (v.dtype() == Dtype::boolean) refuse_bool(in);
  return elementwise_spec(in);
}
Tensors Sub::vjp(const Call& c, const Tensor& dy) const {
  return {dy, !c.wants(1) ? Tensor() : alpha == Scalar(1) ? basic::neg(dy) : basic::neg(mul(dy, alpha))};
}
Cases<Sub> Sub::samples() { return alpha_samples<Sub>(); }

Tensors Mul::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? mul(dy, c.in[1]) : Tensor(), c.wants(1) ? mul(dy, c.in[0]) : Tensor()};
}
Tensors Div::vjp(const Call& c, const Tensor& dy) const {
  Tensor dx = c.wants(0) ? div(dy, c.in[1]) : Tensor();
  return {dx, c.wants(1) ? basic::neg(mul(dy, div(c.out[0], c.in[1]))) : Tensor()};
}
Tensors FloorDivide::vjp(const Call&, const Tensor& dy) const { return {zeros_of(dy), zeros_of(dy)}; }
Cases<FloorDivide> FloorDivide::samples() { return quotient_samples<FloorDivide>(); }
Tensors TruncDivide::vjp(const Call&, const Tensor& dy) const { return {zeros_of(dy), zeros_of(dy)}; }
Cases<TruncDivide> TruncDivide::samples() { return quotient_samples<TruncDivide>(); }

Tensor DivMode::decompose(const Inputs& in) const {
  if (!rounding_mode) return div(in[0], in[1]);
  if (*rounding_mode == "floor") return floor_divide(in[0], in[1]);
  if (*rounding_mode == "trunc") return trunc_divide(in[0], in[1]);
  throw Error("rounding_mode is 'floor', 'trunc' or nil, got '{}'", *rounding_mode);
}
Cases<DivMode> DivMode::samples() {
  return {{{.rounding_mode = "floor"}, {{3}, {3}}, 2.2, 2.9},
          {{.rounding_mode = "trunc"}, {{3}, {3}}, 2.2, 2.9},
          {{}, {{3}, {3}}, 1, 2}};
}

// Of input - other * quotient, whose quotient is constant almost everywhere.
static Tensors remainder_vjp(const Call& c, const Tensor& dy, const auto& quotient) {
  return {dy, c.wants(1) ? basic::neg(mul(dy, quotient(c.in[0], c.in[1]))) : Tensor()};
}
Tensors Remainder::vjp(const Call& c, const Tensor& dy) const { return remainder_vjp(c, dy, floor_divide); }
Cases<Remainder> Remainder::samples() { return quotient_samples<Remainder>(); }
Tensors Fmod::vjp(const Call& c, const Tensor& dy) const { return remainder_vjp(c, dy, trunc_divide); }
Cases<Fmod> Fmod::samples() { return quotient_samples<Fmod>(); }

Spec Pow::infer(const Inputs& in) const {
  Spec s = elementwise_spec(in);
  if (!is_floating(s.dtype) && in[1].is_scalar() && in[1].scalar().integer() < 0)
    throw Error("integers to a negative power are no integers; convert the tensor first, e.g. with :float()");
  if (s.dtype != Dtype::f32) check_holds(s.dtype, in[1]);  // there a number too large is infinite, as in PyTorch
  return s;
}
Tensors Pow::vjp(const Call& c, const Tensor& dy) const {
  const Value &x = c.in[0], &y = c.in[1];
  Tensor dx, de;
  if (c.wants(0) && y.is_scalar()) {
    double e = y.scalar().value();
    dx = e == 0 ? zeros_of(dy) : e == 1 ? dy : e == 2 ? mul(dy, mul(x, 2)) : mul(dy, mul(pow(x, e - 1), e));
  } else if (c.wants(0)) {  // where the exponent is 0 the result is 1 whatever x is, 0^0 included
    dx = where(eq(y, 0), 0, mul(dy, mul(y, pow(x, sub(y, 1)))));
  }
  if (c.wants(1)) {
    Tensor logs = x.is_scalar() ? basic::log(Tensor::scalar(x.scalar(), dy.dtype())) : basic::log(x);
    Tensor zero_base = logical_and(eq(x.is_scalar() ? Value(Tensor::scalar(x.scalar(), dy.dtype())) : x, 0), ge(y, 0));
    de = where(zero_base, 0, mul(dy, mul(c.out[0], logs)));
  }
  return {dx, de};
}
Cases<Pow> Pow::samples() {
  return {{{}, {{3}, {3}}, 0.5, 2},
          {{}, {{2, 1}, {3}}, 0.5, 2},
          {{},
           {},
           0.5,
           2,
           [] {
             return Inputs{Tensor::from<double>({3}, std::array{0.5, 1.5, -1.2}.data()), 3};
           }},
          {{}, {}, 0.5, 2, [] {
             return Inputs{2.5, Tensor::from<double>({3}, std::array{0.5, 1.5, -1.2}.data())};
           }}};
}

// The second operand wins where `second(x, y)`, the first where `first(x, y)`.
static Tensors extremum_vjp(const Call& c, const Tensor& dy, const auto& second, const auto& first) {
  Tensor ties = eq(c.in[0], c.in[1]);
  return {c.wants(0) ? share(dy, second(c.in[0], c.in[1]), ties) : Tensor(),
          c.wants(1) ? share(dy, first(c.in[0], c.in[1]), ties) : Tensor()};
}
Tensors Maximum::vjp(const Call& c, const Tensor& dy) const { return extremum_vjp(c, dy, lt, gt); }
Tensors Minimum::vjp(const Call& c, const Tensor& dy) const { return extremum_vjp(c, dy, gt, lt); }
Tensors Atan2::vjp(const Call& c, const Tensor& dy) const {
  Tensor radius = add(basic::square(c.in[0]), basic::square(c.in[1]));
  Tensor scaled = where(eq(radius, 0), 0, div(dy, radius));  // PyTorch: no gradient at the origin
  return {c.wants(0) ? mul(scaled, c.in[1]) : Tensor(), c.wants(1) ? basic::neg(mul(scaled, c.in[0])) : Tensor()};
}

Spec Where::infer(const Inputs& in) const {
  if (in[0].dtype() != Dtype::boolean) throw Error("condition must be bool, not {}", name(in[0].dtype()));
  Inputs both(in.begin() + 1, in.end());
  Spec s = elementwise_spec(in, result_type(both));
  if (s.dtype != Dtype::f16 && s.dtype != Dtype::bf16)  // there a number too large is infinite, as in PyTorch
    for (auto& v : both) check_holds(s.dtype, v);
  return s;
}
Tensors Where::vjp(const Call& c, const Tensor& dy) const {
  return {Tensor(), c.wants(1) ? where(c.in[0], dy, 0) : Tensor(), c.wants(2) ? where(c.in[0], 0, dy) : Tensor()};
}
Cases<Where> Where::samples() {
  return {{{}, {}, 0, 0, [] {
             return Inputs{Tensor::from<bool>({3}, std::array{true, false, true}.data()),
                           Tensor::from<double>({3}, std::array{1.0, 2.0, 3.0}.data()),
                           Tensor::from<double>({2, 1}, std::array{-1.0, -2.0}.data())};
           }}};
}

}  // namespace luth::ops
