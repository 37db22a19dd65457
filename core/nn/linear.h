// Linear layers, Identity, Flatten, Embedding and Dropout.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

/// Where and of what dtype a layer makes its parameters; null: the defaults.
struct Factory {
  Device* device = nullptr;
  std::optional<Dtype> dtype;
  void describe(auto& field) {
    field("device", device, "device of the parameters", as::named);
    field("dtype", dtype, "dtype of the parameters", as::named);
  }
  Tensor empty(const Shape& shape) const;
  /// Uninitialised, marked as parameter.
  Tensor parameter(const Shape& shape) const { return as_parameter(empty(shape)); }
};

/// y = x Aᵀ + b over the last dim. weight [out_features, in_features], bias [out_features], both uniform within
/// ±1/√in_features.
struct LinearSpec {
  static constexpr const char* name = "Linear";
  static constexpr const char* brief = "y = x * weight^T + bias over the last dim";
  int64_t in_features = 0, out_features = 0;
  bool bias = true;
  Factory factory;
  void describe(auto& field) {
    field("in_features", in_features, "size of the last dim of the input", as::required);
    field("out_features", out_features, "size of the last dim of the result", as::required);
    field("bias", bias, "whether to add a bias");
    factory.describe(field);
  }
};
class Linear : public Layer<Linear, LinearSpec> {
 public:
  using Layer::Layer;
  void build() override;
  void reset_parameters() override;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};

/// A Linear that takes in_features from its first input and is a Linear from then on.
class LazyLinear final : public Linear {
 public:
  struct Spec {
    static constexpr const char* name = "LazyLinear";
    static constexpr const char* brief = "a Linear that takes in_features from its first input";
    int64_t out_features = 0;
    bool bias = true;
    Factory factory;
    void describe(auto& field) {
      field("out_features", out_features, "size of the last dim of the result", as::required);
      field("bias", bias, "whether to add a bias");
      factory.describe(field);
    }
  };
  explicit LazyLinear(Spec s) : Linear({0, s.out_features, s.bias, s.factory}) {}
  explicit LazyLinear(LinearSpec s) : Linear(s) {}
  std::string type() const override { return lazy() ? "LazyLinear" : "Linear"; }
  void describe(Fields& f) override;
  void build() override;
  bool lazy() const override { return spec.in_features == 0; }
  void materialize_like(const StateDict& own) override;
  ModuleRef fresh() const override { return ModuleRef(new LazyLinear(spec)); }
  Values forward(const Values& in) override;

 private:
  void materialize(int64_t in_features);
};

struct IdentitySpec {
  static constexpr const char* name = "Identity";
  static constexpr const char* brief = "its argument itself";
  void describe(auto&) {}
};
class Identity final : public Layer<Identity, IdentitySpec> {
 public:
  using Layer::Layer;
  Tensor run(const Tensor& x) { return x; }
};

struct FlattenSpec {
  static constexpr const char* name = "Flatten";
  static constexpr const char* brief = "dims from start_dim to end_dim made one";
  int64_t start_dim = 1, end_dim = -1;
  void describe(auto& field) {
    field("start_dim", start_dim, "first dim to flatten", as::dim);
    field("end_dim", end_dim, "last dim to flatten", as::dim);
  }
};
class Flatten final : public Layer<Flatten, FlattenSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};

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
    field("num_embeddings", num_embeddings, "rows of the table", as::required);
    field("embedding_dim", embedding_dim, "size of a row", as::required);
    field("padding_idx", padding_idx, "the row that gets no gradient", as::index);
    field("max_norm", max_norm, "rows with a larger norm are scaled down to it, in place");
    field("norm_type", norm_type, "p of that norm");
    field("scale_grad_by_freq", scale_grad_by_freq, "divide gradients by how often a row is used");
    field("sparse", sparse, "accepted and ignored: gradients are dense");
    field("base", base, "from where indices count", as::base);
    factory.describe(field);
  }
};
class Embedding final : public Layer<Embedding, EmbeddingSpec> {
 public:
  using Layer::Layer;
  void build() override;
  void reset_parameters() override;
  std::string extra_repr() const override;
  Tensor run(const Tensor& indices);
};

/// Zeroes elements with probability p and scales the others by 1 / (1 - p), in training.
struct DropoutSpec {
  static constexpr const char* name = "Dropout";
  static constexpr const char* brief = "elements are zeroed with probability p, in training";
  double p = 0.5;
  bool inplace = false;
  void describe(auto& field) {
    field("p", p, "probability of an element to be zeroed");
    field("inplace", inplace, "write into the argument");
  }
};
class Dropout final : public Layer<Dropout, DropoutSpec> {
 public:
  using Layer::Layer;
  void build() override;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};

}  // namespace luth::nn
