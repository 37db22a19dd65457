// Attention. See op.h for the recipe. L: queries, S: keys and values, E: features.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// query: … x L x E, key: … x S x E, value: … x S x Ev; attn_mask broadcasts to … x L x S: true where a query may look
/// (bool), or added to the products. A query that may look nowhere gets zeros.
struct ScaledDotProductAttention {
  static constexpr Doc doc{"scaled_dot_product_attention", "query, key, value, attn_mask?",
                           "softmax(query @ key^T * scale + mask) @ value."};
  static constexpr Traits traits{.offered = Offered::functional, .autocast = Autocast::lower};
  double dropout_p = 0;
  bool is_causal = false;
  std::optional<double> scale;
  bool enable_gqa = false;
  void describe(auto& field) {
    field("dropout_p", dropout_p, "the probability with which a weight becomes 0");
    field("is_causal", is_causal, "whether query i looks at keys up to i alone; attn_mask must be nil");
    field("scale", scale, "multiplies the products; nil: 1 / sqrt(E)", as::named);
    field("enable_gqa", enable_gqa, "let key and value have fewer heads (third dim from the end), each for several",
          as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<ScaledDotProductAttention> samples();
};

/// query: L x N x E, key: S x N x Ek, value: S x N x Ev, or all without N. Results: L x N x E, and the weights
/// (N x L x S, or N x num_heads x L x S where they are not averaged; absent where need_weights is false).
struct MultiHeadAttentionForward {
  static constexpr Doc doc{"multi_head_attention_forward",
                           "query, key, value, in_proj_weight?, in_proj_bias?, bias_k?, bias_v?, out_proj_weight?, "
                           "out_proj_bias?, key_padding_mask?, attn_mask?, q_proj_weight?, k_proj_weight?, "
                           "v_proj_weight?, static_k?, static_v?",
                           "Multi-head attention with the projections before and after it.",
                           "attn_output, attn_output_weights"};
  static constexpr Traits traits{
      .order =
          "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, "
          "add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training, key_padding_mask, need_weights, "
          "attn_mask, use_separate_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, static_k, static_v, "
          "average_attn_weights, is_causal",
      .offered = Offered::functional,
      .autocast = Autocast::lower};
  int64_t embed_dim_to_check = 1, num_heads = 1;
  bool add_zero_attn = false;
  double dropout_p = 0;
  bool training = true, need_weights = true, use_separate_proj_weight = false, average_attn_weights = true,
       is_causal = false;
  void describe(auto& field) {
    field("embed_dim_to_check", embed_dim_to_check, "the features of query", as::required);
    field("num_heads", num_heads, "how many heads share the features", as::required);
    field("add_zero_attn", add_zero_attn, "add a key and a value of zeros");
    field("dropout_p", dropout_p, "the probability with which a weight becomes 0");
    field("training", training, "false: no dropout");
    field("need_weights", need_weights, "whether the weights are a result, too");
    field("use_separate_proj_weight", use_separate_proj_weight, "q_, k_ and v_proj_weight in place of in_proj_weight");
    field("average_attn_weights", average_attn_weights, "the mean of the weights over heads");
    field("is_causal", is_causal, "a hint that attn_mask is the causal one");
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<MultiHeadAttentionForward> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::ScaledDotProductAttention> scaled_dot_product_attention;
}
