// Convolutions: the operator, and its gradients in the input and in the filters as operators of their own, each of
// which is linear in both of its inputs, so that the three are closed under differentiation. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// How a filter moves over an image. A list of one number stands for both directions (height, width).
struct ConvWindow {
  Ints stride{1}, padding{0}, dilation{1};
  int64_t groups = 1;
  Ints behind{0};  // further padding at the bottom and on the right: 'same' needs some, output_padding less than none
  void describe_window(auto& field) {
    field("stride", stride, "the step of the filter");
    field("padding", padding, "zeros added on each side, or 'same' or 'valid'");
    field("dilation", dilation, "the distance between the elements of the filter");
    field("groups", groups, "groups of channels that see nothing of each other");
  }
  /// Padding in direction d (0: height, 1: width), before and behind together.
  int64_t padded(int d) const { return 2 * at_or_all(padding, d) + at_or_all(behind, d); }
  /// Positions of a kernel of `k` elements over `n` elements; throws where it is larger than the padded input.
  int64_t positions(int d, int64_t n, int64_t k) const;
  void check() const;
};

/// input [N, C, H, W] or [C, H, W], weight [O, C / groups, kH, kW], bias [O]. The result keeps channels-last memory.
struct Conv2d : ConvWindow {
  static constexpr Doc doc{"conv2d", "input, weight, bias?", "Convolution of images with filters."};
  static constexpr std::string_view saves = "input: weight, input.meta; weight: input, weight.meta; bias: bias.meta";
  static constexpr bool as_method = false;
  void describe(auto& field) {
    describe_window(field);
    field("behind", behind, "further padding at the bottom and on the right", as::hidden);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Conv2d> samples();
};
/// The same with padding by name.
struct Conv2dPadding {
  static constexpr Doc doc{"conv2d.padding", "input, weight, bias?", "Convolution of images with filters."};
  static constexpr bool as_method = false;
  Ints stride{1};
  std::string padding = "valid";
  Ints dilation{1};
  int64_t groups = 1;
  void describe(auto& field) {
    field("stride", stride, "the step of the filter");
    field("padding", padding, "'same': the result has the input's size (stride 1); 'valid': none", as::required);
    field("dilation", dilation, "the distance between the elements of the filter");
    field("groups", groups, "groups of channels that see nothing of each other");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Conv2dPadding> samples();
};

/// d input of conv2d, of images of `size`; grad [N, O, …] or [O, …].
struct Conv2dGradInput : ConvWindow {
  static constexpr Doc doc{"conv2d_grad_input", "grad, weight", "The gradient of conv2d in its input."};
  static constexpr std::string_view saves = "grad: weight, grad.meta; weight: grad, weight.meta";
  static constexpr bool internal = true;
  Ints size;
  void describe(auto& field) {
    describe_window(field);
    field("behind", behind, "further padding at the bottom and on the right", as::hidden);
    field("size", size, "height and width of the input", as::required);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Conv2dGradInput> samples();
};
/// d weight of conv2d, of filters of `size`.
struct Conv2dGradWeight : ConvWindow {
  static constexpr Doc doc{"conv2d_grad_weight", "grad, input", "The gradient of conv2d in its filters."};
  static constexpr std::string_view saves = "grad: input, grad.meta; input: grad, input.meta";
  static constexpr bool internal = true;
  Ints size;
  void describe(auto& field) {
    describe_window(field);
    field("behind", behind, "further padding at the bottom and on the right", as::hidden);
    field("size", size, "height and width of the filters", as::required);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Conv2dGradWeight> samples();
};

/// input [N, C, L] or [C, L], weight [O, C / groups, k].
struct Conv1d : ConvWindow {
  static constexpr Doc doc{"conv1d", "input, weight, bias?", "Convolution of sequences with filters."};
  static constexpr bool as_method = false;
  void describe(auto& field) { describe_window(field); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Conv1d> samples();
};
struct Conv1dPadding : Conv2dPadding {
  static constexpr Doc doc{"conv1d.padding", "input, weight, bias?", "Convolution of sequences with filters."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Conv1dPadding> samples();
};

/// The gradient of a convolution in its input, as a layer of its own; weight [C, O / groups, kH, kW].
struct ConvTranspose2d {
  static constexpr Doc doc{"conv_transpose2d", "input, weight, bias?", "Transposed convolution of images."};
  static constexpr bool as_method = false;
  Ints stride{1}, padding{0}, output_padding{0};
  int64_t groups = 1;
  Ints dilation{1};
  void describe(auto& field) {
    field("stride", stride, "the step of the filter in the result");
    field("padding", padding, "elements cut off each side of the result");
    field("output_padding", output_padding, "elements added to the result at the bottom and on the right");
    field("groups", groups, "groups of channels that see nothing of each other");
    field("dilation", dilation, "the distance between the elements of the filter");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<ConvTranspose2d> samples();
};
struct ConvTranspose1d : ConvTranspose2d {
  static constexpr Doc doc{"conv_transpose1d", "input, weight, bias?", "Transposed convolution of sequences."};
  Tensor decompose(const Inputs& in) const;
  static Cases<ConvTranspose1d> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Conv2d> conv2d;
inline constexpr Fn<ops::Conv2dGradInput> conv2d_grad_input;
inline constexpr Fn<ops::Conv2dGradWeight> conv2d_grad_weight;
inline constexpr Fn<ops::Conv1d> conv1d;
inline constexpr Fn<ops::ConvTranspose1d> conv_transpose1d;
inline constexpr Fn<ops::ConvTranspose2d> conv_transpose2d;
}  // namespace luth
