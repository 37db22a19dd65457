// Linear maps along neighbouring dims, each by a sparse matrix of its own: what padding, interpolation, windows of
// elements (unfold), means of windows and the adjoints of all of these have in common. See op.h for the recipe.
#pragma once
#include <vector>

#include "core/op/define.h"

namespace luth::ops {

/// Element i of the result, of `to` elements, is the sum of weight[k] * x[index[k]] for start[i] <= k < start[i + 1],
/// of `from` elements.
struct AxisMap {
  int64_t from = 0, to = 0;
  std::vector<int32_t> start, index;
  std::vector<double> weight;

  /// Begins the next element of the result; add() gives it an element of x.
  void next() { start.push_back(int32_t(index.size())); }
  void add(int64_t i, double w);
  void finish() { next(), to = int64_t(start.size()) - 1; }
  AxisMap transposed() const;
  /// Every element of the result is one of x, or none: a copy.
  bool picks() const;
};

/// What stands outside of a padded dim.
enum class Border : uint8_t { constant, reflect, replicate, circular };
/// A dim of `to` elements, padded or cut: element j is element at(j) of `from`, or (-1) the constant. Padding goes
/// around the input once at most.
struct PadDim {
  Border border = Border::constant;
  int64_t from = 1, to = 1, before = 0;
  LUTH_HD int64_t at(int64_t j) const {
    const int64_t i = j - before, last = from - 1;
    if (i >= 0 && i <= last) return i;
    if (border == Border::constant) return -1;
    if (border == Border::replicate) return i < 0 ? 0 : last;
    if (border == Border::circular) return i < 0 ? i + from : i - from;
    return i < 0 ? -i : 2 * last - i;
  }
};

/// Maps the dims from `dim` on, as many as `from` has extents (1 to 3), to the extents `to`; element j of the result
/// along one of them is, by `kind`,
///   constant, reflect, replicate, circular   element j - padding, or what stands for it outside; constant: `value`
///   nearest, nearest-exact, linear, cubic    the input at position `scale` times j (align_corners) or
///                                            (j + 0.5) * scale - 0.5; `antialias` widens the filter where scale > 1
///   area                                     the mean of the elements from floor(j n / m) up to ceil((j + 1) n / m)
///   windows, frames                          element r of window i, j = r * windows + i (kernel, stride, ...), or
///                                            j = i * kernel + r
///   mean                                     the mean of window j, sums (divided by nothing) with divide = false
/// Integers other than int64 are only picked, never summed up.
struct Resample {
  static constexpr Doc doc{"resample", "input", "Padding, interpolation and windows, and the adjoints of these."};
  static constexpr std::string_view saves = "input: input.meta";
  static constexpr bool internal = true;
  std::string kind;
  int64_t dim = 0;
  Ints from, to;
  Ints padding{0}, kernel{1}, stride{1}, dilation{1};
  std::vector<double> scale;
  bool align_corners = false, antialias = false;
  bool quantized = false;  // weights have the 15 bits that PyTorch gives them for uint8
  bool count_include_pad = true, divide = true;
  bool transposed = false;  // the adjoint: `to` is what comes in
  Scalar value = 0;
  void describe(auto& field) {
    field("kind", kind, "what stands at each position", as::required);
    field("dim", dim, "the first of the dims", as::dim);
    field("from", from, "their extents in the input", as::required);
    field("to", to, "their extents in the result", as::required);
    field("padding", padding, "elements before the input");
    field("kernel", kernel, "elements of a window");
    field("stride", stride, "the step of a window");
    field("dilation", dilation, "the distance between the elements of a window");
    field("scale", scale, "elements of the input per element of the result");
    field("align_corners", align_corners, "whether the first and last elements of both lie on each other");
    field("antialias", antialias, "whether filters widen where the result is smaller");
    field("quantized", quantized, "whether weights are rounded as for uint8");
    field("count_include_pad", count_include_pad, "whether padding counts in the mean");
    field("divide", divide, "whether sums of windows are divided");
    field("transposed", transposed, "the adjoint");
    field("value", value, "what stands outside, for constant");
  }
  int dims() const { return from.size(); }
  /// Whether every mapped dim is only padded or cut; then pad() says how, without a matrix.
  bool pads() const;
  PadDim pad(int d) const;
  /// The matrix of dim d of those that are mapped; transposed where the operator is.
  AxisMap map(int d) const;
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Resample> samples();
};

/// The input of a resampling as [outer, n[0], n[1], n[2], inner], with maps for the three in the middle, of extent 1
/// where there are fewer.
struct ResamplePlan {
  int64_t outer = 1, inner = 1;
  bool pads = false;  // by `pad`, and the maps are empty
  PadDim pad[3];
  AxisMap maps[3];
  bool picks = true;
  ResamplePlan(const Resample& op, const Shape& input);
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Resample> resample;
}  // namespace luth
