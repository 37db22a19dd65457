// Activation functions and clamp. See elementwise.h for the recipe.
#pragma once
#include "core/math/gelu.h"
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

/// dx = dy * df(saved): the gradient of an activation in one pass; its own gradient comes from `decompose`.
struct ActivationGrad : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.internal = true, .inplace = Inplace::none}),
                          traits = family;
  using Dtypes = Floats;
};
/// Integers are refused, as in PyTorch, where it has them for tanh and sigmoid.
struct Activation : Elementwise {
  using Dtypes = Floats;
};

// clang-format off
struct TanhBackward : ActivationGrad {
  static constexpr Doc doc{"tanh_backward", "grad, result", "Gradient of tanh."};
  template <class T> LUTH_HD T f(T dy, T y) const { return dy * (T(1) - y * y); }
  Tensor decompose(const Inputs& in) const;
  static Cases<TanhBackward> samples() { return binary_samples<TanhBackward>(-0.9, 0.9); }
};
struct Tanh : FloatElementwise {
  static constexpr Doc doc{"tanh", "input", "Hyperbolic tangent of each element."};
  static constexpr Traits traits = family.with({.saves = "input: result"});
  template <class T> LUTH_HD T f(T x) const { return math::tanh(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Tanh> samples() { return unary_samples<Tanh>(-2, 2); }
};
struct SigmoidBackward : ActivationGrad {
  static constexpr Doc doc{"sigmoid_backward", "grad, result", "Gradient of sigmoid."};
  template <class T> LUTH_HD T f(T dy, T y) const { return dy * y * (T(1) - y); }
  Tensor decompose(const Inputs& in) const;
  static Cases<SigmoidBackward> samples() { return binary_samples<SigmoidBackward>(0.1, 0.9); }
};
struct Sigmoid : FloatElementwise {
  static constexpr Doc doc{"sigmoid", "input", "1 / (1 + exp(-x)) for each element."};
  static constexpr Traits traits = family.with({.saves = "input: result", .aliases = "expit special.expit"});
  template <class T> LUTH_HD T f(T x) const { return T(1) / (T(1) + math::exp(-x)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Sigmoid> samples() { return unary_samples<Sigmoid>(-2, 2); }
};
struct ReluBackward : ActivationGrad {
  static constexpr Doc doc{"relu_backward", "grad, result", "Gradient of relu."};
  static constexpr Traits traits = family.with({.saves = "grad: result; result: result.meta"});
  template <class T> LUTH_HD T f(T dy, T y) const { return y <= T(0) ? T(0) : dy; }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ReluBackward> samples() { return binary_samples<ReluBackward>(0.1, 2); }
};
struct Relu : Elementwise {
  static constexpr Doc doc{"relu", "input", "Each element, or 0 where it is negative."};
  static constexpr Traits traits = family.with({.saves = "input: result"});
  using Dtypes = Numbers;
  Spec infer(const Inputs& in) const;
  template <class T> LUTH_HD T f(T x) const { return x < T(0) ? T(0) : x; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Relu> samples() { return unary_samples<Relu>(0.2, 2); }
};
/// erf form: x Phi(x); tanh form: Hendrycks and Gimpel, "Gaussian error linear units".
struct Approximate {
  std::string approximate = "none";
  void describe(auto& field) { field("approximate", approximate, "'none' (by erf) or 'tanh'", as::named); }
  bool by_tanh() const {
    if (approximate != "none" && approximate != "tanh") throw Error("approximate is 'none' or 'tanh', got '{}'", approximate);
    return approximate == "tanh";
  }
};
struct GeluBackward : ActivationGrad, Approximate {
  static constexpr Doc doc{"gelu_backward", "grad, input", "Gradient of gelu."};
  template <class C, class Choice = bool> struct F {
    Choice by_tanh;
    void choose(auto&& run) const { by_tanh ? run(F<C, std::true_type>()) : run(F<C, std::false_type>()); }
    LUTH_HD C operator()(C dy, C x) const {
      if (by_tanh) {
        C u = C(0.7978845608028654) * (x + C(0.044715) * x * x * x), t = math::tanh(u);
        return dy * (C(0.5) * (C(1) + t) + C(0.5) * x * (C(1) - t * t) * C(0.7978845608028654) * (C(1) + C(0.134145) * x * x));
      }
      return dy * math::gelu_slope(x);
    }
  };
  template <class C> auto functor() const { return F<C>{by_tanh()}; }
  Tensor decompose(const Inputs& in) const;
  static Cases<GeluBackward> samples();
};
struct Gelu : Activation, Approximate {
  static constexpr Doc doc{"gelu", "input", "Each element times the normal distribution function at it."};
  static constexpr Traits traits = family.with({.saves = "input: input", .offered = Offered::functional, .inplace = Inplace::none, .kernel_required = true});
  template <class C, class Choice = bool> struct F {
    Choice by_tanh;
    void choose(auto&& run) const { by_tanh ? run(F<C, std::true_type>()) : run(F<C, std::false_type>()); }
    LUTH_HD C operator()(C x) const {
      if (by_tanh) return C(0.5) * x * (C(1) + math::tanh(C(0.7978845608028654) * (x + C(0.044715) * x * x * x)));
      return math::gelu(x);
    }
  };
  template <class C> auto functor() const { return F<C>{by_tanh()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Gelu> samples();
};
struct SiluBackward : ActivationGrad {
  static constexpr Doc doc{"silu_backward", "grad, input", "Gradient of silu."};
  template <class T> LUTH_HD T f(T dy, T x) const { T s = T(1) / (T(1) + math::exp(-x)); return dy * s * (T(1) + x * (T(1) - s)); }
  Tensor decompose(const Inputs& in) const;
  static Cases<SiluBackward> samples() { return binary_samples<SiluBackward>(-2, 2); }
};
struct Silu : Activation {
  static constexpr Doc doc{"silu", "input", "Each element times its sigmoid."};
  static constexpr Traits traits = family.with({.saves = "input: input", .offered = Offered::functional, .kernel_required = true});
  template <class T> LUTH_HD T f(T x) const { return x / (T(1) + math::exp(-x)); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Silu> samples() { return unary_samples<Silu>(-2, 2); }
};
struct Softplus : Activation {
  static constexpr Doc doc{"softplus", "input", "log(1 + exp(beta x)) / beta; x itself where beta x is above threshold."};
  static constexpr Traits traits = family.with({.saves = "input: input", .offered = Offered::functional, .inplace = Inplace::none, .autocast = Autocast::f32});
  double beta = 1, threshold = 20;
  void describe(auto& field) {
    field("beta", beta, "the larger, the sharper the bend");
    field("threshold", threshold, "above it the function is x");
  }
  template <class C> struct F {
    C beta, threshold;
    LUTH_HD C operator()(C x) const { return x * beta > threshold ? x : math::log1p(math::exp(x * beta)) / beta; }
  };
  template <class C> auto functor() const { return F<C>{C(beta), C(threshold)}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Softplus> samples();
};
struct LeakyReluBackward : ActivationGrad {
  static constexpr Doc doc{"leaky_relu_backward", "grad, input", "Gradient of leaky_relu."};
  static constexpr Traits traits = family.with({.saves = "grad: input; input: input.meta"});
  double negative_slope = 0.01;
  void describe(auto& field) { field("negative_slope", negative_slope, "the slope below 0"); }
  template <class C> struct F { C slope; LUTH_HD C operator()(C dy, C x) const { return x > C(0) ? dy : dy * slope; } };
  template <class C> auto functor() const { return F<C>{C(negative_slope)}; }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LeakyReluBackward> samples();
};
struct LeakyRelu : Activation {
  static constexpr Doc doc{"leaky_relu", "input", "Each element, times negative_slope where it is negative."};
  static constexpr Traits traits = family.with({.saves = "input: input", .offered = Offered::functional_inplace});
  double negative_slope = 0.01;
  void describe(auto& field) { field("negative_slope", negative_slope, "the slope below 0"); }
  template <class C> struct F { C slope; LUTH_HD C operator()(C x) const { return x > C(0) ? x : x * slope; } };
  template <class C> auto functor() const { return F<C>{C(negative_slope)}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LeakyRelu> samples() { return {{{}, {{3, 4}}, 0.2, 2}, {{.negative_slope = 0.3}, {{3, 4}}, -2, -0.2}}; }
};
// clang-format on

using ActivationOps = Types<Tanh, Sigmoid, Relu, Gelu, Silu, Softplus, LeakyRelu>;
using ActivationGrads =
    Types<TanhBackward, SigmoidBackward, ReluBackward, GeluBackward, SiluBackward, LeakyReluBackward>;

/// Throws for a least or greatest value that no element of an integer dtype can meet, as in PyTorch.
void check_least(const Tensor& t, const Value& min);
void check_greatest(const Tensor& t, const Value& max);
/// For kernels: the bound itself, or the least or greatest number of dtype `d` where it does not bind, because it is
/// not given or lies beyond what an integer dtype holds.
Value binding_least(const Value& min, Dtype d);
Value binding_greatest(const Value& max, Dtype d);

/// An absent bound does not bind.
struct Clamp : Elementwise {
  static constexpr Doc doc{"clamp", "input, min|number?, max|number?",
                           "Each element, not below min and not above max."};
  static constexpr Traits traits = family.with({.saves = "*: input, min, max", .aliases = "clip"});
  using Dtypes = Numbers;
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Clamp> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::TanhBackward> tanh_backward;
inline constexpr Fn<ops::Tanh> tanh;
inline constexpr Fn<ops::SigmoidBackward> sigmoid_backward;
inline constexpr Fn<ops::Sigmoid> sigmoid;
inline constexpr Fn<ops::ReluBackward> relu_backward;
inline constexpr Fn<ops::Relu> relu;
inline constexpr Fn<ops::GeluBackward> gelu_backward;
inline constexpr Fn<ops::Gelu> gelu;
inline constexpr Fn<ops::SiluBackward> silu_backward;
inline constexpr Fn<ops::Silu> silu;
inline constexpr Fn<ops::Softplus> softplus;
inline constexpr Fn<ops::LeakyReluBackward> leaky_relu_backward;
inline constexpr Fn<ops::LeakyRelu> leaky_relu;
inline constexpr Fn<ops::Clamp> clamp;
}  // namespace luth
