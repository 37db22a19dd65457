// Pooling over images [N, C, H, W] or [C, H, W].
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

struct MaxPool2dSpec {
  static constexpr const char* name = "MaxPool2d";
  static constexpr const char* brief = "the largest element of each window";
  Ints kernel_size;
  std::optional<Ints> stride;
  Ints padding{0}, dilation{1};
  bool return_indices = false, ceil_mode = false;
  int base = 0;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "height and width of the window", as::required);
    field("stride", stride, "steps of the window; nil: its size");
    field("padding", padding, "padding on each side");
    field("dilation", dilation, "distance of the window's elements");
    field("return_indices", return_indices, "also give where the largest elements are");
    field("ceil_mode", ceil_mode, "round the extents of the result up");
    field("base", base, "from where indices count", as::base);
  }
};
class MaxPool2d final : public Layer<MaxPool2d, MaxPool2dSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
  Values forward(const Values& in) override;  // two results with return_indices
};

struct AvgPool2dSpec {
  static constexpr const char* name = "AvgPool2d";
  static constexpr const char* brief = "the mean of each window";
  Ints kernel_size;
  std::optional<Ints> stride;
  Ints padding{0};
  bool ceil_mode = false, count_include_pad = true;
  std::optional<int64_t> divisor_override;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "height and width of the window", as::required);
    field("stride", stride, "steps of the window; nil: its size");
    field("padding", padding, "padding on each side");
    field("ceil_mode", ceil_mode, "round the extents of the result up");
    field("count_include_pad", count_include_pad, "the padding counts in the mean");
    field("divisor_override", divisor_override, "divide by this in place of the size of the window");
  }
};
class AvgPool2d final : public Layer<AvgPool2d, AvgPool2dSpec> {
 public:
  using Layer::Layer;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};

}  // namespace luth::nn
