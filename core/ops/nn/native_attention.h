// Attention in one pass over blocks of queries: what scaled_dot_product_attention is made of. See op.h for the recipe.
// The backward pass computes the weights again from the logarithm of their sum: Dao and others, "FlashAttention"
// (2022).
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// weights = softmax(scale * query @ key^T + mask) of query … x L x E and key … x S x E; output = (weights * kept) @
/// value, with value … x S x Ev. The leading dims are the same everywhere. mask (added) and kept (factors of the
/// weights: dropout) are … x L x S, or absent. logsumexp, … x L, is that of the products; inf for a query that may look
/// nowhere, whose output is zeros.
struct NativeAttention {
  static constexpr Doc doc{"native_attention", "query, key, value, mask?, kept?", "Attention in one pass.",
                           "output, logsumexp"};
  static constexpr Traits traits{
      .saves = "*: query, key, value, mask, kept, output, logsumexp", .internal = true, .kernel_required = true};
  double scale = 1;
  bool is_causal = false;
  void describe(auto& field) {
    field("scale", scale, "multiplies the products");
    field("is_causal", is_causal, "whether query i looks at keys up to i alone");
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<NativeAttention> samples();
};
/// delta, … x L: for each query the sum of grad * output, less the gradient of logsumexp.
struct NativeAttentionBackward {
  static constexpr Doc doc{"native_attention_backward", "grad, query, key, value, mask?, kept?, logsumexp, delta",
                           "The gradients of native_attention.", "query_grad, key_grad, value_grad"};
  static constexpr Traits traits{.internal = true, .kernel_required = true};
  double scale = 1;
  bool is_causal = false;
  void describe(auto& field) {
    field("scale", scale, "multiplies the products");
    field("is_causal", is_causal, "whether query i looks at keys up to i alone");
  }
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<NativeAttentionBackward> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::NativeAttention> native_attention;
}
