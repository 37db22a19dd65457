// The transformer of Vaswani and others, "Attention Is All You Need" (2017): layers, stacks of them, and both stacks.
#pragma once
#include "core/nn/attention.h"
#include "core/nn/module_settings.h"

namespace luth::nn {

/// Settings of one layer. `activation_module`, if given, becomes a child and takes the place of `activation`.
struct TransformerLayerSpec {
  int64_t d_model = 0, nhead = 0, dim_feedforward = 2048;
  double dropout = 0.1;
  std::string activation = "relu";
  double layer_norm_eps = 1e-5;
  bool batch_first = false, norm_first = false, bias = true;
  Factory factory;
  ModuleRef activation_module{};
  void describe(auto& field) {
    field("d_model", d_model, "features of input and result", as::required | as::unprinted);
    field("nhead", nhead, "heads of the attention", as::required | as::unprinted);
    field("dim_feedforward", dim_feedforward, "features between the two linear layers", as::unprinted);
    field("dropout", dropout, "the probability of 0 behind each part, in training", as::unprinted);
    field("activation", activation, "'relu' or 'gelu', or a module or a function", as::unprinted);
    field("layer_norm_eps", layer_norm_eps, "added to the variance", as::unprinted);
    field("batch_first", batch_first, "tensors are [N, L, E], not [L, N, E]", as::unprinted);
    field("norm_first", norm_first, "normalise before each part, not behind it", as::unprinted);
    field("bias", bias, "whether linear layers and norms have a bias", as::unprinted);
    factory.describe(field);
  }
};
struct TransformerEncoderLayerSpec : TransformerLayerSpec {
  static constexpr const char* name = "TransformerEncoderLayer";
  static constexpr const char* brief = "self-attention and two linear layers, each with a residual and a norm";
};
struct TransformerDecoderLayerSpec : TransformerLayerSpec {
  static constexpr const char* name = "TransformerDecoderLayer";
  static constexpr const char* brief =
      "self-attention, attention to memory, and two linear layers, each with a residual and a norm";
};

struct EncoderLayerArguments {
  Tensor src, src_mask, src_key_padding_mask;
  bool is_causal = false;
  void describe(auto& field) {
    field("src", src, "[L, N, E], or [L, E] of one sample", as::required);
    field("src_mask", src_mask, "[L, L]: true where not to look, or numbers to add");
    field("src_key_padding_mask", src_key_padding_mask, "[N, L]: true for positions to ignore");
    field("is_causal", is_causal, "a hint that src_mask is the causal one");
  }
};
struct DecoderLayerArguments {
  Tensor tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask;
  bool tgt_is_causal = false, memory_is_causal = false;
  void describe(auto& field) {
    field("tgt", tgt, "[L, N, E], or [L, E] of one sample", as::required);
    field("memory", memory, "the encoder's result, [S, N, E]", as::required);
    field("tgt_mask", tgt_mask, "[L, L]: true where not to look, or numbers to add");
    field("memory_mask", memory_mask, "[L, S]: the same for memory");
    field("tgt_key_padding_mask", tgt_key_padding_mask, "[N, L]: true for positions to ignore");
    field("memory_key_padding_mask", memory_key_padding_mask, "[N, S]: the same for memory");
    field("tgt_is_causal", tgt_is_causal, "a hint that tgt_mask is the causal one");
    field("memory_is_causal", memory_is_causal, "a hint that memory_mask is the causal one");
  }
};

/// What both layers share: self-attention, the linear layers, and the order of norm and residual.
template <class Self, class S, class A>
class TransformerLayer : public ArgumentsLayer<Self, S, A>, public TakesModules {
 public:
  using ArgumentsLayer<Self, S, A>::ArgumentsLayer;
  std::vector<ModuleSetting> module_settings() override;

 protected:
  /// Adds the children; `attentions` names those of attention, in order.
  void build_parts(std::initializer_list<const char*> attentions);
  Tensor call_child(const char* name, const Tensor& x);
  /// The residual x + dropout(part(x)) with norm number `i`, before the part or behind all.
  template <class Part>
  Tensor residual(const Tensor& x, int i, Part part);
  /// Attention of x to `to` by a child.
  Tensor attend(const char* child, const Tensor& x, const Tensor& to, const Tensor& mask, const Tensor& padding,
                bool is_causal);
  Tensor feed_forward(const Tensor& x);
};
class TransformerEncoderLayer final
    : public TransformerLayer<TransformerEncoderLayer, TransformerEncoderLayerSpec, EncoderLayerArguments> {
 public:
  using TransformerLayer::TransformerLayer;
  void build() override { build_parts({"self_attn"}); }
  Values run(const EncoderLayerArguments& a);
};
class TransformerDecoderLayer final
    : public TransformerLayer<TransformerDecoderLayer, TransformerDecoderLayerSpec, DecoderLayerArguments> {
 public:
  using TransformerLayer::TransformerLayer;
  void build() override { build_parts({"self_attn", "multihead_attn"}); }
  Values run(const DecoderLayerArguments& a);
};

// ---- Stacks -------------------------------------------------------------------------------------------------------

struct TransformerEncoderSpec {
  static constexpr const char* name = "TransformerEncoder";
  static constexpr const char* brief = "num_layers copies of a layer, one after the other, and a norm";
  ModuleRef encoder_layer{};
  int64_t num_layers = 0;
  ModuleRef norm{};
  bool enable_nested_tensor = true, mask_check = true;
  void describe(auto& field) {
    field("num_layers", num_layers, "how many copies", as::required | as::unprinted);
    field("enable_nested_tensor", enable_nested_tensor, "not used: luth has no nested tensors", as::unprinted);
    field("mask_check", mask_check, "not used: luth has no nested tensors", as::unprinted);
  }
};
struct TransformerDecoderSpec {
  static constexpr const char* name = "TransformerDecoder";
  static constexpr const char* brief = "num_layers copies of a layer, one after the other, and a norm";
  ModuleRef decoder_layer{};
  int64_t num_layers = 0;
  ModuleRef norm{};
  void describe(auto& field) { field("num_layers", num_layers, "how many copies", as::required | as::unprinted); }
};
struct EncoderArguments {
  Tensor src, mask, src_key_padding_mask;
  bool is_causal = false;
  void describe(auto& field) {
    field("src", src, "[L, N, E], or [L, E] of one sample", as::required);
    field("mask", mask, "[L, L]: true where not to look, or numbers to add");
    field("src_key_padding_mask", src_key_padding_mask, "[N, L]: true for positions to ignore");
    field("is_causal", is_causal, "a hint that mask is the causal one");
  }
};

/// Children layers (a ModuleList) and norm, if it is given.
class TransformerEncoder final : public ArgumentsLayer<TransformerEncoder, TransformerEncoderSpec, EncoderArguments>,
                                 public TakesModules {
 public:
  using ArgumentsLayer::ArgumentsLayer;
  std::vector<ModuleSetting> module_settings() override;
  void build() override;
  Values run(const EncoderArguments& a);
};
class TransformerDecoder final
    : public ArgumentsLayer<TransformerDecoder, TransformerDecoderSpec, DecoderLayerArguments>,
      public TakesModules {
 public:
  using ArgumentsLayer::ArgumentsLayer;
  std::vector<ModuleSetting> module_settings() override;
  void build() override;
  Values run(const DecoderLayerArguments& a);
};

// ---- Transformer --------------------------------------------------------------------------------------------------

struct TransformerSpec {
  static constexpr const char* name = "Transformer";
  static constexpr const char* brief = "an encoder and a decoder that looks at its result";
  int64_t d_model = 512, nhead = 8, num_encoder_layers = 6, num_decoder_layers = 6, dim_feedforward = 2048;
  double dropout = 0.1;
  std::string activation = "relu";
  ModuleRef custom_encoder{}, custom_decoder{};
  double layer_norm_eps = 1e-5;
  bool batch_first = false, norm_first = false, bias = true;
  Factory factory;
  ModuleRef activation_module{};
  void describe(auto& field) {
    field("d_model", d_model, "features of inputs and result", as::unprinted);
    field("nhead", nhead, "heads of the attention", as::unprinted);
    field("num_encoder_layers", num_encoder_layers, "layers of the encoder", as::unprinted);
    field("num_decoder_layers", num_decoder_layers, "layers of the decoder", as::unprinted);
    field("dim_feedforward", dim_feedforward, "features between the two linear layers", as::unprinted);
    field("dropout", dropout, "the probability of 0 behind each part, in training", as::unprinted);
    field("activation", activation, "'relu' or 'gelu', or a module or a function", as::unprinted);
    field("layer_norm_eps", layer_norm_eps, "added to the variance", as::unprinted);
    field("batch_first", batch_first, "tensors are [N, L, E], not [L, N, E]", as::unprinted);
    field("norm_first", norm_first, "normalise before each part, not behind it", as::unprinted);
    field("bias", bias, "whether linear layers and norms have a bias", as::unprinted);
    factory.describe(field);
  }
  /// The settings of its layers.
  template <class L>
  L layer() const;
};
struct TransformerArguments {
  Tensor src, tgt, src_mask, tgt_mask, memory_mask, src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask;
  bool src_is_causal = false, tgt_is_causal = false, memory_is_causal = false;
  void describe(auto& field) {
    field("src", src, "what the encoder gets: [S, N, E], or [S, E] of one sample", as::required);
    field("tgt", tgt, "what the decoder gets: [L, N, E]", as::required);
    field("src_mask", src_mask, "[S, S]: true where not to look, or numbers to add");
    field("tgt_mask", tgt_mask, "[L, L]: the same for tgt");
    field("memory_mask", memory_mask, "[L, S]: the same for the encoder's result");
    field("src_key_padding_mask", src_key_padding_mask, "[N, S]: true for positions to ignore");
    field("tgt_key_padding_mask", tgt_key_padding_mask, "[N, L]: the same for tgt");
    field("memory_key_padding_mask", memory_key_padding_mask, "[N, S]: the same for the encoder's result");
    field("src_is_causal", src_is_causal, "a hint that src_mask is the causal one");
    field("tgt_is_causal", tgt_is_causal, "a hint that tgt_mask is the causal one");
    field("memory_is_causal", memory_is_causal, "a hint that memory_mask is the causal one");
  }
};
class Transformer final : public ArgumentsLayer<Transformer, TransformerSpec, TransformerArguments>,
                          public TakesModules {
 public:
  using ArgumentsLayer::ArgumentsLayer;
  std::vector<ModuleSetting> module_settings() override;
  void build() override;
  void reset_parameters() override;
  Values run(const TransformerArguments& a);
  /// [size, size]: -inf above the diagonal and 0 elsewhere.
  static Tensor generate_square_subsequent_mask(int64_t size, const Factory& factory = {});
};

}  // namespace luth::nn
