#include "core/nn/embedding.h"

#include "core/autograd/autograd.h"
#include "core/nn/init.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/nn/embedding.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {
const DefineModule<Embedding> embedding_;
}  // namespace

void Embedding::build() {
  need_at_least("Embedding", "num_embeddings", spec.num_embeddings, 0);
  need_at_least("Embedding", "embedding_dim", spec.embedding_dim, 0);
  if (spec.padding_idx) {
    int64_t n = spec.num_embeddings, i = *spec.padding_idx;
    if (i < -n || i >= n) throw Error("padding_idx {} is outside of the {} rows", i < 0 ? i : shown(i), n);
    if (i < 0) spec.padding_idx = i + n;
  }
  register_parameter("weight", spec.factory.parameter({spec.num_embeddings, spec.embedding_dim}));
  reset_parameters();
}

void Embedding::reset_parameters() {
  init::normal(parameter(0));
  if (!spec.padding_idx) return;
  NoGrad no_grad;
  init::constant(select(parameter(0), {.dim = 0, .index = *spec.padding_idx}), 0);
}

namespace {

// The rows that `indices` name, as one list, from 0. Indices out of bounds are clamped here and refused by embedding
// later: to check them here the host would have to wait for the device.
Tensor used_rows(const Tensor& indices, int base, int64_t rows) {
  NoGrad no_grad;
  Tensor list = reshape(cast_to(indices, Dtype::i64), {{indices.numel()}});
  return clamp(sub(list, base), 0, rows - 1);
}

// Rows with a larger norm are brought to max_norm, as PyTorch does: by max_norm / (norm + 1e-7).
void renormalize(const Tensor& weight, const Tensor& rows, double max_norm, double p) {
  if (rows.numel() == 0) return;
  NoGrad no_grad;
  Tensor used = index_select(weight.detach(), rows);
  Tensor n = norm(used, {.p = Scalar(p), .dim = {1}, .keepdim = true}), factor = div(max_norm, add(n, 1e-7));
  index_copy.into(weight.detach(), rows, mul(used, where(gt(n, max_norm), factor, 1)));
}

// One over how often each index occurs, shaped to multiply the rows.
Tensor inverse_counts(const Tensor& indices, const Tensor& rows, int64_t count, const Tensor& weight) {
  NoGrad no_grad;
  Device& d = weight.device();
  Tensor one_each = full({rows.numel()}, 1, Dtype::i64, d);
  Tensor counts = index_add(full({count}, 0, Dtype::i64, d), rows, one_each);
  Tensor factor = reciprocal(cast_to(index_select(counts, rows), Dtype::f64));
  Shape shape = indices.shape();
  shape.push_back(1);
  return reshape(cast_to(factor, weight.dtype()), {shape});
}

}  // namespace

Tensor Embedding::run(const Tensor& indices) {
  const Tensor& weight = parameter(0);
  Tensor used;
  if (spec.max_norm || spec.scale_grad_by_freq) used = used_rows(indices, spec.base, spec.num_embeddings);
  if (spec.max_norm) renormalize(weight, used, *spec.max_norm, spec.norm_type);
  ops::Embedding op;
  op.padding_idx = spec.padding_idx;
  op.base = spec.base;
  Tensor rows = embedding(indices, weight, op);
  if (spec.scale_grad_by_freq && rows.requires_grad()) {
    Tensor factor = inverse_counts(indices, used, spec.num_embeddings, weight);
    register_hook(rows, [factor](const Tensor& grad) { return mul(grad, factor); });
  }
  return rows;
}

}  // namespace luth::nn
