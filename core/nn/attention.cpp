#include "core/nn/attention.h"

#include "core/nn/init.h"
#include "core/ops/nn/attention.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {
const DefineModule<AttentionOutput, MultiheadAttention> attention_;
}  // namespace

bool MultiheadAttention::same_features() const {
  return spec.kdim.value_or(spec.embed_dim) == spec.embed_dim && spec.vdim.value_or(spec.embed_dim) == spec.embed_dim;
}

void MultiheadAttention::build() {
  const char* me = "MultiheadAttention";
  const int64_t e = spec.embed_dim, keys = spec.kdim.value_or(e), values = spec.vdim.value_or(e);
  need_at_least(me, "embed_dim", e, 1);
  need_at_least(me, "num_heads", spec.num_heads, 1);
  need_at_least(me, "kdim", keys, 1);
  need_at_least(me, "vdim", values, 1);
  if (e % spec.num_heads)
    throw Error("{} needs embed_dim to be a multiple of num_heads, got embed_dim {} and num_heads {}", me, e,
                spec.num_heads);
  if (!(spec.dropout >= 0 && spec.dropout <= 1)) throw Error("{} needs dropout from 0 to 1, got {}", me, spec.dropout);
  const bool packed = same_features();
  auto add = [&](const char* name, bool wanted, const Shape& shape) {
    register_parameter(name, wanted ? spec.factory.parameter(shape) : Tensor());
  };
  add("in_proj_weight", packed, {3 * e, e});
  add("q_proj_weight", !packed, {e, e});
  add("k_proj_weight", !packed, {e, keys});
  add("v_proj_weight", !packed, {e, values});
  add("in_proj_bias", spec.bias, {3 * e});
  add_module("out_proj", create<AttentionOutput>(AttentionOutput::Spec{{e, e, spec.bias, spec.factory}}));
  add("bias_k", spec.add_bias_kv, {1, 1, e});
  add("bias_v", spec.add_bias_kv, {1, 1, e});
  reset_parameters();
}

void MultiheadAttention::reset_parameters() {
  for (auto& p : parts_->parameters) {
    if (!p.value) continue;
    if (p.name == "in_proj_bias")
      init::constant(p.value, 0);
    else if (p.name == "bias_k" || p.name == "bias_v")
      init::xavier_normal(p.value);
    else
      init::xavier_uniform(p.value);
  }
  const ModuleRef out = child("out_proj");
  out->reset_parameters();
  if (const Tensor& bias = out->parameter_named("bias")) init::constant(bias, 0);
}

void MultiheadAttention::check_inputs(const AttentionArguments& a) const {
  const int64_t e = spec.embed_dim;
  struct Input {
    const char *name, *setting;
    const Tensor& t;
    int64_t features;
  };
  const Input inputs[] = {{"query", "embed_dim", a.query, e},
                          {"key", "kdim", a.key, spec.kdim.value_or(e)},
                          {"value", "vdim", a.value, spec.vdim.value_or(e)}};
  const int dims = a.query.dim(), batch = spec.batch_first ? 0 : 1;
  const char* order = spec.batch_first ? "[batch, length, features]" : "[length, batch, features]";
  for (auto& [name, setting, t, features] : inputs) {
    if (t.dim() != 2 && t.dim() != 3)
      throw Error("{} must be {} or, for one sample, [length, features], but has shape {}", name, order,
                  to_string(t.shape()));
    if (t.dim() != dims)
      throw Error("query has shape {}, so {} must have {} dims, but it has shape {}", to_string(a.query.shape()), name,
                  dims, to_string(t.shape()));
    if (t.shape(-1) != features)
      throw Error("{} must have {} = {} features (its last dim), but has shape {}", name, setting, features,
                  to_string(t.shape()));
    if (dims == 3 && t.shape(batch) != a.query.shape(batch))
      throw Error("query has {} samples and {} {}; tensors are {}", a.query.shape(batch), name, t.shape(batch), order);
  }
  const int length = dims == 3 ? 1 - batch : 0;
  if (a.key.shape(length) != a.value.shape(length))
    throw Error("key and value must have the same length, but have shapes {} and {}", to_string(a.key.shape()),
                to_string(a.value.shape()));
}

Values MultiheadAttention::run(const AttentionArguments& a) {
  check_inputs(a);
  const bool swap = spec.batch_first && a.query.dim() == 3, packed = same_features();
  // one tensor in all three places stays one, so that it is projected once
  auto by_length = [&](const Tensor& t) { return swap ? transpose(t, {0, 1}) : t; };
  Tensor q = by_length(a.query), k = a.key.impl() == a.query.impl() ? q : by_length(a.key),
         v = a.value.impl() == a.key.impl() ? k : by_length(a.value);
  const ModuleRef out = child("out_proj");
  ops::MultiHeadAttentionForward op;
  op.embed_dim_to_check = spec.embed_dim;
  op.num_heads = spec.num_heads;
  op.add_zero_attn = spec.add_zero_attn;
  op.dropout_p = spec.dropout;
  op.training = training();
  op.need_weights = a.need_weights;
  op.use_separate_proj_weight = !packed;
  op.average_attn_weights = a.average_attn_weights;
  op.is_causal = a.is_causal;
  // Where hooks of out_proj compute its parameters (nn.utils), it is called itself, behind a projection that changes
  // nothing.
  Tensor weight = out->parameter_named("weight"), bias = out->parameter_named("bias");
  const bool computed = !weight || (!bias && spec.bias);
  if (computed) weight = init::eye(Tensor::empty({spec.embed_dim, spec.embed_dim}, q.dtype(), q.device())), bias = {};
  auto own = [&](const char* name) { return Value(parameter_named(name)); };
  Tensors r = luth::apply(info<ops::MultiHeadAttentionForward>(), &op,
                          {q, k, v, own("in_proj_weight"), own("in_proj_bias"), own("bias_k"), own("bias_v"), weight,
                           bias, a.key_padding_mask, a.attn_mask, own("q_proj_weight"), own("k_proj_weight"),
                           own("v_proj_weight"), Value(), Value()});
  if (computed) r[0] = out->call({r[0]})[0].tensor();
  Values results{swap ? transpose(r[0], {0, 1}) : r[0]};
  if (a.need_weights) results.push_back(r[1]);
  return results;
}

}  // namespace luth::nn
