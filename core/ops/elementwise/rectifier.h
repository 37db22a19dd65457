// Activations that are linear, or nearly so, on parts of the line: elu and its kin, hardtanh and its kin, threshold.
// See with_backward.h for the recipe.
#pragma once
#include "core/ops/elementwise/with_backward.h"

namespace luth::ops {

// clang-format off
/// scale x above 0, scale alpha (e^(rate x) - 1) below.
template <class C> struct BentExponential {
  C alpha, scale, rate;
  LUTH_HD C operator()(C x) const { return x <= C(0) ? scale * alpha * math::expm1(x * rate) : x * scale; }
  LUTH_HD C grad(C dy, C x) const { return x <= C(0) ? dy * (scale * alpha * rate * math::exp(x * rate)) : dy * scale; }
};
/// Its second derivative: `factor` e^(rate x) where x <= 0.
Tensor bent_exponential(const Value& x, double factor, double rate);

struct Elu : WithBackward<Elu> {
  static constexpr Doc doc{"elu", "input", "Each element, alpha (exp(x) - 1) where it is negative."};
  static constexpr Traits traits = family.with({.offered = Offered::functional_inplace, .kernel_required = true});
  static constexpr std::string_view backward = "elu_backward";
  double alpha = 1;
  void describe(auto& field) { field("alpha", alpha, "the limit on the left is -alpha"); }
  template <class C> auto functor() const { return BentExponential<C>{C(alpha), C(1), C(1)}; }
  Tensor bend(const Value& x) const { return bent_exponential(x, alpha, 1); }
  static Cases<Elu> samples() { return {{{}, {{3, 4}}, 0.2, 2}, {{.alpha = 0.7}, {{3, 4}}, -2, -0.2}, {{}, {{}}}}; }
};
/// alpha and scale: Klambauer et al., "Self-normalizing neural networks", 2017.
struct Selu : WithBackward<Selu> {
  static constexpr Doc doc{"selu", "input", "elu scaled so that layers keep mean 0 and variance 1."};
  static constexpr Traits traits = family.with({.offered = Offered::function});
  static constexpr std::string_view backward = "selu_backward";
  static constexpr double alpha = 1.6732632423543772, scale = 1.0507009873554805;
  template <class C> auto functor() const { return BentExponential<C>{C(alpha), C(scale), C(1)}; }
  Tensor bend(const Value& x) const { return bent_exponential(x, alpha * scale, 1); }
  static Cases<Selu> samples() { return {{{}, {{3, 4}}, 0.2, 2}, {{}, {{3, 4}}, -2, -0.2}, {{}, {{}}}}; }
};
struct Celu : WithBackward<Celu> {
  static constexpr Doc doc{"celu", "input", "Each element, alpha (exp(x / alpha) - 1) where it is negative."};
  static constexpr Traits traits = family.with({.offered = Offered::function});
  static constexpr std::string_view backward = "celu_backward";
  double alpha = 1;
  void describe(auto& field) { field("alpha", alpha, "the limit on the left is -alpha"); }
  void check() const;  // throws for settings that make no sense
  Spec infer(const Inputs& in) const;
  template <class C> auto functor() const { return BentExponential<C>{C(alpha), C(1), C(1 / alpha)}; }
  Tensor bend(const Value& x) const { return bent_exponential(x, 1 / alpha, 1 / alpha); }
  static Cases<Celu> samples() { return {{{}, {{3, 4}}, 0.2, 2}, {{.alpha = 0.7}, {{3, 4}}, -2, -0.2}, {{}, {{}}}}; }
};

/// x clamped to two bounds; nan stays.
template <class C> struct Held {
  C low, high;
  LUTH_HD C operator()(C x) const { return x < low ? low : x > high ? high : x; }
  LUTH_HD C grad(C dy, C x) const { return x <= low || x >= high ? C(0) : dy; }
};
/// Throws for bool, as PyTorch does.
Spec rectified_spec(const Inputs& in);

struct Hardtanh : WithBackward<Hardtanh> {
  static constexpr Doc doc{"hardtanh", "input", "Each element, not below min_val and not above max_val."};
  static constexpr Traits traits = family.with({.offered = Offered::functional_inplace});
  static constexpr std::string_view backward = "hardtanh_backward";
  using Dtypes = Numbers;
  double min_val = -1, max_val = 1;
  void describe(auto& field) {
    field("min_val", min_val, "the least result");
    field("max_val", max_val, "the greatest result");
  }
  void check() const;  // throws for settings that make no sense
  Spec infer(const Inputs& in) const;
  template <class C> auto functor() const { return Held<C>{cast<C>(min_val), cast<C>(max_val)}; }
  Tensor bend(const Value&) const { return {}; }
  static Cases<Hardtanh> samples();
};
struct Relu6 : WithBackward<Relu6> {
  static constexpr Doc doc{"relu6", "input", "Each element, not below 0 and not above 6."};
  static constexpr Traits traits = family.with({.offered = Offered::functional});
  static constexpr std::string_view backward = "relu6_backward";
  using Dtypes = Numbers;
  Spec infer(const Inputs& in) const { return rectified_spec(in); }
  template <class C> auto functor() const { return Held<C>{C(0), C(6)}; }
  Tensor bend(const Value&) const { return {}; }
  static Cases<Relu6> samples() { return {{{}, {{3, 4}}, 0.2, 5.8}, {{}, {{3}}, 6.2, 8}, {{}, {{}}, -2, -0.2}}; }
};
struct Hardswish : WithBackward<Hardswish> {
  static constexpr Doc doc{"hardswish", "input", "x relu6(x + 3) / 6: silu of straight and parabolic parts."};
  static constexpr Traits traits = family.with({.offered = Offered::functional, .kernel_required = true});
  static constexpr std::string_view backward = "hardswish_backward";
  template <class C> LUTH_HD C f(C x) const { return x * Held<C>{C(0), C(6)}(x + C(3)) / C(6); }
  template <class C> LUTH_HD C grad(C dy, C x) const { return x <= C(-3) ? C(0) : x < C(3) ? dy * (x / C(3) + C(0.5)) : dy; }
  Tensor bend(const Value& x) const;
  static Cases<Hardswish> samples() { return {{{}, {{3, 4}}, -2.8, 2.8}, {{}, {{3}}, 3.2, 5}, {{}, {{}}, -5, -3.2}}; }
};
struct Hardsigmoid : WithBackward<Hardsigmoid> {
  static constexpr Doc doc{"hardsigmoid", "input", "relu6(x + 3) / 6: sigmoid of straight parts."};
  static constexpr Traits traits = family.with({.offered = Offered::functional});
  static constexpr std::string_view backward = "hardsigmoid_backward";
  template <class C> LUTH_HD C f(C x) const { return Held<C>{C(0), C(6)}(x + C(3)) / C(6); }
  template <class C> LUTH_HD C grad(C dy, C x) const { return x > C(-3) && x < C(3) ? dy / C(6) : C(0); }
  Tensor bend(const Value&) const { return {}; }
  static Cases<Hardsigmoid> samples() { return {{{}, {{3, 4}}, -2.8, 2.8}, {{}, {{3}}, 3.2, 5}, {{}, {{}}, -5, -3.2}}; }
};
struct Threshold : WithBackward<Threshold> {
  static constexpr Doc doc{"threshold", "input", "Each element, or value where it is not above threshold."};
  static constexpr Traits traits = family.with({.offered = Offered::function});
  static constexpr std::string_view backward = "threshold_backward";
  using Dtypes = Numbers;
  Scalar threshold = 0, value = 0;
  void describe(auto& field) {
    field("threshold", threshold, "elements above it stay", as::required);
    field("value", value, "what the others become", as::required);
  }
  template <class C> struct F {
    C bound, value;
    LUTH_HD C operator()(C x) const { return x <= bound ? value : x; }
    LUTH_HD C grad(C dy, C x) const { return x <= bound ? C(0) : dy; }
  };
  Spec infer(const Inputs& in) const;
  template <class C> auto functor() const { return F<C>{threshold.to<C>(), value.to<C>()}; }
  Tensor bend(const Value&) const { return {}; }
  static Cases<Threshold> samples() { return {{{.threshold = 0.1, .value = 7}, {{3, 4}}, 0.2, 2}, {{.threshold = 0.1, .value = 0.5}, {{3, 4}}, -2, -0.2}}; }
};

struct PreluSame : Elementwise {
  static constexpr Doc doc{"prelu.same", "input, weight", "Each element, times its weight where it is not positive."};
  static constexpr Traits traits = family.with({.saves = "*: input, weight", .internal = true, .inplace = Inplace::none});
  using Dtypes = Floats;
  template <class T> LUTH_HD T f(T x, T w) const { return x > T(0) ? x : x * w; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<PreluSame> samples() { return binary_samples<PreluSame>(-2, -0.2); }
};
// clang-format on

using Rectifiers = Types<Elu, Selu, Celu, Hardtanh, Relu6, Hardswish, Hardsigmoid, Threshold>;
using RectifierOps = Concatenated<Rectifiers, BackwardsOf<Rectifiers>, Types<PreluSame>>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Elu> elu;
inline constexpr Fn<ops::Selu> selu;
inline constexpr Fn<ops::Celu> celu;
inline constexpr Fn<ops::Hardtanh> hardtanh;
inline constexpr Fn<ops::Relu6> relu6;
inline constexpr Fn<ops::Hardswish> hardswish;
inline constexpr Fn<ops::Hardsigmoid> hardsigmoid;
inline constexpr Fn<ops::Threshold> threshold;
inline constexpr Fn<ops::PreluSame> prelu_same;
}  // namespace luth
