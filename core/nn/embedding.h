// Embedding.
#pragma once
#include "core/nn/linear.h"

namespace luth::nn {

/// Rows of weight [num_embeddings, embedding_dim], standard normal. Indices count from `base` (0 in C++, 1 in Lua); so
/// does padding_idx, whose row is zero in the beginning and gets no gradient.
struct EmbeddingSpec {
  static constexpr const char* name = "Embedding";
  static constexpr const char* brief = "rows of a table by their number";
  int64_t num_embeddings = 0, embedding_dim = 0;
  std::optional<int64_t> padding_idx;
  std::optional<double> max_norm;
  double norm_type = 2;
  bool scale_grad_by_freq = false, sparse = false;
  int base = 0;
  Factory factory;
  void describe(auto& field) {
    field("num_embeddings", num_embeddings, "rows of the table", as::required | as::bare);
    field("embedding_dim", embedding_dim, "size of a row", as::required | as::bare);
    field("padding_idx", padding_idx, "the row that gets no gradient", as::index | as::if_set);
    field("max_norm", max_norm, "rows with a larger norm are scaled down to it, in place", as::if_set);
    field("norm_type", norm_type, "p of that norm", as::if_set);
    field("scale_grad_by_freq", scale_grad_by_freq, "divide gradients by how often a row is used", as::if_set);
    field("sparse", sparse, "accepted and ignored: gradients are dense", as::if_set);
    field("base", base, "from where indices count", as::base);
    factory.describe(field);
  }
};
class Embedding final : public Layer<Embedding, EmbeddingSpec> {
 public:
  using Layer::Layer;
  void build() override;
  void reset_parameters() override;
  Tensor run(const Tensor& indices);
};

}  // namespace luth::nn
