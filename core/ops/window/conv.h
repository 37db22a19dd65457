// Convolution over 1 to 3 spatial dims: the operator, and its gradients in the input and in the filters as operators of
// their own. Each is linear in both of its inputs, so that the three are closed under differentiation. conv1d, conv2d,
// conv3d and the transposed convolutions are made of them. See op.h for the recipe.
#pragma once
#include "core/ops/window/window.h"

namespace luth::ops {

/// How filters move over the input.
struct ConvWindow {
  Ints stride{1}, padding{0}, dilation{1};
  int64_t groups = 1;
  std::optional<Ints> padding_hi{};  // after the last element, where it is not `padding`; may be negative
  void describe(auto& field) {
    field("stride", stride, "the step of the filter");
    field("padding", padding, "zeros added on each side, or 'same' or 'valid'");
    field("dilation", dilation, "the distance between the elements of the filter");
    field("groups", groups, "groups of channels that see nothing of each other");
    field("padding_hi", padding_hi, "zeros added at the end, where they are others", as::hidden);
  }
  void check(int dims) const;
  /// Sets the padding that 'same' or 'valid' stands for, with filters of these extents.
  void pad_as(std::string_view word, const Ints& kernel);
  /// Spatial dim d, of a filter of `kernel` elements there.
  WindowDim dim(int d, int64_t kernel) const;
};

/// input [N, C, …] or [C, …], weight [O, C / groups, …], which has the spatial dims, bias [O]. The result keeps NHWC
/// memory.
struct Convolution {
  static constexpr Doc doc{"convolution", "input, weight, bias?", "Convolution over as many dims as the filters have."};
  static constexpr Traits traits{.saves = "input: weight, input.meta; weight: input, weight.meta; bias: weight.meta",
                                 .internal = true,
                                 .autocast = Autocast::lower,
                                 .kernel_required = true};
  ConvWindow window;
  void describe(auto& field) { window.describe(field); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Convolution> samples();
};
/// d input of convolution, of an input with spatial extents `size`; grad [N, O, …] or [O, …].
struct ConvolutionGradInput {
  static constexpr Doc doc{"convolution_grad_input", "grad, weight", "The gradient of convolution in its input."};
  static constexpr Traits traits{
      .saves = "grad: weight, grad.meta; weight: grad, weight.meta", .internal = true, .kernel_required = true};
  ConvWindow window;
  Ints size;
  void describe(auto& field) {
    window.describe(field);
    field("size", size, "the spatial extents of the input", as::required);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ConvolutionGradInput> samples();
};
/// d weight of convolution, of filters with extents `size`.
struct ConvolutionGradWeight {
  static constexpr Doc doc{"convolution_grad_weight", "grad, input", "The gradient of convolution in its filters."};
  static constexpr Traits traits{
      .saves = "grad: input, grad.meta; input: grad, input.meta", .internal = true, .kernel_required = true};
  ConvWindow window;
  Ints size;
  void describe(auto& field) {
    window.describe(field);
    field("size", size, "the spatial extents of the filters", as::required);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ConvolutionGradWeight> samples();
};

// ---- By the number of spatial dims: n is 1, 2 or 3 ---------------------------------------------------------------

template <int n>
struct Conv {
  static constexpr Doc docs[] = {{"conv1d", "input, weight, bias?", "Convolution of sequences with filters."},
                                 {"conv2d", "input, weight, bias?", "Convolution of images with filters."},
                                 {"conv3d", "input, weight, bias?", "Convolution of volumes with filters."}};
  static constexpr Doc doc = docs[n - 1];
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::lower};
  ConvWindow window;
  void describe(auto& field) { window.describe(field); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Conv> samples();
};
using Conv1d = Conv<1>;
using Conv2d = Conv<2>;
using Conv3d = Conv<3>;

/// The same with padding by name.
template <int n>
struct ConvPadding {
  static constexpr Doc docs[] = {{"conv1d.padding", "input, weight, bias?", Conv<1>::doc.brief},
                                 {"conv2d.padding", "input, weight, bias?", Conv<2>::doc.brief},
                                 {"conv3d.padding", "input, weight, bias?", Conv<3>::doc.brief}};
  static constexpr Doc doc = docs[n - 1];
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::lower};
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
  static Cases<ConvPadding> samples();
};

/// The gradient of a convolution in its input, as a layer of its own; weight [C, O / groups, …].
template <int n>
struct ConvTranspose {
  static constexpr Doc docs[] = {{"conv_transpose1d", "input, weight, bias?", "Transposed convolution of sequences."},
                                 {"conv_transpose2d", "input, weight, bias?", "Transposed convolution of images."},
                                 {"conv_transpose3d", "input, weight, bias?", "Transposed convolution of volumes."}};
  static constexpr Doc doc = docs[n - 1];
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::lower};
  ConvWindow window;
  Ints output_padding{0};
  void describe(auto& field) {
    field("stride", window.stride, "the step of the filter in the result");
    field("padding", window.padding, "elements cut off each side of the result");
    field("output_padding", output_padding, "elements added to the result at the end of each dim");
    field("groups", window.groups, "groups of channels that see nothing of each other");
    field("dilation", window.dilation, "the distance between the elements of the filter");
    field("padding_hi", window.padding_hi, "elements cut off the end, where they are others", as::hidden);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<ConvTranspose> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Convolution> convolution;
inline constexpr Fn<ops::ConvolutionGradInput> convolution_grad_input;
inline constexpr Fn<ops::ConvolutionGradWeight> convolution_grad_weight;
inline constexpr Fn<ops::Conv<1>> conv1d;
inline constexpr Fn<ops::Conv<2>> conv2d;
inline constexpr Fn<ops::Conv<3>> conv3d;
inline constexpr Fn<ops::ConvTranspose<1>> conv_transpose1d;
inline constexpr Fn<ops::ConvTranspose<2>> conv_transpose2d;
inline constexpr Fn<ops::ConvTranspose<3>> conv_transpose3d;
}  // namespace luth
