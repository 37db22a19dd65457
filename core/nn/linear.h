// Linear layers, Identity, Flatten and Unflatten.
#pragma once
#include "core/nn/lazy.h"

namespace luth::nn {

/// Throws "Linear needs in_features of at least 1, got 0".
void need_at_least(const std::string& module, const char* name, int64_t v, int64_t least);

/// Where and of what dtype a layer makes its parameters; null: the defaults.
struct Factory {
  Device* device = nullptr;
  std::optional<Dtype> dtype;
  void describe(auto& field) {
    field("device", device, "device of the parameters", as::named | as::unprinted);
    field("dtype", dtype, "dtype of the parameters", as::named | as::unprinted);
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
  Tensor run(const Tensor& x);

  static constexpr int64_t LinearSpec::*input_size = &LinearSpec::in_features;
  int64_t size_in(const Tensor& x) const;
  int64_t size_in(std::string_view name, const Tensor& saved) const;
};
using LazyLinear = Lazy<Linear, "LazyLinear">;

/// y = x1 A x2 + b for each output. weight [out_features, in1_features, in2_features], bias [out_features], both
/// uniform within ±1/√in1_features.
struct BilinearSpec {
  static constexpr const char* name = "Bilinear";
  static constexpr const char* brief = "y = x1^T * weight * x2 + bias over the last dims";
  int64_t in1_features = 0, in2_features = 0, out_features = 0;
  bool bias = true;
  Factory factory;
  void describe(auto& field) {
    field("in1_features", in1_features, "size of the last dim of the first input", as::required);
    field("in2_features", in2_features, "size of the last dim of the second input", as::required);
    field("out_features", out_features, "size of the last dim of the result", as::required);
    field("bias", bias, "whether to add a bias");
    factory.describe(field);
  }
};
class Bilinear final : public Layer<Bilinear, BilinearSpec> {
 public:
  using Layer::Layer;
  std::vector<std::string> argument_names() const override { return {"input1", "input2"}; }
  void build() override;
  void reset_parameters() override;
  Tensor run(const Tensor& x1, const Tensor& x2);
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
  Tensor run(const Tensor& x);
};

struct UnflattenSpec {
  static constexpr const char* name = "Unflatten";
  static constexpr const char* brief = "one dim split into several";
  int64_t dim = 0;
  Ints unflattened_size;
  void describe(auto& field) {
    field("dim", dim, "the dim to split", as::required | as::dim);
    field("unflattened_size", unflattened_size, "its new extents; one may be -1", as::required | as::tuple);
  }
};
class Unflatten final : public Layer<Unflatten, UnflattenSpec> {
 public:
  using Layer::Layer;
  Tensor run(const Tensor& x);
};

}  // namespace luth::nn
