// Separable resampling: linear maps along neighbouring dims, each by a sparse (CSR) matrix of its own, which padding,
// interpolation and unfolding have in common, and the adjoints of all of these. Each use is an operator; they share the
// kernel of a device. See op.h for the recipe.
#pragma once
#include <vector>

#include "core/ops/window/window.h"

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
  /// Whether it copies: each element of the result is one element of x, or none.
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

/// The dims from `dim` on, as many as `from` has extents (1 to 3), mapped to the extents `to`; transposed: the adjoint,
/// from `to` to `from`.
struct MappedDims {
  int64_t dim = 0;
  Ints from, to;
  bool transposed = false;
  void describe(auto& field) {
    field("dim", dim, "the first of the dims", as::dim);
    field("from", from, "their extents in the input", as::required);
    field("to", to, "their extents in the result", as::required);
    field("transposed", transposed, "the adjoint");
  }
  int count() const { return from.size(); }
  /// The result for `x`; throws where its extents are others.
  Spec spec(const Tensor& x) const;
};

/// Dims with elements around them, or with some cut off (negative numbers). The adjoint of constant padding is the cut.
struct PadNd {
  static constexpr Doc doc{"pad_nd", "input", "Input with elements around it."};
  static constexpr Traits traits{.saves = "input: input.meta", .internal = true};
  MappedDims dims;
  Ints before;
  Border border = Border::constant;
  Scalar value = 0;
  void describe(auto& field) {
    dims.describe(field);
    field("before", before, "elements before each dim", as::required);
    field("border", border, "0: the value, 1: reflected, 2: the last element, 3: from the other end");
    field("value", value, "what stands outside");
  }
  PadDim pad(int d) const { return {border, dims.from[d], dims.to[d], before[d]}; }
  AxisMap map(int d) const;
  Spec infer(const Inputs& in) const { return dims.spec(in[0]); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<PadNd> samples();
};

/// How interpolation takes elements around a position.
enum class Filter : uint8_t { nearest, nearest_exact, linear, cubic };
/// The input at position `scale` times j (align_corners) or (j + 0.5) * scale - 0.5; `antialias` widens the filter
/// where scale > 1.
struct InterpolateNd {
  static constexpr Doc doc{"interpolate_nd", "input", "Input at other positions."};
  static constexpr Traits traits{.saves = "input: input.meta", .internal = true};
  MappedDims dims;
  Filter filter = Filter::nearest;
  std::vector<double> scale;
  bool align_corners = false, antialias = false;
  bool quantized = false;  // weights have the 15 bits that PyTorch gives them for uint8
  void describe(auto& field) {
    dims.describe(field);
    field("filter", filter, "0: nearest, 1: nearest-exact, 2: linear, 3: cubic");
    field("scale", scale, "elements of the input per element of the result", as::required);
    field("align_corners", align_corners, "whether the first and last elements of both lie on each other");
    field("antialias", antialias, "whether filters widen where the result is smaller");
    field("quantized", quantized, "whether weights are rounded as for uint8");
  }
  AxisMap map(int d) const;
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<InterpolateNd> samples();
};

/// Windows of elements along each dim: element r * windows + i of the result is element r of window i. The adjoint adds
/// them up.
struct UnfoldNd {
  static constexpr Doc doc{"unfold_nd", "input", "The windows of input, one element of each after the other."};
  static constexpr Traits traits{.saves = "input: input.meta", .internal = true};
  MappedDims dims;
  Ints kernel, stride{1}, padding{0}, dilation{1};
  void describe(auto& field) {
    dims.describe(field);
    field("kernel", kernel, "elements of a window", as::required);
    field("stride", stride, "the step of a window");
    field("padding", padding, "zeros before the input");
    field("dilation", dilation, "the distance between the elements of a window");
  }
  WindowDim window(int d) const;
  AxisMap map(int d) const;
  Spec infer(const Inputs& in) const { return dims.spec(in[0]); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<UnfoldNd> samples();
};

/// The input of a resampling as [outer, n[0], n[1], n[2], inner], with maps for the three in the middle, of extent 1
/// where there are fewer.
struct ResamplePlan {
  int64_t outer = 1, inner = 1;
  bool pads = false;  // by `pad`, and the maps are empty
  PadDim pad[3];
  AxisMap maps[3];
  bool picks = true;  // every element of the result is one of the input, or `value`
  Scalar value = 0;

  template <class Op>
  ResamplePlan(const Op& op, const Shape& input) {
    place(op.dims, input);
    if constexpr (requires { op.pad(0); }) {
      pads = !op.dims.transposed, value = op.value;
      for (int d = 0; pads && d < op.dims.count(); ++d) pad[3 - op.dims.count() + d] = op.pad(d);
    }
    if (pads) return;
    for (int d = 0; d < op.dims.count(); ++d) set_map(3 - op.dims.count() + d, op.map(d), op.dims.transposed);
  }

 private:
  void place(const MappedDims& dims, const Shape& input);  // sets outer and inner, and maps of one element
  void set_map(int d, AxisMap&& map, bool transposed);
};

}  // namespace luth::ops

namespace luth {
template <>
struct AttrTraits<ops::Border> : AttrTraitsOf<AttrKind::integer, int64_t> {};
template <>
struct AttrTraits<ops::Filter> : AttrTraitsOf<AttrKind::integer, int64_t> {};
inline constexpr Fn<ops::PadNd> pad_nd;
inline constexpr Fn<ops::InterpolateNd> interpolate_nd;
inline constexpr Fn<ops::UnfoldNd> unfold_nd;
}  // namespace luth
