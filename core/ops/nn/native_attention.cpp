#include "core/ops/nn/native_attention.h"

#include <cmath>

#include "core/ops/common/sample_tensors.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/mask.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<NativeAttention, NativeAttentionBackward> define_all_;

/// The result lies in memory as t does, if that has rows: heads that lie behind positions stay there.
Strides laid_like(const Value& v, const Shape& shape) {
  const Tensor& t = v.tensor();
  const bool rows = t.shape().back() > 1 && t.strides().back() == 1 && !is_expanded(t.shape(), t.strides());
  return rows ? strides_like(shape, t.shape(), t.strides()) : Strides();
}
Shape with_last(Shape s, int64_t last) {
  s[s.size() - 1] = last;
  return s;
}

/// scale * query @ key^T + mask, with -inf where a query must not look.
Tensor products(const auto& op, const Value& query, const Value& key, const Value& mask) {
  Tensor s = matmul(mul(query, op.scale), transpose(key, {-2, -1}));
  if (op.is_causal) {
    Device& device = s.device();
    s = masked_fill(s, lt(unsqueeze(counting(s.shape(-2), device), {.dim = 1}), counting(s.shape(-1), device)),
                    -INFINITY);
  }
  return mask ? add(s, mask) : s;
}
/// The weights, zeros for queries that may look nowhere.
Tensor weights(const Tensor& products, const Tensor& logsumexp) {
  return exp(sub(products, unsqueeze(logsumexp, {.dim = -1})));
}
Tensor times(const Tensor& t, const Value& kept) { return kept ? mul(t, kept) : t; }

/// The gradient of the products, and so that of the mask.
Tensor products_grad(const Tensor& w, const Tensor& grad, const Value& value, const Value& kept, const Value& delta) {
  Tensor dw = times(matmul(grad, transpose(value, {-2, -1})), kept);
  return mul(w, sub(dw, unsqueeze(delta, {.dim = -1})));
}
}  // namespace

Specs NativeAttention::infer(const Inputs& in) const {
  const Shape q = in[0].shape(), shape = with_last(q, in[2].shape().back());
  return {Spec{shape, in[0].dtype(), laid_like(in[0], shape)}, Spec{Shape(q.begin(), q.end() - 1), in[0].dtype()}};
}

Tensors NativeAttention::decompose(const Inputs& in) const {
  Tensor s = products(*this, in[0], in[1], in[3]);
  Tensor nowhere = logical_not(any_dims(ne(s.detach(), -INFINITY), {.dim = {-1}, .keepdim = false}));
  Tensor lse = masked_fill(luth::logsumexp(masked_fill(s, unsqueeze(nowhere, {.dim = -1}), 0), {.dim = {-1}}), nowhere,
                           INFINITY);
  return {matmul(times(weights(s, lse), in[4]), in[2]), lse};
}

Tensors NativeAttention::vjp(const Call& c, const Tensors& dy) const {
  const Inputs& in = c.in;
  const Tensor grad = dy[0] ? dy[0] : zeros(c.out[0].shape(), c.out[0].dtype(), c.out[0].device());
  Tensor delta = sum(mul(grad, c.out[0]), {.dim = Ints{-1}});
  if (dy[1]) delta = sub(delta, dy[1]);
  Tensors out(5);
  if (c.wants(0) || c.wants(1) || c.wants(2)) {
    const NativeAttentionBackward op{scale, is_causal};
    Tensors g = apply(info<NativeAttentionBackward>(), &op, {grad, in[0], in[1], in[2], in[3], in[4], c.out[1], delta});
    for (int i = 0; i < 3; ++i)
      if (c.wants(i)) out[i] = g[i];
  }
  if (!c.wants(3) && !c.wants(4)) return out;
  Tensor w = weights(products(*this, in[0], in[1], in[3]), c.out[1]);
  if (c.wants(3)) out[3] = products_grad(w, grad, in[2], in[4], delta);
  if (c.wants(4)) out[4] = mul(w, matmul(grad, transpose(in[2], {-2, -1})));
  return out;
}

Specs NativeAttentionBackward::infer(const Inputs& in) const {
  Specs all;
  for (int i = 1; i <= 3; ++i) all.push_back({in[i].shape(), in[i].dtype(), laid_like(in[i], in[i].shape())});
  return all;
}

Tensors NativeAttentionBackward::decompose(const Inputs& in) const {
  const Value &grad = in[0], &query = in[1], &key = in[2], &value = in[3], &mask = in[4], &kept = in[5];
  Tensor w = weights(products(*this, query, key, mask), in[6]);
  Tensor ds = mul(products_grad(w, grad, value, kept, in[7]), scale);
  return {matmul(ds, key), matmul(transpose(ds, {-2, -1}), query), matmul(transpose(times(w, kept), {-2, -1}), grad)};
}

// ---- cases ---------------------------------------------------------------------------------------------------------

Cases<NativeAttention> NativeAttention::samples() {
  const NativeAttention scaled{.scale = 0.7}, causal{.scale = 0.5, .is_causal = true};
  auto kept = [] {  // dropout's factors
    return Inputs{sample_values({2, 2, 3}), sample_values({2, 3, 3}), sample_values({2, 3, 2}),
                  sample_values({2, 2, 3}), sample_values({2, 2, 3})};
  };
  return {{scaled, {{2, 3, 2}, {2, 4, 2}, {2, 4, 3}}},
          {causal, {{2, 2, 4, 2}, {2, 2, 3, 2}, {2, 2, 3, 2}}},
          {causal, {{3, 2}, {4, 2}, {4, 2}, {3, 4}}},
          {scaled, {}, 0, 0, kept}};
}
Cases<NativeAttentionBackward> NativeAttentionBackward::samples() {
  const NativeAttentionBackward scaled{.scale = 0.7}, causal{.scale = 0.5, .is_causal = true};
  auto kept = [] {
    Value none;
    return Inputs{
        sample_values({2, 2, 2}), sample_values({2, 2, 3}), sample_values({2, 3, 3}), sample_values({2, 3, 2}), none,
        sample_values({2, 2, 3}), sample_values({2, 2}),    sample_values({2, 2})};
  };
  auto masked = [] {
    return Inputs{sample_values({3, 2}), sample_values({3, 2}), sample_values({4, 2}),
                  sample_values({4, 2}), sample_values({3, 4}), Value(),
                  sample_values({3}),    sample_values({3})};
  };
  return {{scaled, {}, 0, 0, kept}, {causal, {}, 0, 0, masked}};
}

}  // namespace luth::ops
