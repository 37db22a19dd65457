// Matrix products. See op.h for the recipe. All of them want inputs of one dtype, as PyTorch's do.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Mm {
  static constexpr Doc doc{"mm", "input, mat2", "The product of two matrices."};
  static constexpr Traits traits{
      .saves = "input: mat2; mat2: input", .autocast = Autocast::lower, .kernel_required = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Mm> samples() { return {{{}, {{2, 3}, {3, 4}}}, {{}, {{2, 0}, {0, 3}}}, {{}, {{1, 5}, {5, 1}}}}; }
};
struct Bmm {
  static constexpr Doc doc{"bmm", "input, mat2",
                           "The products of the matrices of two batches, [b, n, k] and [b, k, m]."};
  static constexpr Traits traits{
      .saves = "input: mat2; mat2: input", .autocast = Autocast::lower, .kernel_required = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Bmm> samples() { return {{{}, {{2, 2, 3}, {2, 3, 4}}}, {{}, {{0, 2, 3}, {0, 3, 4}}}}; }
};
struct Mv {
  static constexpr Doc doc{"mv", "input, vec", "The product of a matrix and a vector."};
  static constexpr Traits traits{
      .saves = "input: vec; vec: input", .autocast = Autocast::lower, .kernel_required = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Mv> samples() { return {{{}, {{2, 3}, {3}}}, {{}, {{3, 0}, {0}}}}; }
};
struct Dot {
  static constexpr Doc doc{"dot", "input, tensor", "The sum of the products of the elements of two vectors."};
  static constexpr Traits traits{
      .saves = "input: tensor; tensor: input", .autocast = Autocast::widest, .kernel_required = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Dot> samples() { return {{{}, {{5}, {5}}}, {{}, {{0}, {0}}}}; }
};
struct Vdot {
  static constexpr Doc doc{"vdot", "input, other", "The same as dot, for real numbers."};
  static constexpr Traits traits{.autocast = Autocast::widest};
  Tensor decompose(const Inputs& in) const;
  static Cases<Vdot> samples() { return {{{}, {{5}, {5}}}}; }
};
struct Outer {
  static constexpr Doc doc{"outer", "input, vec2", "The matrix of products of the elements of two vectors."};
  static constexpr Traits traits{.aliases = "ger"};
  Tensor decompose(const Inputs& in) const;
  static Cases<Outer> samples() { return {{{}, {{2}, {3}}}}; }
};
struct Inner {
  static constexpr Doc doc{"inner", "input, other", "Sums of products over the last dims of both."};
  static constexpr Traits traits{.autocast = Autocast::lower};
  Tensor decompose(const Inputs& in) const;
  static Cases<Inner> samples() { return {{{}, {{3}, {3}}}, {{}, {{2, 3}, {4, 3}}}, {{}, {{}, {2}}}}; }
};
struct Matmul {
  static constexpr Doc doc{"matmul", "input, other",
                           "The product of vectors, matrices or batches of matrices; batch dims broadcast."};
  static constexpr Traits traits{.aliases = "linalg.matmul", .autocast = Autocast::lower};
  Tensor decompose(const Inputs& in) const;
  static Cases<Matmul> samples() {
    return {{{}, {{3}, {3}}},          {{}, {{2, 3}, {3}}},       {{}, {{3}, {3, 2}}},
            {{}, {{2, 3}, {3, 4}}},    {{}, {{2, 2, 3}, {3, 2}}}, {{}, {{2, 2, 3}, {3}}},
            {{}, {{2, 3}, {2, 3, 2}}}, {{}, {{3}, {2, 3, 2}}},    {{}, {{2, 1, 2, 3}, {3, 3, 2}}}};
  }
};

/// beta * input + alpha * product, where beta = 0 ignores input altogether (nan included). Integers take the whole part
/// of the factors, as PyTorch's do.
struct Blend {
  Scalar beta = 1, alpha = 1;
  void describe(auto& field) {
    field("beta", beta, "factor of input; 0 ignores it", as::named);
    field("alpha", alpha, "factor of the product", as::named);
  }
};
struct Addmm : Blend {
  static constexpr Doc doc{"addmm", "input, mat1, mat2", "beta * input + alpha * (mat1 @ mat2); input broadcasts."};
  static constexpr Traits traits{.saves = "input: input.meta; mat1: mat2; mat2: mat1",
                                 .inplace = Inplace::also,
                                 .autocast = Autocast::lower,
                                 .kernel_required = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Addmm> samples() {
    return {{{}, {{2, 4}, {2, 3}, {3, 4}}}, {{{0.5, 2}}, {{4}, {2, 3}, {3, 4}}}, {{{0, 1}}, {{2, 1}, {2, 3}, {3, 4}}}};
  }
};
/// One pass where the device's library has it: the activation is applied while the product is stored.
struct AddmmActivation : Blend {
  static constexpr Doc doc{"_addmm_activation", "input, mat1, mat2",
                           "relu of addmm, or with use_gelu the tanh form of gelu of it."};
  static constexpr Traits traits{.saves = "*: input, mat1, mat2, result", .autocast = Autocast::lower};
  bool use_gelu = false;
  void describe(auto& field) {
    Blend::describe(field);
    field("use_gelu", use_gelu, "gelu in place of relu", as::named);
  }
  Spec infer(const Inputs& in) const;
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AddmmActivation> samples() {
    return {{{}, {{4}, {2, 3}, {3, 4}}}, {{{0.5, 2}, true}, {{2, 4}, {2, 3}, {3, 4}}}};
  }
};
struct Baddbmm : Blend {
  static constexpr Doc doc{"baddbmm", "input, batch1, batch2",
                           "beta * input + alpha * (batch1 @ batch2); input broadcasts."};
  static constexpr Traits traits{.saves = "input: input.meta; batch1: batch2; batch2: batch1",
                                 .inplace = Inplace::also,
                                 .autocast = Autocast::lower,
                                 .kernel_required = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Baddbmm> samples() {
    return {{{}, {{2, 2, 4}, {2, 2, 3}, {2, 3, 4}}}, {{{0.5, 2}}, {{2, 1}, {2, 2, 3}, {2, 3, 4}}}};
  }
};
struct Addmv : Blend {
  static constexpr Doc doc{"addmv", "input, mat, vec", "beta * input + alpha * (mat @ vec); input broadcasts."};
  static constexpr Traits traits{.inplace = Inplace::also, .autocast = Autocast::lower};
  Tensor decompose(const Inputs& in) const;
  static Cases<Addmv> samples() { return {{{}, {{2}, {2, 3}, {3}}}, {{{0.5, 2}}, {{1}, {2, 3}, {3}}}}; }
};
struct Addbmm : Blend {
  static constexpr Doc doc{"addbmm", "input, batch1, batch2",
                           "beta * input + alpha * the sum over the batch of batch1 @ batch2; input broadcasts."};
  static constexpr Traits traits{.inplace = Inplace::also, .autocast = Autocast::lower};
  Tensor decompose(const Inputs& in) const;
  static Cases<Addbmm> samples() {
    return {{{}, {{2, 4}, {2, 2, 3}, {2, 3, 4}}}, {{{0.5, 2}}, {{4}, {2, 2, 3}, {2, 3, 4}}}};
  }
};
struct Addr : Blend {
  static constexpr Doc doc{"addr", "input, vec1, vec2", "beta * input + alpha * outer(vec1, vec2); input broadcasts."};
  static constexpr Traits traits{.inplace = Inplace::also, .autocast = Autocast::lower};
  Tensor decompose(const Inputs& in) const;
  static Cases<Addr> samples() { return {{{}, {{2, 3}, {2}, {3}}}, {{{0.5, 2}}, {{3}, {2}, {3}}}}; }
};

/// input [..., in], weight [out, in] or [in], bias [out] or a number's shape: [..., out] or [...].
struct Linear {
  static constexpr Doc doc{"linear", "input, weight, bias?", "input @ weight:t() + bias, over the last dim of input."};
  static constexpr Traits traits{.saves = "input: weight; weight: input, weight.meta; bias: bias.meta",
                                 .offered = Offered::functional,
                                 .autocast = Autocast::lower,
                                 .kernel_required = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Linear> samples() {
    return {{{}, {{2, 3}, {4, 3}, {4}}}, {{}, {{3}, {2, 3}}}, {{}, {{2, 2, 3}, {2, 3}, {2}}}, {{}, {{2, 3}, {3}}}};
  }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Mm> mm;
inline constexpr Fn<ops::Bmm> bmm;
inline constexpr Fn<ops::Mv> mv;
inline constexpr Fn<ops::Dot> dot;
inline constexpr Fn<ops::Outer> outer;
inline constexpr Fn<ops::Inner> inner;
inline constexpr Fn<ops::Matmul> matmul;
inline constexpr Fn<ops::Addmm> addmm;
inline constexpr Fn<ops::AddmmActivation> addmm_activation;
inline constexpr Fn<ops::Baddbmm> baddbmm;
inline constexpr Fn<ops::Addmv> addmv;
inline constexpr Fn<ops::Addbmm> addbmm;
inline constexpr Fn<ops::Addr> addr;
inline constexpr Fn<ops::Linear> linear;
}  // namespace luth
