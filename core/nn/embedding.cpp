#include "core/nn/embedding.h"

#include "core/autograd/autograd.h"
#include "core/nn/init.h"
#include "core/ops/nn/embedding.h"
#include "core/ops/nn/embedding_bag.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {
const DefineModule<Embedding, EmbeddingBag> embedding_;

template <class M>
void build_table(M& m) {
  auto& s = m.spec;
  need_at_least(m.type(), "num_embeddings", s.num_embeddings, 0);
  need_at_least(m.type(), "embedding_dim", s.embedding_dim, 0);
  if (s.max_norm && !(*s.max_norm >= 0)) throw Error("{} needs max_norm of at least 0, got {}", m.type(), *s.max_norm);
  if (!(s.norm_type > 0)) throw Error("{} needs norm_type above 0, got {}", m.type(), s.norm_type);
  if (s.padding_idx) {
    int64_t n = s.num_embeddings, i = *s.padding_idx;
    if (i < -n || i >= n) throw Error("padding_idx {} is outside of the {} rows", i < 0 ? i : shown(i), n);
    if (i < 0) s.padding_idx = i + n;
  }
  m.register_parameter("weight", s.factory.parameter({s.num_embeddings, s.embedding_dim}));
  m.reset_parameters();
}

void draw_table(const Tensor& weight, const TableSpec& s) {
  init::normal(weight);
  if (!s.padding_idx) return;
  NoGrad no_grad;
  init::constant(select(weight, {.dim = 0, .index = *s.padding_idx}), 0);
}
}  // namespace

void Embedding::build() { build_table(*this); }
void Embedding::reset_parameters() { draw_table(parameter(0), spec); }

Tensor Embedding::run(const Tensor& indices) {
  if (!spec.max_norm && !spec.scale_grad_by_freq)
    return embedding(indices, parameter(0), {.padding_idx = spec.padding_idx, .base = spec.base});
  static constexpr Fn<ops::EmbeddingRenormed> renormed;
  return renormed(indices, parameter(0),
                  {.padding_idx = spec.padding_idx,
                   .max_norm = spec.max_norm,
                   .norm_type = spec.norm_type,
                   .scale_grad_by_freq = spec.scale_grad_by_freq,
                   .base = spec.base});
}

void EmbeddingBag::build() {
  if (spec.mode != "sum" && spec.mode != "mean" && spec.mode != "max")
    throw Error("EmbeddingBag needs a mode of 'sum', 'mean' or 'max', got '{}'", spec.mode);
  if (spec.mode == "max" && spec.scale_grad_by_freq)
    throw Error("EmbeddingBag with mode 'max' cannot scale gradients by frequency: scale_grad_by_freq must be false");
  build_table(*this);
}
void EmbeddingBag::reset_parameters() { draw_table(parameter(0), spec); }

Values EmbeddingBag::run(const EmbeddingBagArguments& a) {
  return {embedding_bag(a.input, parameter(0), a.offsets, a.per_sample_weights,
                        {.max_norm = spec.max_norm,
                         .norm_type = spec.norm_type,
                         .scale_grad_by_freq = spec.scale_grad_by_freq,
                         .mode = spec.mode,
                         .include_last_offset = spec.include_last_offset,
                         .padding_idx = spec.padding_idx,
                         .base = spec.base})};
}

}  // namespace luth::nn
