// Convolution as a layer: Conv2d, and what layers over sequences and volumes share with it.
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

/// weight [out_channels, in_channels / groups, …] with n spatial dims and bias [out_channels], both uniform within
/// ±1/√fan_in.
template <int n>
struct ConvSpec {
  static constexpr const char *names[] = {"Conv1d", "Conv2d", "Conv3d"},
                              *briefs[] = {"cross-correlation of sequences with filters",
                                           "cross-correlation of images with filters",
                                           "cross-correlation of volumes with filters"};
  static constexpr const char *name = names[n - 1], *brief = briefs[n - 1];
  int64_t in_channels = 0, out_channels = 0;
  Ints kernel_size, stride{1};
  Padding padding;
  Ints dilation{1};
  int64_t groups = 1;
  bool bias = true;
  std::string padding_mode = "zeros";
  Factory factory;
  void describe(auto& field) {
    field("in_channels", in_channels, "channels of the input", as::required | as::bare);
    describe_rest(field);
  }
  void describe_rest(auto& field) {
    field("out_channels", out_channels, "channels of the result", as::required | as::bare);
    field("kernel_size", kernel_size, "height and width of the filters", as::required);
    field("stride", stride, "steps of the filters");
    field("padding", padding, "padding on each side, or 'same' or 'valid'", as::word);
    field("dilation", dilation, "distance of the filters' elements");
    field("groups", groups, "groups of channels that do not mix");
    field("bias", bias, "whether to add a bias");
    field("padding_mode", padding_mode, "'zeros', 'reflect', 'replicate' or 'circular'");
    factory.describe(field);
  }
};
/// Convolution over n spatial dims: 1, 2 or 3.
template <int n>
class Conv : public Layer<Conv<n>, ConvSpec<n>> {
 public:
  using Base = Layer<Conv<n>, ConvSpec<n>>;
  using Base::Base;
  void build() override;
  void reset_parameters() override;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);

 protected:
  using Base::spec;
  void check() const;
  Shape weight_shape() const;
};

/// A Conv that takes in_channels from its first input and is a Conv from then on.
template <int n>
class LazyConv final : public Conv<n> {
 public:
  struct Spec : ConvSpec<n> {
    static constexpr const char *names[] = {"LazyConv1d", "LazyConv2d", "LazyConv3d"},
                                *briefs[] = {"a Conv1d that takes in_channels from its first input",
                                             "a Conv2d that takes in_channels from its first input",
                                             "a Conv3d that takes in_channels from its first input"};
    static constexpr const char *name = names[n - 1], *brief = briefs[n - 1];
    void describe(auto& field) { this->describe_rest(field); }
  };
  explicit LazyConv(ConvSpec<n> s) : Conv<n>(std::move(s)) {}
  std::string type() const override { return lazy() ? Spec::name : ConvSpec<n>::name; }
  void describe(Fields& f) override { lazy() ? spec.describe_rest(f) : spec.describe(f); }
  void build() override;
  bool lazy() const override { return spec.in_channels == 0; }
  void materialize_like(const StateDict& own) override;
  ModuleRef fresh() const override { return ModuleRef(new LazyConv(spec)); }
  Values forward(const Values& in) override;

 private:
  using Conv<n>::spec;
  void materialize(int64_t in_channels);
};
using Conv2d = Conv<2>;
using Conv2dSpec = ConvSpec<2>;
using LazyConv2d = LazyConv<2>;

}  // namespace luth::nn

namespace luth {
template <>
struct AttrTraits<nn::Padding> : AttrTraitsOf<AttrKind::ints, Ints> {};
}  // namespace luth
