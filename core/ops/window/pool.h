// Pooling of images and sequences. See op.h for the recipe. Results keep channels-last memory.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// Windows over images. A list of one number stands for both directions (height, width).
struct PoolWindow {
  Ints kernel_size;
  std::optional<Ints> stride;  // kernel_size where nothing is given
  Ints padding{0};
  bool ceil_mode = false;
  int64_t step(int d) const { return stride && !stride->empty() ? at_or_all(*stride, d) : at_or_all(kernel_size, d); }
  /// Positions in direction d (0: height, 1: width) over n elements; throws where the window does not fit.
  int64_t positions(int d, int64_t n, int64_t dilation = 1) const;
  void check() const;
  /// [N, C, H, W] or [C, H, W] with H and W replaced.
  Shape pooled(const Value& input, const Ints& dilation) const;
};

/// values, and indices: positions in the H x W plane of the input, row by row.
struct MaxPool2dWithIndices : PoolWindow {
  static constexpr Doc doc{"max_pool2d_with_indices", "input",
                           "The largest element of each window, and where it stands.", "result, indices"};
  static constexpr std::string_view saves = "input: input.meta, indices";
  static constexpr bool as_method = false;
  Ints dilation{1};
  int base = 0;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "height and width of the window", as::required);
    field("stride", stride, "the step of the window; kernel_size where nil");
    field("padding", padding, "elements around the input that never are the largest");
    field("dilation", dilation, "the distance between the elements of a window");
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
    field("base", base, "from where indices count", as::base);
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<MaxPool2dWithIndices> samples();
};
/// One result, or two with return_indices.
struct MaxPool2d : PoolWindow {
  static constexpr Doc doc{"max_pool2d", "input", "The largest element of each window.", "result, indices"};
  static constexpr bool as_method = false;
  Ints dilation{1};
  bool return_indices = false;
  int base = 0;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "height and width of the window", as::required);
    field("stride", stride, "the step of the window; kernel_size where nil");
    field("padding", padding, "elements around the input that never are the largest");
    field("dilation", dilation, "the distance between the elements of a window");
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
    field("return_indices", return_indices, "also return where they stand, as max_pool2d_with_indices does");
    field("base", base, "from where indices count", as::base);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<MaxPool2d> samples();
};
struct MaxPool1d : MaxPool2d {
  static constexpr Doc doc{"max_pool1d", "input", "The largest element of each window of a sequence.",
                           "result, indices"};
  Tensors decompose(const Inputs& in) const;
  static Cases<MaxPool1d> samples();
};
/// The element of each plane of input at every index: the adjoint of PoolScatter.
struct PoolGather {
  static constexpr Doc doc{"pool_gather", "input, indices", "Elements of planes by their positions."};
  static constexpr std::string_view saves = "input: input.meta, indices";
  static constexpr bool internal = true;
  int base = 0;
  Ints window{};
  void describe(auto& field) {
    field("base", base, "from where indices count", as::base);
    field("window", window, "kernel, stride, padding, dilation of the pooling that the indices are of", as::hidden);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<PoolGather> samples();
};
/// Planes of `size` with each element of grad added at its index, in order: d input of max pooling. With `window` (two
/// numbers of each: kernel, stride, padding, dilation) every index lies in its own window, and a kernel may count on
/// it; without, indices are any.
struct PoolScatter {
  static constexpr Doc doc{"pool_scatter", "grad, indices", "Planes with elements added at their positions."};
  static constexpr std::string_view saves = "grad: indices";
  static constexpr bool internal = true;
  Ints size;
  int base = 0;
  Ints window{};
  void describe(auto& field) {
    field("size", size, "height and width of a plane", as::required);
    field("base", base, "from where indices count", as::base);
    field("window", window, "kernel, stride, padding, dilation of the pooling that the indices are of", as::hidden);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<PoolScatter> samples();
};

struct AvgPool : PoolWindow {
  bool count_include_pad = true;
  std::optional<int64_t> divisor_override;
};
struct AvgPool2d : AvgPool {
  static constexpr Doc doc{"avg_pool2d", "input", "The mean of each window."};
  static constexpr std::string_view saves = "input: input.meta";
  static constexpr bool as_method = false;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "height and width of the window", as::required);
    field("stride", stride, "the step of the window; kernel_size where nil");
    field("padding", padding, "zeros around the input");
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
    field("count_include_pad", count_include_pad, "whether padding counts in the mean");
    field("divisor_override", divisor_override, "divide the sums by this number instead");
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AvgPool2d> samples();
};
struct AvgPool2dGrad : AvgPool {
  static constexpr Doc doc{"avg_pool2d_grad", "grad", "The gradient of avg_pool2d in its input."};
  static constexpr std::string_view saves = "grad: grad.meta";
  static constexpr bool internal = true;
  Ints size;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "height and width of the window", as::required);
    field("stride", stride, "the step of the window");
    field("padding", padding, "zeros around the input");
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
    field("count_include_pad", count_include_pad, "whether padding counts in the mean");
    field("divisor_override", divisor_override, "divide the sums by this number instead");
    field("size", size, "height and width of the input", as::required);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AvgPool2dGrad> samples();
};
struct AvgPool1d : PoolWindow {
  static constexpr Doc doc{"avg_pool1d", "input", "The mean of each window of a sequence."};
  static constexpr bool as_method = false;
  bool count_include_pad = true;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "the length of the window", as::required);
    field("stride", stride, "the step of the window; kernel_size where nil");
    field("padding", padding, "zeros around the input");
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
    field("count_include_pad", count_include_pad, "whether padding counts in the mean");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<AvgPool1d> samples();
};

/// Window i of n outputs over m inputs: from floor(i m / n) up to ceil((i + 1) m / n).
struct AdaptiveAvgPool2d {
  static constexpr Doc doc{"adaptive_avg_pool2d", "input", "Means of windows of equal share, as many as asked for."};
  static constexpr std::string_view saves = "input: input.meta";
  static constexpr bool as_method = false;
  Ints output_size;
  void describe(auto& field) {
    field("output_size", output_size, "height and width of the result; -1 keeps the input's", as::required);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AdaptiveAvgPool2d> samples();
};
struct AdaptiveAvgPool2dGrad {
  static constexpr Doc doc{"adaptive_avg_pool2d_grad", "grad", "The gradient of adaptive_avg_pool2d in its input."};
  static constexpr std::string_view saves = "grad: grad.meta";
  static constexpr bool internal = true;
  Ints size;
  void describe(auto& field) { field("size", size, "height and width of the input", as::required); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AdaptiveAvgPool2dGrad> samples();
};
struct AdaptiveAvgPool1d {
  static constexpr Doc doc{"adaptive_avg_pool1d", "input", "Means of windows of equal share of a sequence."};
  static constexpr bool as_method = false;
  Ints output_size;
  void describe(auto& field) { field("output_size", output_size, "the length of the result", as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<AdaptiveAvgPool1d> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::MaxPool2dWithIndices> max_pool2d_with_indices;
inline Tensor max_pool2d(const Tensor& input, const ops::MaxPool2d& op) { return Fn<ops::MaxPool2d>()(input, op)[0]; }
inline Tensor max_pool1d(const Tensor& input, const ops::MaxPool1d& op) { return Fn<ops::MaxPool1d>()(input, op)[0]; }
inline constexpr Fn<ops::PoolGather> pool_gather;
inline constexpr Fn<ops::PoolScatter> pool_scatter;
inline constexpr Fn<ops::AvgPool2d> avg_pool2d;
inline constexpr Fn<ops::AvgPool2dGrad> avg_pool2d_grad;
inline constexpr Fn<ops::AvgPool1d> avg_pool1d;
inline constexpr Fn<ops::AdaptiveAvgPool2d> adaptive_avg_pool2d;
inline constexpr Fn<ops::AdaptiveAvgPool2dGrad> adaptive_avg_pool2d_grad;
inline constexpr Fn<ops::AdaptiveAvgPool1d> adaptive_avg_pool1d;
}  // namespace luth
