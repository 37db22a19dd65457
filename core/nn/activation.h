// Activations: modules around one operator each, without parameters.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

/// Settings of an activation that may write into its argument.
struct InplaceSpec {
  bool inplace = false;
  void describe(auto& field) { field("inplace", inplace, "write into the argument"); }
};
struct ReLUSpec : InplaceSpec {
  static constexpr const char* name = "ReLU";
  static constexpr const char* brief = "max(0, x)";
};
class ReLU final : public Layer<ReLU, ReLUSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override { return spec.inplace ? "inplace=True" : ""; }
  Tensor run(const Tensor& x);
};

struct SiLUSpec : InplaceSpec {
  static constexpr const char* name = "SiLU";
  static constexpr const char* brief = "x * sigmoid(x)";
};
class SiLU final : public Layer<SiLU, SiLUSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override { return spec.inplace ? "inplace=True" : ""; }
  Tensor run(const Tensor& x);
};

struct GELUSpec {
  static constexpr const char* name = "GELU";
  static constexpr const char* brief = "x times the normal distribution function of x";
  std::string approximate = "none";
  void describe(auto& field) { field("approximate", approximate, "'none' (by erf) or 'tanh'"); }
};
class GELU final : public Layer<GELU, GELUSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override { return "approximate='" + spec.approximate + "'"; }
  Tensor run(const Tensor& x);
};

struct TanhSpec {
  static constexpr const char* name = "Tanh";
  static constexpr const char* brief = "hyperbolic tangent";
  void describe(auto&) {}
};
class Tanh final : public Layer<Tanh, TanhSpec> {
 public:
  using Layer::Layer;
  Tensor run(const Tensor& x);
};

struct SigmoidSpec {
  static constexpr const char* name = "Sigmoid";
  static constexpr const char* brief = "1 / (1 + exp(-x))";
  void describe(auto&) {}
};
class Sigmoid final : public Layer<Sigmoid, SigmoidSpec> {
 public:
  using Layer::Layer;
  Tensor run(const Tensor& x);
};

struct SoftplusSpec {
  static constexpr const char* name = "Softplus";
  static constexpr const char* brief = "log(1 + exp(beta x)) / beta";
  double beta = 1, threshold = 20;
  void describe(auto& field) {
    field("beta", beta, "steepness");
    field("threshold", threshold, "above this, beta x is taken as it is");
  }
};
class Softplus final : public Layer<Softplus, SoftplusSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};

struct LeakyReLUSpec {
  static constexpr const char* name = "LeakyReLU";
  static constexpr const char* brief = "x, times negative_slope where it is negative";
  double negative_slope = 0.01;
  bool inplace = false;
  void describe(auto& field) {
    field("negative_slope", negative_slope, "the slope below 0");
    field("inplace", inplace, "write into the argument");
  }
};
class LeakyReLU final : public Layer<LeakyReLU, LeakyReLUSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};

struct DimSpec {
  int64_t dim = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim along which the elements sum to one", as::dim | as::required);
  }
};
struct SoftmaxSpec : DimSpec {
  static constexpr const char* name = "Softmax";
  static constexpr const char* brief = "exponentials along a dim, scaled to sum to one";
};
class Softmax final : public Layer<Softmax, SoftmaxSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};
struct LogSoftmaxSpec : DimSpec {
  static constexpr const char* name = "LogSoftmax";
  static constexpr const char* brief = "the logarithm of Softmax";
};
class LogSoftmax final : public Layer<LogSoftmax, LogSoftmaxSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};

}  // namespace luth::nn
