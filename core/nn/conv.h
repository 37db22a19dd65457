// Convolution and transposed convolution over sequences, images and volumes as layers.
#pragma once
#include "core/nn/linear.h"

namespace luth::nn {

/// Zeros (or another padding_mode) around the image: one number, one per dim, or "same" and "valid".
struct Padding {
  Ints sizes{0};
  std::string word;  // "same", "valid", or "" for sizes
};
Attr to_attr(const Padding& p);
void from_attr(const Attr& a, Padding& p);  // throws for another word

/// Over n spatial dims: 1, 2 or 3. weight [out_channels, in_channels / groups, …] with n spatial dims (transposed:
/// [in_channels, out_channels / groups, …]) and bias [out_channels], both uniform within ±1/√fan_in.
template <int n, bool transposed>
struct ConvSpec {
  static constexpr const char* names[] = {"Conv1d",          "Conv2d",          "Conv3d",
                                          "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"};
  static constexpr const char* briefs[] = {"cross-correlation of sequences with filters",
                                           "cross-correlation of images with filters",
                                           "cross-correlation of volumes with filters",
                                           "the gradient of Conv1d by its input, as a layer of its own",
                                           "the gradient of Conv2d by its input, as a layer of its own",
                                           "the gradient of Conv3d by its input, as a layer of its own"};
  static constexpr int number = n - 1 + 3 * transposed;
  static constexpr const char *name = names[number], *brief = briefs[number];
  int64_t in_channels = 0, out_channels = 0;
  Ints kernel_size, stride{1};
  Padding padding;
  Ints output_padding{0};  // of a transposed one
  Ints dilation{1};
  int64_t groups = 1;
  bool bias = true;
  std::string padding_mode = "zeros";
  Factory factory;
  void describe(auto& field) {
    field("in_channels", in_channels, "channels of the input", as::required | as::bare);
    field("out_channels", out_channels, "channels of the result", as::required | as::bare);
    field("kernel_size", kernel_size, "extents of the filters", as::required);
    if constexpr (transposed) {
      field("stride", stride, "steps of the filters in the result");
      field("padding", padding.sizes, "elements cut off each side of the result");
      field("output_padding", output_padding, "elements added to the result at the end of each dim");
    } else {
      field("stride", stride, "steps of the filters");
      field("padding", padding, "padding on each side, or 'same' or 'valid'", as::word);
      field("dilation", dilation, "distance of the filters' elements");
    }
    field("groups", groups, "groups of channels that do not mix");
    field("bias", bias, "whether to add a bias");
    if constexpr (transposed) {
      field("dilation", dilation, "distance of the filters' elements");
      field("padding_mode", padding_mode, "'zeros' alone", as::unprinted);
    } else {
      field("padding_mode", padding_mode, "'zeros', 'reflect', 'replicate' or 'circular'");
    }
    factory.describe(field);
  }
};

template <int n, bool transposed = false>
class Conv : public Layer<Conv<n, transposed>, ConvSpec<n, transposed>> {
 public:
  using Base = Layer<Conv<n, transposed>, ConvSpec<n, transposed>>;
  using Base::Base;
  void build() override;
  void reset_parameters() override;
  std::string extra_repr() const override;
  std::vector<std::string> argument_names() const override;
  /// A transposed one takes the spatial extents of its result too, as a list: `conv({x, Argument::list({10, 12})})`.
  Values forward(const Values& in) override;
  Tensor run(const Tensor& x, const Ints& output_size = {});

  static constexpr int64_t ConvSpec<n, transposed>::*input_size = &ConvSpec<n, transposed>::in_channels;
  int64_t size_in(const Tensor& x) const;
  int64_t size_in(std::string_view name, const Tensor& saved) const;

  using Base::spec;

 private:
  void check() const;
  void check_input(const Tensor& x) const;
  Shape weight_shape() const;
  Ints output_padding_for(const Tensor& x, Ints output_size) const;
};
template <int n>
using ConvTranspose = Conv<n, true>;
using Conv2d = Conv<2>;
using Conv2dSpec = ConvSpec<2, false>;

using LazyConv1d = Lazy<Conv<1>, "LazyConv1d">;
using LazyConv2d = Lazy<Conv<2>, "LazyConv2d">;
using LazyConv3d = Lazy<Conv<3>, "LazyConv3d">;
using LazyConvTranspose1d = Lazy<ConvTranspose<1>, "LazyConvTranspose1d">;
using LazyConvTranspose2d = Lazy<ConvTranspose<2>, "LazyConvTranspose2d">;
using LazyConvTranspose3d = Lazy<ConvTranspose<3>, "LazyConvTranspose3d">;

}  // namespace luth::nn

namespace luth {
template <>
struct AttrTraits<nn::Padding> : AttrTraitsOf<AttrKind::ints, Ints> {};
}  // namespace luth
