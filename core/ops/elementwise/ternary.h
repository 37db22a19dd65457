// Elementwise functions of three tensors: interpolation, and what is added in one pass. See elementwise.h for the
// recipe.
#pragma once
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

// clang-format off
struct Lerp : Elementwise {
  static constexpr Doc doc{"lerp", "input, end, weight|number", "input + weight (end - input): input at weight 0, end at 1."};
  static constexpr Traits traits = family.with({.saves = "input: weight; end: weight; weight: input, end", .promote = Promote::none, .exact_numbers = 0b100, .kernel_required = true});
  using Dtypes = Floats;
  Spec infer(const Inputs& in) const;
  template <class T> LUTH_HD T f(T a, T b, T w) const { return std::fabs(w) < T(0.5) ? a + w * (b - a) : b - (b - a) * (T(1) - w); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Lerp> samples();
};
struct Addcmul : Elementwise {
  static constexpr Doc doc{"addcmul", "input, tensor1, tensor2", "input + value tensor1 tensor2."};
  static constexpr Traits traits = family.with({.saves = "tensor1: tensor2; tensor2: tensor1", .autocast = Autocast::widest, .kernel_required = true});
  using Dtypes = Numbers;
  Scalar value = 1;
  void describe(auto& field) { field("value", value, "multiplies the product", as::named); }
  Spec infer(const Inputs& in) const;
  template <class C> struct F { C value; LUTH_HD C operator()(C x, C a, C b) const { return C(x + value * a * b); } };
  template <class C> auto functor() const { return F<C>{value.to<C>()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Addcmul> samples() { return {{{}, {{2, 3}, {2, 3}, {2, 3}}}, {{.value = 2.5}, {{3}, {2, 1}, {}}}, {{}, {{0, 2}, {2}, {1}}}}; }
};
struct Addcdiv : Elementwise {
  static constexpr Doc doc{"addcdiv", "input, tensor1, tensor2", "input + value tensor1 / tensor2."};
  static constexpr Traits traits = family.with({.saves = "tensor1: tensor2; tensor2: tensor1, tensor2", .autocast = Autocast::widest, .kernel_required = true});
  using Dtypes = Floats;
  Scalar value = 1;
  void describe(auto& field) { field("value", value, "multiplies the quotient", as::named); }
  template <class C> struct F { C value; LUTH_HD C operator()(C x, C a, C b) const { return x + value * (a / b); } };
  template <class C> auto functor() const { return F<C>{value.to<C>()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Addcdiv> samples() { return {{{}, {{2, 3}, {2, 3}, {2, 3}}, 0.5, 2}, {{.value = 2.5}, {{3}, {2, 1}, {}}, 0.5, 2}, {{}, {{0, 2}, {2}, {1}}}}; }
};
// clang-format on

using TernaryOps = Types<Lerp, Addcmul, Addcdiv>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Lerp> lerp;
inline constexpr Fn<ops::Addcmul> addcmul;
inline constexpr Fn<ops::Addcdiv> addcdiv;
}  // namespace luth
