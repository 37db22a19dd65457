// Multi-head attention: Vaswani and others, "Attention Is All You Need" (2017).
#pragma once
#include "core/nn/described_call.h"
#include "core/nn/linear.h"

namespace luth::nn {

/// The projection behind attention: a Linear under the name that PyTorch prints.
class AttentionOutput final : public Linear {
 public:
  struct Spec : LinearSpec {
    static constexpr const char* name = "NonDynamicallyQuantizableLinear";
    static constexpr const char* brief = "the Linear in MultiheadAttention";
  };
  explicit AttentionOutput(LinearSpec s) : Linear(std::move(s)) {}
  std::string type() const override { return Spec::name; }
  ModuleRef fresh() const override { return ModuleRef(new AttentionOutput(spec)); }
};

/// Parameters in_proj_weight [3 E, E] (or q_, k_ and v_proj_weight, where keys or values have other features),
/// in_proj_bias [3 E], bias_k and bias_v [1, 1, E]; child out_proj.
struct MultiheadAttentionSpec {
  static constexpr const char* name = "MultiheadAttention";
  static constexpr const char* brief =
      "attention of queries [L, N, E] to keys and values [S, N, …]; gives the results and the weights [N, L, S]";
  int64_t embed_dim = 0, num_heads = 0;
  double dropout = 0;
  bool bias = true, add_bias_kv = false, add_zero_attn = false;
  std::optional<int64_t> kdim, vdim;
  bool batch_first = false;
  Factory factory;
  void describe(auto& field) {
    field("embed_dim", embed_dim, "features of queries and results", as::required | as::unprinted);
    field("num_heads", num_heads, "heads, which share the features", as::required | as::unprinted);
    field("dropout", dropout, "the probability with which a weight becomes 0 in training", as::unprinted);
    field("bias", bias, "whether the projections have a bias", as::unprinted);
    field("add_bias_kv", add_bias_kv, "whether to add a key and a value that are parameters", as::unprinted);
    field("add_zero_attn", add_zero_attn, "whether to add a key and a value of zeros", as::unprinted);
    field("kdim", kdim, "features of keys; nil: embed_dim", as::unprinted);
    field("vdim", vdim, "features of values; nil: embed_dim", as::unprinted);
    field("batch_first", batch_first, "tensors are [N, L, E], not [L, N, E]", as::unprinted);
    factory.describe(field);
  }
};
struct AttentionArguments {
  Tensor query, key, value, key_padding_mask;
  bool need_weights = true;
  Tensor attn_mask;
  bool average_attn_weights = true, is_causal = false;
  void describe(auto& field) {
    field("query", query, "[L, N, E], or [L, E] of one sample", as::required);
    field("key", key, "[S, N, kdim]", as::required);
    field("value", value, "[S, N, vdim]", as::required);
    field("key_padding_mask", key_padding_mask, "[N, S]: true for keys to ignore, or numbers to add");
    field("need_weights", need_weights, "whether the weights are a result; without them it is quicker");
    field("attn_mask", attn_mask, "[L, S] or [N * num_heads, L, S]: true where not to look, or numbers to add");
    field("average_attn_weights", average_attn_weights, "the mean of the weights over heads");
    field("is_causal", is_causal, "a hint that attn_mask is the causal one");
  }
};
class MultiheadAttention final : public ArgumentsLayer<MultiheadAttention, MultiheadAttentionSpec, AttentionArguments> {
 public:
  using ArgumentsLayer::ArgumentsLayer;
  void build() override;
  void reset_parameters() override;
  /// The result, and the weights, where they are needed.
  Values run(const AttentionArguments& a);

 private:
  bool same_features() const;
  void check_inputs(const AttentionArguments& a) const;
};

}  // namespace luth::nn
