// Pooling as a layer: MaxPool2d and AvgPool2d, and what layers over sequences and volumes share with them.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

template <int n>
struct MaxPoolSpec {
  static constexpr const char* names[] = {"MaxPool1d", "MaxPool2d", "MaxPool3d"};
  static constexpr const char *name = names[n - 1], *brief = "the largest element of each window";
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
    field("return_indices", return_indices, "also give where the largest elements are", as::unprinted);
    field("ceil_mode", ceil_mode, "round the extents of the result up");
    field("base", base, "from where indices count", as::base);
  }
};
/// Over n spatial dims: 1, 2 or 3.
template <int n>
class MaxPool final : public Layer<MaxPool<n>, MaxPoolSpec<n>> {
 public:
  using Layer<MaxPool<n>, MaxPoolSpec<n>>::Layer;
  using Layer<MaxPool<n>, MaxPoolSpec<n>>::spec;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
  Values forward(const Values& in) override;  // two results with return_indices
};
extern template class MaxPool<2>;
using MaxPool2d = MaxPool<2>;

template <int n>
struct AvgPoolSpec {
  static constexpr const char* names[] = {"AvgPool1d", "AvgPool2d", "AvgPool3d"};
  static constexpr const char *name = names[n - 1], *brief = "the mean of each window";
  Ints kernel_size;
  std::optional<Ints> stride;
  Ints padding{0};
  bool ceil_mode = false, count_include_pad = true;
  std::optional<int64_t> divisor_override;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "height and width of the window", as::required);
    field("stride", stride, "steps of the window; nil: its size");
    field("padding", padding, "padding on each side");
    field("ceil_mode", ceil_mode, "round the extents of the result up", as::unprinted);
    field("count_include_pad", count_include_pad, "the padding counts in the mean", as::unprinted);
    if constexpr (n > 1)
      field("divisor_override", divisor_override, "divide by this in place of the size of the window", as::unprinted);
  }
};
template <int n>
class AvgPool final : public Layer<AvgPool<n>, AvgPoolSpec<n>> {
 public:
  using Layer<AvgPool<n>, AvgPoolSpec<n>>::Layer;
  using Layer<AvgPool<n>, AvgPoolSpec<n>>::spec;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);
};
extern template class AvgPool<2>;
using AvgPool2d = AvgPool<2>;

}  // namespace luth::nn
