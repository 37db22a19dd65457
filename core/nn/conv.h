// Convolution over images [N, C, H, W] or [C, H, W].
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

/// weight [out_channels, in_channels / groups, kH, kW] and bias [out_channels], both uniform within ±1/√fan_in.
struct Conv2dSpec {
  static constexpr const char* name = "Conv2d";
  static constexpr const char* brief = "cross-correlation of images with filters";
  int64_t in_channels = 0, out_channels = 0;
  Ints kernel_size, stride{1};
  Padding padding;
  Ints dilation{1};
  int64_t groups = 1;
  bool bias = true;
  std::string padding_mode = "zeros";
  Factory factory;
  void describe(auto& field) {
    field("in_channels", in_channels, "channels of the input", as::required);
    describe_rest(field);
  }
  void describe_rest(auto& field) {
    field("out_channels", out_channels, "channels of the result", as::required);
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
class Conv2d : public Layer<Conv2d, Conv2dSpec> {
 public:
  using Layer::Layer;
  void build() override;
  void reset_parameters() override;
  std::string extra_repr() const override;
  Tensor run(const Tensor& x);

 protected:
  void check() const;
  /// {before, after} for H and W, whatever way padding was given.
  struct Sides {
    int64_t before[2], after[2];
  };
  Sides sides() const;
};

/// A Conv2d that takes in_channels from its first input and is a Conv2d from then on.
class LazyConv2d final : public Conv2d {
 public:
  struct Spec : Conv2dSpec {
    static constexpr const char* name = "LazyConv2d";
    static constexpr const char* brief = "a Conv2d that takes in_channels from its first input";
    void describe(auto& field) { describe_rest(field); }
  };
  explicit LazyConv2d(Conv2dSpec s) : Conv2d(std::move(s)) {}
  std::string type() const override { return lazy() ? "LazyConv2d" : "Conv2d"; }
  void describe(Fields& f) override { lazy() ? spec.describe_rest(f) : spec.describe(f); }
  void build() override;
  bool lazy() const override { return spec.in_channels == 0; }
  void materialize_like(const StateDict& own) override;
  ModuleRef fresh() const override { return ModuleRef(new LazyConv2d(spec)); }
  Values forward(const Values& in) override;

 private:
  void materialize(int64_t in_channels);
};

}  // namespace luth::nn

namespace luth {
template <>
struct AttrTraits<nn::Padding> : AttrTraitsOf<AttrKind::ints, Ints> {};
}  // namespace luth
