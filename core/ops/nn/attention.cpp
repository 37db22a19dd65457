#include "core/ops/nn/attention.h"

#include <cmath>
#include "core/ops/common/sample_tensors.h"

#include "core/ops/common/checks.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/mask.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/nn/native_attention.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/random/random.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/repeat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<ScaledDotProductAttention, MultiHeadAttentionForward> define_all_;

void check_attention(const ScaledDotProductAttention& op, const Inputs& in) {
  static const char* const names[] = {"query", "key", "value"};
  for (int i = 0; i < 3; ++i) {
    if (in[i].dim() < 2)
      throw Error("{} must have at least 2 dims, but has shape {}", names[i], to_string(in[i].shape()));
    check_floating(in[i], names[i]);
    if (in[i].dtype() != in[0].dtype())
      throw Error("query is {} and {} {}; they must have one dtype", name(in[0].dtype()), names[i],
                  name(in[i].dtype()));
  }
  if (in[0].shape().back() != in[1].shape().back())
    throw Error("query and key must have the same features (last dim), but have shapes {} and {}",
                to_string(in[0].shape()), to_string(in[1].shape()));
  if (in[1].tensor().shape(-2) != in[2].tensor().shape(-2))
    throw Error("key and value must have the same length (second dim from the end), but have shapes {} and {}",
                to_string(in[1].shape()), to_string(in[2].shape()));
  if (op.is_causal && in[3]) throw Error("attn_mask must be nil where is_causal is true: it is the causal one");
  if (in[3] && in[3].dtype() != Dtype::boolean && !is_floating(in[3].dtype()))
    throw Error("attn_mask must be bool or floating, but is {}", name(in[3].dtype()));
  if (!(op.dropout_p >= 0 && op.dropout_p <= 1)) throw Error("dropout_p must be from 0 to 1, not {}", op.dropout_p);
}
/// Fewer heads, each repeated for its neighbours.
Tensor heads_repeated(const Tensor& t, int64_t heads, const char* what) {
  if (t.dim() < 3) throw Error("enable_gqa wants at least 3 dims, but {} has shape {}", what, to_string(t.shape()));
  const int64_t own = t.shape(-3);
  if (own == heads) return t;
  if (own == 0 || heads % own) throw Error("{} has {} heads, which is no divisor of query's {}", what, own, heads);
  return repeat_interleave(t, {.repeats = heads / own, .dim = t.dim() - 3});
}
/// A bool mask, true where a query may look, as numbers to add; a floating one in the dtype.
Tensor added_mask(const Value& mask, Dtype dtype) {
  if (mask.dtype() != Dtype::boolean) return cast_to(mask, dtype);
  return masked_fill(full(mask.shape(), 0, dtype, mask.tensor().device()), logical_not(mask), -INFINITY);
}
/// t with the leading dims in place of its own.
Tensor with_leading(const Tensor& t, const Shape& leading) {
  Shape s = leading;
  for (int i = -2; i < 0; ++i) s.push_back(t.shape(i));
  return t.shape() == s ? t : expand_to(t, s);
}
}  // namespace

Tensor ScaledDotProductAttention::decompose(const Inputs& in) const {
  check_attention(*this, in);
  Tensor q = in[0], k = in[1], v = in[2];
  const Dtype dtype = q.dtype();
  if (enable_gqa) {
    if (q.dim() < 3) throw Error("enable_gqa wants at least 3 dims, but query has shape {}", to_string(q.shape()));
    k = heads_repeated(k, q.shape(-3), "key");
    v = heads_repeated(v, q.shape(-3), "value");
  }
  if (size_of(dtype) == 2) {  // the products would lose too much
    q = cast_to(q, Dtype::f32);
    k = cast_to(k, Dtype::f32);
    v = cast_to(v, Dtype::f32);
  }
  Tensor mask, kept;
  if (in[3]) mask = added_mask(in[3], q.dtype());
  Shape leading;
  for (const Tensor* t : {&q, &k, &v, &mask})
    if (*t && t->dim() > 2) leading = broadcast(leading, Shape(t->shape().begin(), t->shape().end() - 2));
  Shape weights = leading;
  for (const Tensor* t : {&q, &k}) weights.push_back(t->shape(-2));
  if (mask) mask = expand_to(mask, weights);
  if (dropout_p > 0) kept = dropout(full(weights, 1, q.dtype(), q.device()), {dropout_p, true});
  const double factor = scale.value_or(1 / std::sqrt(double(std::max<int64_t>(1, q.shape(-1)))));
  Tensors out = native_attention(with_leading(q, leading), with_leading(k, leading), with_leading(v, leading), mask,
                                 kept, {factor, is_causal});
  return cast_to(out[0], dtype);
}

// ---- multi_head_attention_forward ----------------------------------------------------------------------------------

namespace {
enum Input {
  query,
  key,
  value,
  in_weight,
  in_bias,
  bias_k,
  bias_v,
  out_weight,
  out_bias,
  key_padding,
  mask,
  q_weight,
  k_weight,
  v_weight,
  static_k,
  static_v
};
using Op = MultiHeadAttentionForward;

struct Projected {
  Tensor q, k, v;
};

void check_shapes(const Op& op, const Inputs& in) {
  const int n = in[query].dim();
  if (n != 2 && n != 3) throw Error("query must be L x N x E or L x E, but has shape {}", to_string(in[query].shape()));
  if (in[key].dim() != n || in[value].dim() != n)
    throw Error("query has {} dims, so key and value must too, but they have shapes {} and {}", n,
                to_string(in[key].shape()), to_string(in[value].shape()));
  if (in[key_padding] && in[key_padding].dim() != n - 1)
    throw Error("key_padding_mask must have {} dims, but has shape {}", n - 1, to_string(in[key_padding].shape()));
  const int64_t features = in[query].shape().back();
  if (features != op.embed_dim_to_check)
    throw Error("query has {} features, but embed_dim_to_check is {}", features, op.embed_dim_to_check);
  if (op.num_heads < 1 || features % op.num_heads)
    throw Error("num_heads must divide the {} features of query, but is {}", features, op.num_heads);
  if (!in[out_weight]) throw Error("out_proj_weight is needed");
  if (op.is_causal && !in[mask]) throw Error("is_causal is a hint; give attn_mask too");
  if (bool(in[bias_k]) != bool(in[bias_v])) throw Error("bias_k and bias_v are given together or not at all");
  for (auto [i, what] : {std::pair{key_padding, "key_padding_mask"}, {mask, "attn_mask"}})
    if (in[i] && in[i].dtype() != Dtype::boolean && !is_floating(in[i].dtype()))
      throw Error("{} must be bool or floating, but is {}", what, name(in[i].dtype()));
  const bool same = op.use_separate_proj_weight ? in[key].shape()[0] == in[value].shape()[0] &&
                                                      (n == 2 || in[key].shape()[1] == in[value].shape()[1])
                                                : in[key].shape() == in[value].shape();
  if (!same) throw Error("key has shape {} and value {}", to_string(in[key].shape()), to_string(in[value].shape()));
}

/// Part i of 3 along the first dim.
Tensor third(const Value& t, int i) {
  if (!t) return {};
  const int64_t n = t.shape()[0] / 3;
  return narrow(t, {.dim = 0, .start = i * n, .length = n});
}
Projected projected(const Op& op, const Inputs& in, const Projected& x) {
  const char* missing = !op.use_separate_proj_weight ? (in[in_weight] ? nullptr : "in_proj_weight")
                        : !in[q_weight]              ? "q_proj_weight"
                        : !in[k_weight]              ? "k_proj_weight"
                        : !in[v_weight]              ? "v_proj_weight"
                                                     : nullptr;
  if (missing) throw Error("{} is needed where use_separate_proj_weight is {}", missing, op.use_separate_proj_weight);
  auto weight = [&](Input own, int i) {
    return op.use_separate_proj_weight ? in[own].tensor() : third(in[in_weight], i);
  };
  auto bias = [&](int i) {
    Tensor b = third(in[in_bias], i);
    return b ? Value(b) : Value();
  };
  return {linear(x.q, weight(q_weight, 0), bias(0)), linear(x.k, weight(k_weight, 1), bias(1)),
          linear(x.v, weight(v_weight, 2), bias(2))};
}

/// A bool mask, true where nobody looks, as numbers to add; a floating one as it is.
Tensor additive(const Value& m, Dtype dtype) {
  if (!m) return {};
  if (is_floating(m.dtype())) return m;
  return masked_fill(full(m.shape(), 0, dtype, m.tensor().device()), m, -INFINITY);
}
/// One more key that everyone may look at.
Tensor one_more(const Tensor& m) {
  if (!m) return m;
  Shape s = m.shape();
  s[s.size() - 1] = 1;
  return cat({m, zeros(s, m.dtype(), m.device())}, {.dim = -1});
}

/// What the heads see, N * heads first: the masks of both kinds joined as N * heads x L (or 1) x S.
struct Heads {
  Tensor q, k, v, mask;
};
Heads heads_of(const Op& op, const Inputs& in, Projected p, int64_t n) {
  const int64_t queries = p.q.shape()[0], features = p.q.shape().back(), each = features / op.num_heads,
                rows = n * op.num_heads;
  Tensor m = additive(in[mask], p.q.dtype()), padding = additive(in[key_padding], p.q.dtype());
  if (m) {
    Shape wanted = m.dim() == 2 ? Shape{queries, in[key].shape()[0]} : Shape{rows, queries, in[key].shape()[0]};
    if (!(m.shape() == wanted))
      throw Error("attn_mask has shape {}, expected {}", to_string(m.shape()), to_string(wanted));
    if (m.dim() == 2) m = unsqueeze(m, {.dim = 0});
  }
  if (in[bias_k]) {
    if (in[static_k] || in[static_v]) throw Error("bias_k and bias_v do not go with static_k and static_v");
    auto row = [&](const Value& b) { return expand_to(reshape(b, {.shape = {1, 1, b.numel()}}), {1, n, b.numel()}); };
    p.k = cat({p.k, row(in[bias_k])});
    p.v = cat({p.v, row(in[bias_v])});
    m = one_more(m);
    padding = one_more(padding);
  }
  auto split = [&](const Tensor& t) { return transpose(reshape(t, {.shape = {t.shape()[0], rows, each}}), {0, 1}); };
  Heads h{split(p.q), in[static_k] ? in[static_k].tensor() : split(p.k),
          in[static_v] ? in[static_v].tensor() : split(p.v), m};
  for (auto* t : {&h.k, &h.v})
    if (t->dim() != 3 || t->shape()[0] != rows || t->shape()[2] != each)
      throw Error("static_k and static_v must be {} x S x {}, got {}", rows, each, to_string(t->shape()));
  if (op.add_zero_attn) {
    Tensor none = zeros({rows, 1, each}, h.k.dtype(), h.k.device());
    h.k = cat({h.k, none}, {.dim = 1});
    h.v = cat({h.v, none}, {.dim = 1});
    h.mask = one_more(h.mask);
    padding = one_more(padding);
  }
  if (padding) {
    const int64_t keys = h.k.shape()[1];
    if (padding.numel() != n * keys)
      throw Error("key_padding_mask has shape {}, expected {} x {}", to_string(in[key_padding].shape()), n, keys);
    padding = expand_to(reshape(padding, {.shape = {n, 1, 1, keys}}), {n, op.num_heads, 1, keys});
    padding = reshape(padding, {.shape = {rows, 1, keys}});
    h.mask = h.mask ? add(h.mask, padding) : padding;
  }
  return h;
}
}  // namespace

Tensors MultiHeadAttentionForward::decompose(const Inputs& in) const {
  check_shapes(*this, in);
  const bool batched = in[query].dim() == 3;
  auto batch = [&](const Value& t) { return batched ? t.tensor() : unsqueeze(t, {.dim = 1}); };
  Projected x{batch(in[query]), batch(in[key]), batch(in[value])};
  const int64_t queries = x.q.shape()[0], n = x.q.shape()[1], features = x.q.shape()[2];
  Heads h = heads_of(*this, in, projected(*this, in, x), n);
  const double p = training ? dropout_p : 0;
  const int64_t keys = h.k.shape()[1], each = features / num_heads;
  Tensor out, weights;
  if (need_weights) {
    Tensor scores = bmm(mul(h.q, std::sqrt(1.0 / double(each))), transpose(h.k, {-2, -1}));
    weights = softmax(h.mask ? add(scores, h.mask) : scores, {.dim = -1});
    if (p > 0) weights = dropout(weights, {p, true});
    out = bmm(weights, h.v);
    weights = reshape(weights, {.shape = {n, num_heads, queries, keys}});
    if (average_attn_weights) weights = mean(weights, {.dim = {1}});
    if (!batched) weights = squeeze(weights, {Ints{0}});
  } else {
    // the causal mask needs not be read where it is the only one
    const bool causal = is_causal && in[mask].dim() == 2 && !in[key_padding] && !in[bias_k] && !add_zero_attn;
    out = scaled_dot_product_attention(h.q, h.k, h.v, h.mask && !causal ? Value(h.mask) : Value(),
                                       {.dropout_p = p, .is_causal = causal});
  }
  out = reshape(transpose(out, {0, 1}), {.shape = {queries * n, features}});
  out = linear(out, in[out_weight], in[out_bias]);
  out = reshape(out, {.shape = {queries, n, out.shape()[1]}});
  return {batched ? out : squeeze(out, {Ints{1}}), weights};
}

// ---- cases ---------------------------------------------------------------------------------------------------------

namespace {
Tensor truths(const Shape& s, std::initializer_list<bool> v) { return Tensor::from(s, v.begin()); }
}  // namespace

Cases<ScaledDotProductAttention> ScaledDotProductAttention::samples() {
  using S = ScaledDotProductAttention;
  const S causal{.is_causal = true, .scale = 0.4}, grouped{.enable_gqa = true};
  auto barred = [] {  // the second query may look nowhere
    return Inputs{sample_values({2, 2, 3}), sample_values({2, 3, 3}), sample_values({2, 3, 2}),
                  truths({2, 3}, {1, 0, 1, 0, 0, 0})};
  };
  return {{{}, {{2, 3, 2}, {2, 4, 2}, {2, 4, 3}}},
          {{}, {{2, 2}, {3, 2}, {3, 2}, {2, 3}}},
          {causal, {{2, 3, 2}, {2, 4, 2}, {2, 4, 2}}},
          {grouped, {{1, 4, 2, 2}, {1, 2, 3, 2}, {1, 2, 3, 2}}},
          {{}, {}, 0, 0, barred}};
}
Cases<MultiHeadAttentionForward> MultiHeadAttentionForward::samples() {
  using M = MultiHeadAttentionForward;
  M packed, apart, plain;
  packed.embed_dim_to_check = apart.embed_dim_to_check = plain.embed_dim_to_check = 4;
  packed.num_heads = apart.num_heads = 2;
  packed.training = apart.training = plain.training = false;
  apart.use_separate_proj_weight = apart.add_zero_attn = true;
  apart.average_attn_weights = false;
  plain.need_weights = false;
  auto of_packed = [] {
    Tensor x = sample_values({3, 1, 4}), no;
    return Inputs{x,
                  x,
                  x,
                  sample_values({12, 4}),
                  sample_values({12}),
                  sample_values({1, 1, 4}),
                  sample_values({1, 1, 4}),
                  sample_values({4, 4}),
                  sample_values({4}),
                  truths({1, 3}, {0, 0, 1}),
                  Value(),
                  Value(),
                  Value(),
                  Value(),
                  Value(),
                  Value()};
  };
  auto of_apart = [] {
    return Inputs{sample_values({2, 4}),
                  sample_values({3, 2}),
                  sample_values({3, 3}),
                  Value(),
                  Value(),
                  Value(),
                  Value(),
                  sample_values({4, 4}),
                  Value(),
                  Value(),
                  sample_values({2, 3}),
                  sample_values({4, 4}),
                  sample_values({4, 2}),
                  sample_values({4, 3}),
                  Value(),
                  Value()};
  };
  auto of_plain = [] {
    Tensor x = sample_values({2, 4});
    return Inputs{x, x, x, sample_values({12, 4}), Value(), Value(), Value(), sample_values({4, 4})};
  };
  return {{packed, {}, 0, 0, of_packed}, {apart, {}, 0, 0, of_apart}, {plain, {}, 0, 0, of_plain}};
}

}  // namespace luth::ops
