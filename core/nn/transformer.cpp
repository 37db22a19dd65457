#include "core/nn/transformer.h"

#include "core/nn/container.h"
#include "core/nn/dropout.h"
#include "core/nn/init.h"
#include "core/nn/norm.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/reduce/scan.h"

namespace luth::nn {
namespace {
const DefineModule<TransformerEncoderLayer, TransformerDecoderLayer, TransformerEncoder, TransformerDecoder,
                   Transformer>
    transformer_;

Tensor only_result(const Module& m, const Values& out) {
  if (out.size() != 1 || !out[0].is_tensor())
    throw Error("{} must give one tensor here, and gave {} values", m.type(), out.size());
  return out[0].tensor();
}
}  // namespace

// ---- Layers -------------------------------------------------------------------------------------------------------

template <class Self, class S, class A>
std::vector<ModuleSetting> TransformerLayer<Self, S, A>::module_settings() {
  return {{"activation", "", &this->spec.activation_module, 4, false, true}};
}

template <class Self, class S, class A>
void TransformerLayer<Self, S, A>::build_parts(std::initializer_list<const char*> attentions) {
  auto& s = this->spec;
  if (s.activation != "relu" && s.activation != "gelu")
    throw Error("{} needs activation 'relu' or 'gelu', or a module or a function, got '{}'", S::name, s.activation);
  need_at_least(S::name, "d_model", s.d_model, 1);
  need_at_least(S::name, "nhead", s.nhead, 1);
  need_at_least(S::name, "dim_feedforward", s.dim_feedforward, 0);
  if (s.d_model % s.nhead)
    throw Error("{} needs d_model to be a multiple of nhead, got d_model {} and nhead {}", S::name, s.d_model, s.nhead);
  for (const char* name : attentions)
    this->add_module(name, create<MultiheadAttention>({.embed_dim = s.d_model,
                                                       .num_heads = s.nhead,
                                                       .dropout = s.dropout,
                                                       .bias = s.bias,
                                                       .batch_first = s.batch_first,
                                                       .factory = s.factory}));
  auto dropout = [&] { return create<Dropout>({.p = s.dropout}); };
  this->add_module("linear1", create<Linear>({s.d_model, s.dim_feedforward, s.bias, s.factory}));
  this->add_module("dropout", dropout());
  this->add_module("linear2", create<Linear>({s.dim_feedforward, s.d_model, s.bias, s.factory}));
  const size_t parts = attentions.size() + 1;
  for (size_t i = 1; i <= parts; ++i)
    this->add_module(
        "norm" + std::to_string(i),
        create<LayerNorm>(
            {.normalized_shape = {s.d_model}, .eps = s.layer_norm_eps, .bias = s.bias, .factory = s.factory}));
  for (size_t i = 1; i <= parts; ++i) this->add_module("dropout" + std::to_string(i), dropout());
  if (s.activation_module) this->add_module("activation", std::exchange(s.activation_module, {}));
}

template <class Self, class S, class A>
Tensor TransformerLayer<Self, S, A>::call_child(const char* name, const Tensor& x) {
  const ModuleRef m = this->child(name);
  return only_result(*m, m->call({x}));
}

template <class Self, class S, class A>
template <class Part>
Tensor TransformerLayer<Self, S, A>::residual(const Tensor& x, int i, Part part) {
  const std::string number = std::to_string(i), norm = "norm" + number, dropout = "dropout" + number;
  auto dropped = [&](const Tensor& t) { return call_child(dropout.c_str(), part(t)); };
  if (this->spec.norm_first) return add(x, dropped(call_child(norm.c_str(), x)));
  return call_child(norm.c_str(), add(x, dropped(x)));
}

template <class Self, class S, class A>
Tensor TransformerLayer<Self, S, A>::attend(const char* name, const Tensor& x, const Tensor& to, const Tensor& mask,
                                            const Tensor& padding, bool is_causal) {
  const ModuleRef m = this->child(name);
  Values out = m->call(packed(AttentionArguments{.query = x,
                                                 .key = to,
                                                 .value = to,
                                                 .key_padding_mask = padding,
                                                 .need_weights = false,
                                                 .attn_mask = mask,
                                                 .is_causal = is_causal}));
  if (out.empty() || !out[0].is_tensor()) throw Error("{} must give a tensor here", m->type());
  return out[0].tensor();
}

template <class Self, class S, class A>
Tensor TransformerLayer<Self, S, A>::feed_forward(const Tensor& x) {
  Tensor h = call_child("linear1", x);
  if (this->find_child("activation"))
    h = call_child("activation", h);
  else
    h = this->spec.activation == "gelu" ? gelu(h) : relu(h);
  return call_child("linear2", call_child("dropout", h));
}

Values TransformerEncoderLayer::run(const EncoderLayerArguments& a) {
  Tensor x = residual(a.src, 1, [&](const Tensor& t) {
    return attend("self_attn", t, t, a.src_mask, a.src_key_padding_mask, a.is_causal);
  });
  return {residual(x, 2, [&](const Tensor& t) { return feed_forward(t); })};
}

Values TransformerDecoderLayer::run(const DecoderLayerArguments& a) {
  Tensor x = residual(a.tgt, 1, [&](const Tensor& t) {
    return attend("self_attn", t, t, a.tgt_mask, a.tgt_key_padding_mask, a.tgt_is_causal);
  });
  x = residual(x, 2, [&](const Tensor& t) {
    return attend("multihead_attn", t, a.memory, a.memory_mask, a.memory_key_padding_mask, a.memory_is_causal);
  });
  return {residual(x, 3, [&](const Tensor& t) { return feed_forward(t); })};
}

// ---- Stacks -------------------------------------------------------------------------------------------------------

namespace {

constexpr int64_t most_layers = 10'000;  // more are a mistake, and would take minutes to make

bool is_layer(std::string_view path) { return path.starts_with("layers.") && path.find('.', 7) == path.npos; }
bool is_activation(std::string_view path) { return path.ends_with(".activation"); }

// The children of both stacks, from settings that they take over.
void build_stack(Module& m, const char* setting, ModuleRef& layer, int64_t num_layers, ModuleRef& norm) {
  if (!layer) throw Error("{}: argument '{}' is required", m.type(), setting);
  if (num_layers < 0 || num_layers > most_layers)
    throw Error("{} needs num_layers from 0 to {}, got {}", m.type(), most_layers, num_layers);
  Ref<ModuleList> layers(new ModuleList);
  for (int64_t i = 0; i < num_layers; ++i) layers->append(layer->clone());
  m.add_module("layers", layers);
  if (norm) m.add_module("norm", norm);
  layer = norm = {};
}
// Calls the layers with their own arguments, x in the first place, and then the norm. A layer of another class may take
// x alone, so what is absent or false at the end is left out.
Values run_stack(Module& m, Values arguments) {
  auto absent = [](const Value& v) { return !v || (v.is_scalar() && !v.scalar().to<bool>()); };
  while (absent(arguments.back())) arguments.pop_back();
  const auto layers = m.child("layers")->parts().children;  // a copy: a hook may change the list
  for (auto& layer : layers) arguments[0] = only_result(*layer.module, layer.module->call(arguments));
  if (NamedModule* norm = m.find_child("norm")) return norm->module->call({arguments[0]});
  return {arguments[0]};
}

}  // namespace

std::vector<ModuleSetting> TransformerEncoder::module_settings() {
  return {{"encoder_layer", "the layer to copy", &spec.encoder_layer, 0, true, false, is_layer},
          {"norm", "called on the result of the last layer", &spec.norm, 2}};
}
void TransformerEncoder::build() {
  build_stack(*this, "encoder_layer", spec.encoder_layer, spec.num_layers, spec.norm);
}
Values TransformerEncoder::run(const EncoderArguments& a) {
  return run_stack(*this, packed(EncoderLayerArguments{a.src, a.mask, a.src_key_padding_mask, a.is_causal}));
}

std::vector<ModuleSetting> TransformerDecoder::module_settings() {
  return {{"decoder_layer", "the layer to copy", &spec.decoder_layer, 0, true, false, is_layer},
          {"norm", "called on the result of the last layer", &spec.norm, 2}};
}
void TransformerDecoder::build() {
  build_stack(*this, "decoder_layer", spec.decoder_layer, spec.num_layers, spec.norm);
}
Values TransformerDecoder::run(const DecoderLayerArguments& a) { return run_stack(*this, packed(a)); }

// ---- Transformer --------------------------------------------------------------------------------------------------

std::vector<ModuleSetting> Transformer::module_settings() {
  return {{"activation", "", &spec.activation_module, 6, false, true, is_activation},
          {"custom_encoder", "in place of the encoder", &spec.custom_encoder, 7},
          {"custom_decoder", "in place of the decoder", &spec.custom_decoder, 8}};
}

template <class L>
L TransformerSpec::layer() const {
  return {{d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, factory,
           activation_module ? activation_module->clone() : ModuleRef()}};
}

void Transformer::build() {
  auto norm = [&]() -> ModuleRef {
    return create<LayerNorm>(
        {.normalized_shape = {spec.d_model}, .eps = spec.layer_norm_eps, .bias = spec.bias, .factory = spec.factory});
  };
  need_at_least("Transformer", "d_model", spec.d_model, 1);
  ModuleRef encoder = std::exchange(spec.custom_encoder, {}), decoder = std::exchange(spec.custom_decoder, {});
  if (!encoder)
    encoder = create<TransformerEncoder>(
        {create<TransformerEncoderLayer>(spec.layer<TransformerEncoderLayerSpec>()), spec.num_encoder_layers, norm()});
  if (!decoder)
    decoder = create<TransformerDecoder>(
        {create<TransformerDecoderLayer>(spec.layer<TransformerDecoderLayerSpec>()), spec.num_decoder_layers, norm()});
  spec.activation_module = {};
  add_module("encoder", encoder);
  add_module("decoder", decoder);
  reset_parameters();
}

void Transformer::reset_parameters() {
  for (auto& p : parameters())
    if (p.dim() > 1) init::xavier_uniform(p);
}

Values Transformer::run(const TransformerArguments& a) {
  const int dims = a.src.dim();
  if (a.tgt.dim() != dims)
    throw Error("src has {} dims and tgt {}; both must be batches, or both single samples", dims, a.tgt.dim());
  const int batch = spec.batch_first ? 0 : 1;
  if (dims == 3 && a.src.shape(batch) != a.tgt.shape(batch))
    throw Error("src has {} samples and tgt {}: shapes {} and {}, batch_first = {}", a.src.shape(batch),
                a.tgt.shape(batch), to_string(a.src.shape()), to_string(a.tgt.shape()), spec.batch_first);
  for (auto [name, t] : {std::pair{"src", &a.src}, {"tgt", &a.tgt}})
    if (dims < 2 || t->shape(-1) != spec.d_model)
      throw Error("{} must have d_model = {} features (its last dim), but has shape {}", name, spec.d_model,
                  to_string(t->shape()));
  const ModuleRef encoder = child("encoder"), decoder = child("decoder");
  Tensor memory = only_result(
      *encoder, encoder->call(packed(EncoderArguments{a.src, a.src_mask, a.src_key_padding_mask, a.src_is_causal})));
  return decoder->call(packed(DecoderLayerArguments{a.tgt, memory, a.tgt_mask, a.memory_mask, a.tgt_key_padding_mask,
                                                    a.memory_key_padding_mask, a.tgt_is_causal, a.memory_is_causal}));
}

Tensor Transformer::generate_square_subsequent_mask(int64_t size, const Factory& factory) {
  if (size < 0) throw Error("generate_square_subsequent_mask needs a size of at least 0, got {}", size);
  return triu(init::constant(factory.empty({size, size}), -INFINITY), {.diagonal = 1});
}

}  // namespace luth::nn
