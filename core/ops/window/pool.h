// Pooling over 1 to 3 spatial dims: largest elements and means of windows and their gradients, which are the operators
// with kernels, and the functions made of them. Results keep NHWC memory. See op.h for the recipe.
#pragma once
#include "core/ops/window/window.h"

namespace luth::ops {

/// Windows along one dim: `to` of them over `from` elements. Window i has the elements begin(i), begin(i) + dilation, …
/// before end(i) that lie inside. With kernel 0 they have equal shares: from floor(i m / n) up to ceil((i + 1) m / n).
struct PoolDim {
  int64_t from = 1, to = 1, kernel = 1, stride = 1, padding = 0, dilation = 1;
  LUTH_HD int64_t begin(int64_t i) const { return kernel ? i * stride - padding : i * from / to; }
  LUTH_HD int64_t end(int64_t i) const {
    return kernel ? begin(i) + dilation * (kernel - 1) + 1 : ((i + 1) * from + to - 1) / to;
  }
  /// Its first element that is not before the input. Behind the input: the window steps over all of it.
  LUTH_HD int64_t first(int64_t i) const {
    const int64_t b = begin(i);
    return b < 0 ? b + (dilation - 1 - b) / dilation * dilation : b;
  }
  LUTH_HD bool outside(int64_t i) const { return first(i) >= from; }
};

/// Windows along each spatial dim, one number for each in every list; kernel_size 0: equal shares.
struct PoolWindows {
  Ints from, to, kernel_size, stride, padding, dilation;
  void describe(auto& field) {
    field("from", from, "spatial extents of the input", as::required);
    field("to", to, "windows in each of these dims", as::required);
    field("kernel_size", kernel_size, "elements of a window; 0: windows of equal share", as::required);
    field("stride", stride, "the step of the window", as::required);
    field("padding", padding, "elements around the input", as::required);
    field("dilation", dilation, "the distance between the elements of a window", as::required);
  }
  int dims() const { return from.size(); }
  void push_back(const PoolDim& d);
  /// Of depth, height and width; where there are fewer dims, the first ones have one element.
  PoolDim dim(int d) const;
};

// ---- Operators with kernels --------------------------------------------------------------------------------------

/// The largest element of each window, and its position in the spatial dims, row by row. A later element wins where it
/// is larger or nan: PyTorch's order. A window that steps over the whole input has the lowest number. Without
/// `positions`, which gradients need, the second result is empty: for sequences, but not with windows of equal shares.
struct MaxPool {
  static constexpr Doc doc{"max_pool", "input", "The largest element of each window, and its position.",
                           "result, indices"};
  static constexpr Traits traits{.saves = "input: input.meta, indices", .internal = true};
  PoolWindows windows;
  int base = 0;
  bool positions = true;
  void describe(auto& field) {
    windows.describe(field);
    field("base", base, "from where indices count", as::base);
    field("positions", positions, "whether they are wanted");
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<MaxPool> samples();
};
/// d input of max_pool: each element of grad added at its index, in order. Indices outside of the input count for
/// nothing, as those of windows that step over it.
struct MaxPoolGrad {
  static constexpr Doc doc{"max_pool_grad", "grad, indices", "The gradient of max_pool in its input."};
  static constexpr Traits traits{.saves = "grad: indices", .internal = true};
  MaxPool forward;
  void describe(auto& field) { forward.describe(field); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<MaxPoolGrad> samples();
};
/// The element at each index, or 0: the adjoint of MaxPoolGrad.
struct MaxPoolPick {
  static constexpr Doc doc{"max_pool_pick", "input, indices", "The elements at the indices of max_pool."};
  static constexpr Traits traits{.saves = "input: indices", .internal = true};
  MaxPool forward;
  void describe(auto& field) { forward.describe(field); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<MaxPoolPick> samples();
};

/// The sum of each window over its size; integers are divided as PyTorch does, towards 0.
struct AvgPool {
  static constexpr Doc doc{"avg_pool", "input", "The mean of each window."};
  static constexpr Traits traits{.saves = "input: input.meta", .internal = true};
  PoolWindows windows;
  bool count_include_pad = true;
  std::optional<int64_t> divisor_override{};
  void describe(auto& field) {
    windows.describe(field);
    field("count_include_pad", count_include_pad, "whether padding counts in the mean");
    field("divisor_override", divisor_override, "divide the sums by this number instead");
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AvgPool> samples();
};
struct AvgPoolGrad {
  static constexpr Doc doc{"avg_pool_grad", "grad", "The gradient of avg_pool in its input."};
  static constexpr Traits traits{.saves = "grad: grad.meta", .internal = true};
  AvgPool forward;
  void describe(auto& field) { forward.describe(field); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<AvgPoolGrad> samples();
};

// ---- By the number of spatial dims: n is 1, 2 or 3 ---------------------------------------------------------------

/// The window of a pooling, as it is asked for.
struct PoolWindow {
  Ints kernel_size;
  std::optional<Ints> stride{};  // kernel_size where nothing is given
  Ints padding{0}, dilation{1};
  bool ceil_mode = false;
  void describe_kernel(auto& field, int dims) {
    constexpr const char* docs[] = {"the length of the window", "height and width of the window",
                                    "depth, height and width of the window"};
    field("kernel_size", kernel_size, docs[dims - 1], as::required);
    field("stride", stride, "the step of the window; kernel_size where nil");
  }
  void describe_ceil_mode(auto& field) {
    field("ceil_mode", ceil_mode, "count a last window that is only partly inside");
  }
  void describe_max(auto& field, int dims) {
    describe_kernel(field, dims);
    field("padding", padding, "elements around the input that never are the largest");
    field("dilation", dilation, "the distance between the elements of a window");
    describe_ceil_mode(field);
  }
  void check(int dims) const;
  int64_t step(int d) const { return stride && !stride->empty() ? at_or_all(*stride, d) : at_or_all(kernel_size, d); }
  /// The windows over an input with `dims` spatial dims; throws where they do not fit.
  PoolWindows over(const Value& input, int dims) const;
};

template <int n>
struct MaxPoolWithIndices {
  static constexpr Doc doc{n == 2 ? "max_pool2d_with_indices" : "max_pool3d_with_indices", "input",
                           "The largest element of each window, and where it stands.", "result, indices"};
  static constexpr Traits traits{.offered = n == 1 ? Offered::function : Offered::functional};
  PoolWindow window;
  int base = 0;
  void describe(auto& field) {
    window.describe_max(field, n);
    field("base", base, "from where indices count", as::base);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<MaxPoolWithIndices> samples();
};
/// One result, or two with return_indices.
template <int n>
struct MaxPoolOf {
  static constexpr Doc docs[] = {
      {"max_pool1d", "input", "The largest element of each window of a sequence.", "result, indices"},
      {"max_pool2d", "input", "The largest element of each window.", "result, indices"},
      {"max_pool3d", "input", "The largest element of each window of a volume.", "result, indices"}};
  static constexpr Doc doc = docs[n - 1];
  static constexpr Traits traits{.offered = Offered::function};
  PoolWindow window;
  bool return_indices = false;
  int base = 0;
  void describe(auto& field) {
    window.describe_max(field, n);
    field("return_indices", return_indices, "also return where they stand, as max_pool2d_with_indices does");
    field("base", base, "from where indices count", as::base);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<MaxPoolOf> samples();
};
/// As many windows of equal share as asked for; one result, or two with return_indices.
template <int n>
struct AdaptiveMaxPool {
  static constexpr Doc docs[] = {
      {"adaptive_max_pool1d", "input", "Largest elements of windows of equal share of a sequence.", "result, indices"},
      {"adaptive_max_pool2d", "input", "Largest elements of windows of equal share.", "result, indices"},
      {"adaptive_max_pool3d", "input", "Largest elements of windows of equal share of a volume.", "result, indices"}};
  static constexpr Doc doc = docs[n - 1];
  static constexpr Traits traits{.offered = n == 1 ? Offered::function : Offered::functional};
  Ints output_size;
  bool return_indices = false;
  int base = 0;
  void describe(auto& field) {
    field("output_size", output_size, "the extents of the result; torch.none or -1 keeps the input's",
          as::required | as::holes);
    field("return_indices", return_indices, "also return where they stand in the input, row by row");
    field("base", base, "from where indices count", as::base);
  }
  void check() const { check_list("output_size", output_size, n, -1); }
  Tensors decompose(const Inputs& in) const;
  static Cases<AdaptiveMaxPool> samples();
};

template <int n>
struct AvgPoolOf {
  static constexpr Doc docs[] = {{"avg_pool1d", "input", "The mean of each window of a sequence."},
                                 {"avg_pool2d", "input", "The mean of each window."},
                                 {"avg_pool3d", "input", "The mean of each window of a volume."}};
  static constexpr Doc doc = docs[n - 1];
  static constexpr Traits traits{.offered = n == 1 ? Offered::function : Offered::functional};
  PoolWindow window;
  bool count_include_pad = true;
  std::optional<int64_t> divisor_override{};
  void describe(auto& field) {
    window.describe_kernel(field, n);
    field("padding", window.padding, "zeros around the input");
    window.describe_ceil_mode(field);
    field("count_include_pad", count_include_pad, "whether padding counts in the mean");
    if constexpr (n > 1) field("divisor_override", divisor_override, "divide the sums by this number instead");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<AvgPoolOf> samples();
};
template <int n>
struct AdaptiveAvgPool {
  static constexpr Doc docs[] = {
      {"adaptive_avg_pool1d", "input", "Means of windows of equal share of a sequence."},
      {"adaptive_avg_pool2d", "input", "Means of windows of equal share, as many as asked for."},
      {"adaptive_avg_pool3d", "input", "Means of windows of equal share of a volume."}};
  static constexpr Doc doc = docs[n - 1];
  static constexpr Traits traits{.offered = n == 1 ? Offered::function : Offered::functional};
  Ints output_size;
  void describe(auto& field) {
    field("output_size", output_size, "the extents of the result; torch.none or -1 keeps the input's",
          as::required | as::holes);
  }
  void check() const { check_list("output_size", output_size, n, -1); }
  Tensor decompose(const Inputs& in) const;
  static Cases<AdaptiveAvgPool> samples();
};
/// (sum of x^p over each window)^(1 / p): the largest |x| for p = inf.
template <int n>
struct LpPool {
  static constexpr Doc docs[] = {
      {"lp_pool1d", "input", "The p-norm of each window of a sequence: (sum of x^p)^(1 / p)."},
      {"lp_pool2d", "input", "The p-norm of each window: (sum of x^p)^(1 / p)."},
      {"lp_pool3d", "input", "The p-norm of each window of a volume: (sum of x^p)^(1 / p)."}};
  static constexpr Doc doc = docs[n - 1];
  static constexpr Traits traits{.offered = Offered::functional};
  Scalar norm_type = 2;
  PoolWindow window;
  void describe(auto& field) {
    field("norm_type", norm_type, "the exponent p of the norm; not 0", as::required);
    window.describe_kernel(field, n);
    window.describe_ceil_mode(field);
  }
  void check() const {
    if (norm_type.value() == 0) throw Error("norm_type must not be 0");
    window.check(n);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<LpPool> samples();
};

/// Elements written to the positions that pooling by maxima has taken them from, zeros elsewhere; the last of several
/// writes to one position stays.
template <int n>
struct MaxUnpool {
  static constexpr Doc docs[] = {
      {"nn_functional_max_unpool1d", "input, indices", "Undoes max_pool1d, with zeros elsewhere."},
      {"nn_functional_max_unpool2d", "input, indices", "Undoes max_pool2d, with zeros elsewhere."},
      {"nn_functional_max_unpool3d", "input, indices", "Undoes max_pool3d, with zeros elsewhere."}};
  static constexpr Doc doc = docs[n - 1];
  PoolWindow window;
  std::optional<Ints> output_size{};
  int base = 0;
  void describe(auto& field) {
    field("kernel_size", window.kernel_size, "the window of the pooling", as::required);
    field("stride", window.stride, "its step; kernel_size where nil");
    field("padding", window.padding, "its padding");
    field("output_size", output_size, "the extents of the result, where several are possible");
    field("base", base, "from where indices count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<MaxUnpool> samples();
};

using MaxPool1d = MaxPoolOf<1>;
using MaxPool2d = MaxPoolOf<2>;
using MaxPool3d = MaxPoolOf<3>;
using MaxPool2dWithIndices = MaxPoolWithIndices<2>;
using AvgPool2d = AvgPoolOf<2>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::MaxPool> max_pool;
inline constexpr Fn<ops::MaxPoolGrad> max_pool_grad;
inline constexpr Fn<ops::MaxPoolPick> max_pool_pick;
inline constexpr Fn<ops::AvgPool> avg_pool;
inline constexpr Fn<ops::AvgPoolGrad> avg_pool_grad;
inline Tensor max_pool1d(const Tensor& input, const ops::MaxPool1d& op) { return Fn<ops::MaxPool1d>()(input, op)[0]; }
inline Tensor max_pool2d(const Tensor& input, const ops::MaxPool2d& op) { return Fn<ops::MaxPool2d>()(input, op)[0]; }
inline Tensor max_pool3d(const Tensor& input, const ops::MaxPool3d& op) { return Fn<ops::MaxPool3d>()(input, op)[0]; }
inline constexpr Fn<ops::MaxPoolWithIndices<2>> max_pool2d_with_indices;
inline constexpr Fn<ops::MaxPoolWithIndices<3>> max_pool3d_with_indices;
inline constexpr Fn<ops::AvgPoolOf<1>> avg_pool1d;
inline constexpr Fn<ops::AvgPoolOf<2>> avg_pool2d;
inline constexpr Fn<ops::AvgPoolOf<3>> avg_pool3d;
inline constexpr Fn<ops::AdaptiveAvgPool<1>> adaptive_avg_pool1d;
inline constexpr Fn<ops::AdaptiveAvgPool<2>> adaptive_avg_pool2d;
inline constexpr Fn<ops::AdaptiveAvgPool<3>> adaptive_avg_pool3d;
inline constexpr Fn<ops::MaxUnpool<2>> max_unpool2d;
}  // namespace luth
