// Tables of vectors: Embedding and EmbeddingBag.
#pragma once
#include "core/nn/described_call.h"
#include "core/nn/linear.h"

namespace luth::nn {

/// Settings of both. Rows of weight [num_embeddings, embedding_dim] are standard normal. Indices count from `base` (0
/// in C++, 1 in Lua); so does padding_idx, whose row is zero in the beginning and gets no gradient. With max_norm a
/// call writes the rows that it uses, unrecorded.
struct TableSpec {
  int64_t num_embeddings = 0, embedding_dim = 0;
  std::optional<int64_t> padding_idx;
  std::optional<double> max_norm;
  double norm_type = 2;
  bool scale_grad_by_freq = false, sparse = false;
  Factory factory;
  int base = 0;

 protected:
  void describe_padding(auto& field) {
    field("padding_idx", padding_idx, "the row that gets no gradient", as::index | as::if_set);
  }
  void describe_norm(auto& field) {
    field("max_norm", max_norm, "rows with a larger norm are scaled down to it, in place", as::if_set);
    field("norm_type", norm_type, "p of that norm", as::if_set);
    field("scale_grad_by_freq", scale_grad_by_freq, "divide gradients by how often a row is used", as::if_set);
  }
  void describe_rest(auto& field) {
    field("base", base, "from where indices count", as::base);
    factory.describe(field);
  }
  void describe_table(auto& field) {
    field("num_embeddings", num_embeddings, "rows of the table", as::required | as::bare);
    field("embedding_dim", embedding_dim, "size of a row", as::required | as::bare);
  }
};

struct EmbeddingSpec : TableSpec {
  static constexpr const char* name = "Embedding";
  static constexpr const char* brief = "rows of a table by their number";
  void describe(auto& field) {
    describe_table(field);
    describe_padding(field);
    describe_norm(field);
    field("sparse", sparse, "accepted and ignored: gradients are dense", as::if_set);
    describe_rest(field);
  }
};
class Embedding final : public Layer<Embedding, EmbeddingSpec> {
 public:
  using Layer::Layer;
  void build() override;
  void reset_parameters() override;
  Tensor run(const Tensor& indices);
};

struct EmbeddingBagSpec : TableSpec {
  static constexpr const char* name = "EmbeddingBag";
  static constexpr const char* brief = "sums, means or maxima over bags of a table's rows";
  std::string mode = "mean";
  bool include_last_offset = false;
  void describe(auto& field) {
    describe_table(field);
    describe_norm(field);
    field("mode", mode, "'sum', 'mean' or 'max'");
    field("sparse", sparse, "accepted and ignored: gradients are dense", as::unprinted);
    field("include_last_offset", include_last_offset, "whether offsets end with the end of the last bag",
          as::unprinted);
    describe_padding(field);
    describe_rest(field);
  }
};
struct EmbeddingBagArguments {
  Tensor input, offsets, per_sample_weights;
  void describe(auto& field) {
    field("input", input, "rows: [bags, rows of each], or one dim with offsets", as::required);
    field("offsets", offsets, "where each bag begins in an input of one dim");
    field("per_sample_weights", per_sample_weights, "factors of the rows, for mode 'sum'");
  }
};
class EmbeddingBag final : public ArgumentsLayer<EmbeddingBag, EmbeddingBagSpec, EmbeddingBagArguments> {
 public:
  using ArgumentsLayer::ArgumentsLayer;
  void build() override;
  void reset_parameters() override;
  Values run(const EmbeddingBagArguments& a);
};

/// A table whose weight is `rows` itself, a matrix, which is not trained where `freeze` says so. The settings are those
/// of `s`, but for its sizes.
template <class M>
Ref<M> from_pretrained(const Tensor& rows, bool freeze, typename M::Spec s) {
  if (rows.dim() != 2) throw Error("embeddings must be a matrix, got shape {}", to_string(rows.shape()));
  s.num_embeddings = rows.shape(0), s.embedding_dim = rows.shape(1);
  s.factory = {&device("meta"), rows.dtype()};  // what it would draw is not wanted
  Ref<M> m = create<M>(s);
  m->spec.factory = {};
  m->register_parameter("weight", as_parameter(rows, !freeze));
  return m;
}

}  // namespace luth::nn
