#include "core/nn/embedding.h"

#include "core/autograd.h"
#include "core/nn/init.h"
#include "core/ops/arith.h"
#include "core/ops/embedding.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

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

std::string Embedding::extra_repr() const {
  std::string s = fmt::format("{}, {}", spec.num_embeddings, spec.embedding_dim);
  if (spec.padding_idx) s += fmt::format(", padding_idx={}", shown(*spec.padding_idx));
  if (spec.max_norm) s += ", max_norm=" + py(*spec.max_norm);
  if (spec.norm_type != 2) s += ", norm_type=" + py(spec.norm_type);
  if (spec.scale_grad_by_freq) s += ", scale_grad_by_freq=True";
  return s;
}

namespace {

// The rows that `indices` name, in order and each once; indices count from 0. Reads them on the host.
std::vector<int64_t> used_rows(const Tensor& indices, int base, int64_t rows, std::vector<int64_t>* counts) {
  Tensor list = dense_copy(converted(indices, Dtype::i64, &host()));
  std::vector<int64_t> seen(size_t(rows), 0), used;
  for (int64_t i = 0; i < list.numel(); ++i) {
    int64_t row = list.data<int64_t>()[i] - base;
    if (row >= 0 && row < rows && seen[size_t(row)]++ == 0) used.push_back(row);  // embedding refuses the others
  }
  if (counts) *counts = std::move(seen);
  return used;
}

// Rows with a larger norm are brought to max_norm, as PyTorch does: by max_norm / (norm + 1e-7).
void renormalize(const Tensor& weight, const std::vector<int64_t>& rows, double max_norm, double p) {
  NoGrad no_grad;
  for (int64_t i : rows) {
    Tensor row = select(weight.detach(), {.dim = 0, .index = i});
    double n = norm(row, {.p = Scalar(p)}).item().value();
    if (n > max_norm) mul.into(row, max_norm / (n + 1e-7));
  }
}

// One over how often each index occurs, shaped to multiply the rows.
Tensor inverse_counts(const Tensor& indices, int base, const std::vector<int64_t>& counts, const Tensor& weight) {
  Tensor list = dense_copy(converted(indices, Dtype::i64, &host()));
  Shape shape = indices.shape();
  shape.push_back(1);
  Tensor factor = Tensor::empty(shape, Dtype::f64, host());
  for (int64_t i = 0; i < list.numel(); ++i)
    factor.data<double>()[i] = 1.0 / double(counts[size_t(list.data<int64_t>()[i] - base)]);
  return converted(factor, weight.dtype(), &weight.device());
}

}  // namespace

Tensor Embedding::run(const Tensor& indices) {
  const Tensor& weight = parameter(0);
  std::vector<int64_t> counts;
  if (spec.max_norm) {
    auto rows = used_rows(indices, spec.base, spec.num_embeddings, nullptr);
    renormalize(weight, rows, *spec.max_norm, spec.norm_type);
  }
  ops::Embedding op;
  op.padding_idx = spec.padding_idx;
  op.base = spec.base;
  Tensor rows = embedding(indices, weight, op);
  if (spec.scale_grad_by_freq && rows.requires_grad()) {
    used_rows(indices, spec.base, spec.num_embeddings, &counts);
    Tensor factor = inverse_counts(indices, spec.base, counts, weight);
    register_hook(rows, [factor](const Tensor& grad) { return mul(grad, factor); });
  }
  return rows;
}

}  // namespace luth::nn
