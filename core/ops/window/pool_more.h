// Pooling of volumes, adaptive pooling by maxima, and the inverse of pooling by maxima. See op.h for the recipe;
// maxima go one direction after the other, means are maps of resample.h.
#pragma once
#include "core/ops/window/pool.h"

namespace luth::ops {

/// Where along `dim` the largest element of each window stands, from 0: of windows of `kernel` elements, or (kernel 0)
/// of `size` windows of equal share. A later element wins where it is larger or nan: PyTorch's order.
struct WindowArgmax {
  static constexpr Doc doc{"window_argmax", "input", "Where along a dim the largest element of each window stands."};
  static constexpr std::string_view not_differentiable = "positions are no continuous function of the input";
  static constexpr bool internal = true;
  int64_t dim = 0, size = 0, kernel = 0, stride = 1, padding = 0, dilation = 1;
  void describe(auto& field) {
    field("dim", dim, "the dim", as::dim);
    field("size", size, "how many windows", as::required);
    field("kernel", kernel, "elements of a window; 0: windows of equal share");
    field("stride", stride, "the step of the windows");
    field("padding", padding, "elements before the first that never are the largest");
    field("dilation", dilation, "the distance between the elements of a window");
  }
  Spec infer(const Inputs& in) const;
  static Cases<WindowArgmax> samples();
};

/// input [N, C, D, H, W] or [C, D, H, W]; indices are positions in the volume, row by row.
struct MaxPool3dWithIndices : PoolWindow {
  static constexpr Doc doc{"max_pool3d_with_indices", "input",
                           "The largest element of each window, and where it stands.", "result, indices"};
  static constexpr bool as_method = false;
  Ints dilation{1};
  int base = 0;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "depth, height and width of the window", as::required);
    field("stride", stride, "the step of the window; kernel_size where nil");
    field("padding", padding, "elements around the input that never are the largest");
    field("dilation", dilation, "the distance between the elements of a window");
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
    field("base", base, "from where indices count", as::base);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<MaxPool3dWithIndices> samples();
};
struct MaxPool3d : MaxPool2d {
  static constexpr Doc doc{"max_pool3d", "input", "The largest element of each window of a volume.", "result, indices"};
  Tensors decompose(const Inputs& in) const;
  static Cases<MaxPool3d> samples();
};

/// As many windows of equal share as asked for; one result, or two with return_indices.
struct AdaptiveMaxPool {
  static constexpr bool as_method = false;
  Ints output_size;
  bool return_indices = false;
  int base = 0;
  void describe(auto& field) {
    field("output_size", output_size, "the extents of the result; -1 keeps the input's", as::required);
    field("return_indices", return_indices, "also return where they stand in the input, row by row");
    field("base", base, "from where indices count", as::base);
  }
  Tensors pooled(const Tensor& x, int dims) const;
};
struct AdaptiveMaxPool1d : AdaptiveMaxPool {
  static constexpr Doc doc{"adaptive_max_pool1d", "input", "Largest elements of windows of equal share of a sequence.",
                           "result, indices"};
  Tensors decompose(const Inputs& in) const { return pooled(in[0], 1); }
  static Cases<AdaptiveMaxPool1d> samples();
};
struct AdaptiveMaxPool2d : AdaptiveMaxPool {
  static constexpr Doc doc{"adaptive_max_pool2d", "input", "Largest elements of windows of equal share.",
                           "result, indices"};
  Tensors decompose(const Inputs& in) const { return pooled(in[0], 2); }
  static Cases<AdaptiveMaxPool2d> samples();
};
struct AdaptiveMaxPool3d : AdaptiveMaxPool {
  static constexpr Doc doc{"adaptive_max_pool3d", "input", "Largest elements of windows of equal share of a volume.",
                           "result, indices"};
  Tensors decompose(const Inputs& in) const { return pooled(in[0], 3); }
  static Cases<AdaptiveMaxPool3d> samples();
};

struct AvgPool3d : AvgPool {
  static constexpr Doc doc{"avg_pool3d", "input", "The mean of each window of a volume."};
  static constexpr bool as_method = false;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "depth, height and width of the window", as::required);
    field("stride", stride, "the step of the window; kernel_size where nil");
    field("padding", padding, "zeros around the input");
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
    field("count_include_pad", count_include_pad, "whether padding counts in the mean");
    field("divisor_override", divisor_override, "divide the sums by this number instead");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<AvgPool3d> samples();
};
/// (sum of x^p over each window)^(1 / p): the largest |x| for p = inf.
struct LpPool {
  static constexpr bool as_method = false;
  Scalar norm_type = 2;
  Ints kernel_size;
  std::optional<Ints> stride;
  bool ceil_mode = false;
  void describe(auto& field) {
    field("norm_type", norm_type, "the exponent p of the norm; not 0", as::required);
    field("kernel_size", kernel_size, "the extents of the window", as::required);
    field("stride", stride, "the step of the window; kernel_size where nil");
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
  }
  template <class Mean, class Max>
  Tensor pooled(const Tensor& x, int dims) const;
};
struct LpPool1d : LpPool {
  static constexpr Doc doc{"lp_pool1d", "input", "The p-norm of each window of a sequence: (sum of x^p)^(1 / p)."};
  Tensor decompose(const Inputs& in) const;
  static Cases<LpPool1d> samples();
};
struct LpPool2d : LpPool {
  static constexpr Doc doc{"lp_pool2d", "input", "The p-norm of each window: (sum of x^p)^(1 / p)."};
  Tensor decompose(const Inputs& in) const;
  static Cases<LpPool2d> samples();
};
struct LpPool3d : LpPool {
  static constexpr Doc doc{"lp_pool3d", "input", "The p-norm of each window of a volume: (sum of x^p)^(1 / p)."};
  Tensor decompose(const Inputs& in) const;
  static Cases<LpPool3d> samples();
};

struct AdaptiveAvgPool3d {
  static constexpr Doc doc{"adaptive_avg_pool3d", "input", "Means of windows of equal share of a volume."};
  static constexpr bool as_method = false;
  Ints output_size;
  void describe(auto& field) {
    field("output_size", output_size, "the extents of the result; -1 keeps the input's", as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<AdaptiveAvgPool3d> samples();
};

/// Elements written to the positions that pooling by maxima has taken them from, zeros elsewhere; the last of several
/// writes to one place stays.
struct MaxUnpool {
  Ints kernel_size;
  std::optional<Ints> stride, output_size;
  Ints padding{0};
  int base = 0;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "the window of the pooling", as::required);
    field("stride", stride, "its step; kernel_size where nil");
    field("padding", padding, "its padding");
    field("output_size", output_size, "the extents of the result, where several are possible");
    field("base", base, "from where indices count", as::base);
  }
  Tensor unpooled(const Inputs& in, int dims) const;
};
struct MaxUnpool1d : MaxUnpool {
  static constexpr Doc doc{"nn_functional_max_unpool1d", "input, indices", "Undoes max_pool1d, with zeros elsewhere."};
  Tensor decompose(const Inputs& in) const { return unpooled(in, 1); }
  static Cases<MaxUnpool1d> samples();
};
struct MaxUnpool2d : MaxUnpool {
  static constexpr Doc doc{"nn_functional_max_unpool2d", "input, indices", "Undoes max_pool2d, with zeros elsewhere."};
  Tensor decompose(const Inputs& in) const { return unpooled(in, 2); }
  static Cases<MaxUnpool2d> samples();
};
struct MaxUnpool3d : MaxUnpool {
  static constexpr Doc doc{"nn_functional_max_unpool3d", "input, indices", "Undoes max_pool3d, with zeros elsewhere."};
  Tensor decompose(const Inputs& in) const { return unpooled(in, 3); }
  static Cases<MaxUnpool3d> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::WindowArgmax> window_argmax;
inline constexpr Fn<ops::MaxPool3dWithIndices> max_pool3d_with_indices;
inline constexpr Fn<ops::AvgPool3d> avg_pool3d;
inline constexpr Fn<ops::AdaptiveAvgPool3d> adaptive_avg_pool3d;
inline constexpr Fn<ops::MaxUnpool2d> max_unpool2d;
}  // namespace luth
