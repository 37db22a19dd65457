// The terms of losses of pairs: functions of input and target in one pass, and their gradients by input in another. See
// with_backward.h for the recipe, which is here
//
//   struct SquaredDifference : OfDifference<SquaredDifference> {
//     …
//     template <class T> LUTH_HD T f(T x, T t) const;
//     template <class T> LUTH_HD T grad(T dy, T x, T t) const;          // dy times the derivative of f by x
//     Tensor slope(const Value& x, const Value& t) const;               // that derivative in operators
//   };
#pragma once
#include "core/op/basics.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/select.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/elementwise/with_backward.h"

namespace luth::ops {

// clang-format off
/// Gradients of gradients come from the operators of `slope`.
template <class Op> requires(Op::doc.arity() == 2)
struct BackwardOf<Op> : BackwardKernel<Op> {
  static constexpr Doc doc{Op::backward, "grad, input, target", "The gradient by input of the loss that it is named after."};
  static constexpr Traits traits = BackwardKernel<Op>::family;
  Tensor decompose(const Inputs& in) const { return mul(in[0], this->forward.slope(in[1], in[2])); }
};

template <class Op>
struct LossTerm : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.saves = "*: input, target", .internal = true, .inplace = Inplace::none});
  using Dtypes = Floats;
  Tensor input_grad(const Call& c, const Tensor& dy) const { return backward_of(static_cast<const Op&>(*this), dy, c.in[0], c.in[1]); }
};
/// A function of input - target, which takes what `sub` takes.
template <class Op>
struct OfDifference : LossTerm<Op> {
  static constexpr Traits family = LossTerm<Op>::family.with({.check_bool = Sub::refuse_bool}), traits = family;
  Spec infer(const Inputs& in) const {
    if (in[0].dtype() == Dtype::boolean) Sub::refuse_bool(in);
    return elementwise_spec(in);
  }
  Tensors vjp(const Call& c, const Tensor& dy) const {
    const Tensor dx = this->input_grad(c, dy);
    return {dx, c.wants(1) ? basic::neg(dx) : Tensor()};
  }
};

struct SquaredDifference : OfDifference<SquaredDifference> {
  static constexpr Doc doc{"mse_loss.each", "input, target", "The square of each difference."};
  static constexpr std::string_view backward = "mse_loss_backward";
  using Dtypes = Numbers;
  template <class T> LUTH_HD T f(T x, T t) const { const T z = T(x - t); return T(z * z); }
  template <class T> LUTH_HD T grad(T dy, T x, T t) const { return dy * ((x - t) * T(2)); }
  Tensor slope(const Value& x, const Value& t) const;
  static Cases<SquaredDifference> samples() { return binary_samples<SquaredDifference>(-2, 2); }
};
/// Of floats: the difference of unsigned integers wraps in their dtype, which is not that of the function's arguments.
struct AbsoluteDifference : OfDifference<AbsoluteDifference> {
  static constexpr Doc doc{"l1_loss.each", "input, target", "The absolute value of each difference."};
  static constexpr std::string_view backward = "l1_loss_backward";
  template <class T> LUTH_HD T f(T x, T t) const { return Abs().f(x - t); }
  template <class T> LUTH_HD T grad(T dy, T x, T t) const { return dy * Sign().f(x - t); }
  Tensor slope(const Value& x, const Value& t) const;
  static Cases<AbsoluteDifference> samples() { return binary_samples<AbsoluteDifference>(-2, 2); }
};
/// Half the square up to delta, and beyond it the tangent, whose slope is finite where the difference is infinite; over
/// `unit`.
struct Huber : OfDifference<Huber> {
  static constexpr Doc doc{"huber_loss.each", "input, target", "Huber_loss without reduction, over a unit."};
  static constexpr std::string_view backward = "huber_loss_backward";
  static constexpr Traits traits = family.with({.promote = Promote::floating});
  double delta = 1, unit = 1;
  void describe(auto& field) {
    field("delta", delta, "where it turns from square to absolute");
    field("unit", unit, "divides it");
  }
  template <class C, class Unit = C> struct F {
    C delta;
    Unit unit;
    void choose(auto&& run) const { unit == C(1) ? run(F<C, std::integral_constant<int, 1>>{delta, {}}) : run(*this); }
    LUTH_HD C bounded(C z) const { return ClampFunctor()(z, -delta, delta); }
    LUTH_HD C operator()(C x, C t) const { const C z = x - t, b = bounded(z); return b / unit * (z - b * C(0.5)); }
    LUTH_HD C grad(C dy, C x, C t) const { return dy * (bounded(x - t) / unit); }
  };
  template <class C> auto functor() const { return F<C>{C(delta), C(unit)}; }
  Tensor slope(const Value& x, const Value& t) const;
  static Cases<Huber> samples() { return {{{}, {{2, 3}, {2, 3}}}, {{.delta = 0.5, .unit = 0.25}, {{2, 1, 3}, {4, 1}}}, {{}, {{}, {2}}}}; }
};
/// (1 - t) x + log(1 + e^-x), which for x < 0 is -t x + log(1 + e^x): so neither it nor its derivative loses digits to a
/// difference of numbers that are almost equal.
struct LogitCrossEntropy : LossTerm<LogitCrossEntropy> {
  static constexpr Doc doc{"binary_cross_entropy_with_logits.each", "input, target", "Cross entropy of sigmoid(input) and target, without reduction."};
  static constexpr std::string_view backward = "binary_cross_entropy_with_logits_backward";
  static constexpr Traits traits = family.with({.check_bool = Sub::refuse_bool});
  template <class T> LUTH_HD T f(T x, T t) const { return (x < T(0) ? -t : T(1) - t) * x + math::log1p(math::exp(-std::fabs(x))); }
  template <class T> LUTH_HD T grad(T dy, T x, T t) const {
    const T e = math::exp(-std::fabs(x)), p = e / (T(1) + e);
    return dy * (x < T(0) ? p - t : (T(1) - t) - p);
  }
  Tensor slope(const Value& x, const Value& t) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LogitCrossEntropy> samples() { return binary_samples<LogitCrossEntropy>(-2, 2); }
};
// clang-format on

using LossTerms = Types<SquaredDifference, AbsoluteDifference, Huber, LogitCrossEntropy>;
using LossTermsOps = Concatenated<LossTerms, BackwardsOf<LossTerms>>;

/// LogitCrossEntropy, which takes no integers as x.
Tensor logit_cross_entropy(const Tensor& x, const Tensor& t);

}  // namespace luth::ops
