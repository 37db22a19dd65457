// Dropout.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

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
