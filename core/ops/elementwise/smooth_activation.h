// Smooth activations: mish, softsign, logsigmoid; and those that shrink towards 0. See with_backward.h for the recipe.
#pragma once
#include "core/ops/elementwise/with_backward.h"

namespace luth::ops {

// clang-format off
/// x tanh(log(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2). Misra, "Mish", 2019. Above 20 it is x.
struct Mish : WithBackward<Mish> {
  static constexpr Doc doc{"mish", "input", "Each element times tanh(softplus(x))."};
  static constexpr Traits traits = family.with({.offered = Offered::functional});
  static constexpr std::string_view backward = "mish_backward";
  template <class C> LUTH_HD C f(C x) const {
    const C e = math::exp(x > C(20) ? C(20) : x), n = e * (e + C(2));
    return x > C(20) ? x : x * (n / (n + C(2)));
  }
  template <class C> LUTH_HD C grad(C dy, C x) const {
    const C e = math::exp(x > C(20) ? C(20) : x), n = e * (e + C(2)), m = n + C(2);
    return x > C(20) ? dy : dy * (n / m + x * C(4) * e * (C(1) + e) / (m * m));
  }
  Tensor bend(const Value& x) const;
  static Cases<Mish> samples() { return unary_samples<Mish>(-2, 2); }
};
void refuse_bool(const Inputs& in);
struct Softsign : WithBackward<Softsign> {
  static constexpr Doc doc{"softsign", "input", "x / (1 + |x|) for each element."};
  static constexpr std::string_view backward = "softsign_backward";
  static constexpr Traits traits = family.with({.offered = Offered::functional, .inplace = Inplace::none, .promote = Promote::floating, .check_bool = refuse_bool});
  template <class C> LUTH_HD C f(C x) const { return x / (C(1) + std::fabs(x)); }
  template <class C> LUTH_HD C grad(C dy, C x) const { const C d = C(1) + std::fabs(x); return dy / (d * d); }
  Tensor bend(const Value& x) const;
  static Cases<Softsign> samples() { return {{{}, {{3, 4}}, 0.2, 2}, {{}, {{}}, -2, -0.2}}; }
};
struct Tanhshrink : WithBackward<Tanhshrink> {
  static constexpr Doc doc{"tanhshrink", "input", "x - tanh(x) for each element."};
  static constexpr std::string_view backward = "tanhshrink_backward";
  static constexpr Traits traits = family.with({.offered = Offered::functional, .inplace = Inplace::none, .promote = Promote::floating, .check_bool = refuse_bool});
  template <class C> LUTH_HD C f(C x) const { return x - math::tanh(x); }
  template <class C> LUTH_HD C grad(C dy, C x) const { const C t = math::tanh(x); return dy * t * t; }
  Tensor bend(const Value& x) const;
  static Cases<Tanhshrink> samples() { return unary_samples<Tanhshrink>(-2, 2); }
};
struct Hardshrink : WithBackward<Hardshrink> {
  static constexpr Doc doc{"hardshrink", "input", "Each element, or 0 where it is between -lambd and lambd."};
  static constexpr std::string_view backward = "hardshrink_backward";
  static constexpr Traits traits = family.with({.inplace = Inplace::none});
  double lambd = 0.5;
  void describe(auto& field) { field("lambd", lambd, "what is not farther from 0 becomes 0"); }
  template <class C> struct F {
    C lambd;
    LUTH_HD C operator()(C x) const { return x >= -lambd && x <= lambd ? C(0) : x; }
    LUTH_HD C grad(C dy, C x) const { return x >= -lambd && x <= lambd ? C(0) : dy; }
  };
  template <class C> auto functor(Dtype d) const { return F<C>{rounded_to(d, lambd).to<C>()}; }
  Tensor bend(const Value&) const { return {}; }
  static Cases<Hardshrink> samples() { return {{{}, {{3, 4}}, 0.7, 2}, {{.lambd = 1}, {{3, 4}}, -0.8, 0.8}, {{}, {{}}, -2, -0.7}}; }
};
struct Softshrink : WithBackward<Softshrink> {
  static constexpr Doc doc{"softshrink", "input", "Each element moved towards 0 by lambd, and 0 where it would pass it."};
  static constexpr std::string_view backward = "softshrink_backward";
  static constexpr Traits traits = family.with({.offered = Offered::functional, .inplace = Inplace::none});
  double lambd = 0.5;
  void describe(auto& field) { field("lambd", lambd, "by how much; not negative"); }
  void check() const;  // throws for settings that make no sense
  Spec infer(const Inputs& in) const;
  template <class C> struct F {
    C lambd;
    LUTH_HD C operator()(C x) const { return x > lambd ? x - lambd : x < -lambd ? x + lambd : x != x ? x : C(0); }
    LUTH_HD C grad(C dy, C x) const { return x >= -lambd && x <= lambd ? C(0) : dy; }
  };
  template <class C> auto functor(Dtype d) const { return F<C>{rounded_to(d, lambd).to<C>()}; }
  Tensor bend(const Value&) const { return {}; }
  static Cases<Softshrink> samples() { return {{{}, {{3, 4}}, 0.7, 2}, {{.lambd = 1}, {{3, 4}}, -0.8, 0.8}, {{}, {{}}, -2, -0.7}}; }
};
struct LogSigmoid : WithBackward<LogSigmoid> {
  static constexpr Doc doc{"logsigmoid", "input", "The logarithm of sigmoid, without underflow."};
  static constexpr std::string_view backward = "logsigmoid_backward";
  static constexpr Traits traits = family.with({.offered = Offered::functional});
  template <class C> LUTH_HD C f(C x) const { return (x < C(0) ? x : x != x ? x : C(0)) - math::log1p(math::exp(x < C(0) ? x : -x)); }
  template <class C> LUTH_HD C grad(C dy, C x) const {
    const C e = math::exp(-std::fabs(x));
    return dy * ((x < C(0) ? C(1) : e) / (C(1) + e));
  }
  Tensor bend(const Value& x) const;
  static Cases<LogSigmoid> samples() { return unary_samples<LogSigmoid>(-4, 4); }
};

struct Gated : Elementwise {
  static constexpr Doc doc{"glu.halves", "input, gate", "Input times the sigmoid of gate."};
  static constexpr Traits traits = family.with({.saves = "input: gate; gate: input, gate", .internal = true, .inplace = Inplace::none});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T x, T g) const { return x / (T(1) + math::exp(-g)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Gated> samples() { return binary_samples<Gated>(-2, 2); }
};
struct GateSlope : Elementwise {
  static constexpr Doc doc{"glu.gate_slope", "grad, input, gate", "The gradient of glu.halves in its gate."};
  static constexpr Traits traits = family.with({.internal = true, .inplace = Inplace::none});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T dy, T x, T g) const {
    const T e = math::exp(-std::fabs(g)), whole = T(1) + e;
    return dy * x * (e / (whole * whole));
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<GateSlope> samples() { return {{{}, {{2, 3}, {2, 3}, {2, 3}}, -2, 2}, {{}, {{}, {2}, {3, 1}}, -2, 2}}; }
};
// clang-format on

using Shrinks = Types<Mish, Softsign, Tanhshrink, Hardshrink, Softshrink, LogSigmoid>;
using SmoothActivationOps = Concatenated<Shrinks, BackwardsOf<Shrinks>, Types<Gated, GateSlope>>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Mish> mish;
inline constexpr Fn<ops::Softsign> softsign;
inline constexpr Fn<ops::Tanhshrink> tanhshrink;
inline constexpr Fn<ops::Hardshrink> hardshrink;
inline constexpr Fn<ops::Softshrink> softshrink;
inline constexpr Fn<ops::LogSigmoid> log_sigmoid;
inline constexpr Fn<ops::Gated> gated;
inline constexpr Fn<ops::GateSlope> gate_slope;
}  // namespace luth
