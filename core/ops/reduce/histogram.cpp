#include "core/ops/reduce/histogram.h"

#include <cfloat>

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/positions.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/index/search.h"
#include "core/ops/reduce/calculus.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<CountPositions, Bincount, Histc, Histogram, HistogramEdges, Histogramdd, HistogramddEdges> define_all_;

Tensor flat(const Tensor& t) { return reshape(t, {Shape{t.numel()}}); }
void check_bins(int64_t bins) {
  if (bins < 1) throw Error("bins must be at least 1, not {}", bins);
  check_shape({bins}, 16);
}

/// The range that bins divide, as 0-dimensional tensors of x's dtype, so that nothing waits for a device.
struct Bounds {
  Tensor low, high;
};
Bounds given_range(const Tensor& x, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) throw Error("the range {} to {} is not finite", low, high);
  if (low > high) throw Error("the range ends at {}, before it begins, at {}", high, low);
  return {full({}, low, x.dtype(), x.device()), full({}, high, x.dtype(), x.device())};
}
/// From the smallest to the largest element; of no elements 0 to 1.
Bounds range_of(const Tensor& x) {
  if (x.numel() == 0) return given_range(x, 0, 1);
  Bounds r{amin(x), amax(x)};
  if (x.device().on_host()) given_range(x, r.low.item().value(), r.high.item().value());  // nan, infinite
  return r;
}
/// Widened on both sides where it is empty.
Bounds widened(const Bounds& r, double by) {
  Tensor empty = eq(r.low, r.high);
  return {where(empty, sub(r.low, by), r.low), where(empty, add(r.high, by), r.high)};
}
/// A factor for bounds and elements: 1, or smaller where the width of the range times n may overflow. It is a power of
/// two, so that products with it are exact.
Tensor scale_for(const Bounds& r, int64_t n) {
  const double small = std::exp2(-std::ceil(std::log2(double(n))) - 3);
  const double most = r.low.dtype() == Dtype::f64 ? DBL_MAX : FLT_MAX;
  Tensor scale = full({}, 1, r.low.dtype(), r.low.device());
  return masked_fill(scale, gt(maximum(abs(r.low), abs(r.high)), most * small), small);
}
/// n + 1 edges of n equal parts, as linspace makes them: from the nearer end.
Tensor even_edges(const Bounds& r, int64_t n) {
  const Tensor scale = scale_for(r, n), low = mul(r.low, scale), high = mul(r.high, scale);
  Tensor i = counting(n + 1, r.low.device(), r.low.dtype()), step = div(sub(high, low), n);
  return div(where(lt(i, (n + 1) / 2), add(low, mul(step, i)), sub(high, mul(step, sub(n, i)))), scale);
}

/// The bin of each element, the last one with its end; -1 for elements outside.
Tensor bins_by_edges(const Tensor& x, const Tensor& edges) {
  const int64_t n = edges.numel() - 1;
  Tensor place = sub(search_same(edges, x, Value(), {.right = true}), 1);  // n for those at the end or beyond
  place = where(eq(x, narrow(edges, {0, n, 1})), n - 1, place);
  return where(ge(place, n), -1, place);
}
void check_edges(const Tensor& edges, const Tensor& x) {
  if (edges.dim() != 1 || edges.numel() < 2)
    throw Error("the edges of bins must be at least two, in one dim, but have shape {}", to_string(edges.shape()));
  if (edges.dtype() != x.dtype())
    throw Error("input is {} and the edges are {}; they must have one dtype", name(x.dtype()), name(edges.dtype()));
}

/// Counts, or sums of weights, of places in [0, n), in the dtype of x.
Tensor counted(const Tensor& place, int64_t n, const Tensor& weight, const Tensor& x) {
  if (!weight) return cast_to(count_positions(place, {n}), x.dtype());
  check_same_dtype("input", x, "weight", weight);
  if (weight.numel() != place.numel())
    throw Error("weight has shape {}, which is not one number for each element", to_string(weight.shape()));
  Tensor all = full({n + 1}, 0, x.dtype(), x.device());  // the first one for what lies outside
  return narrow(scatter_add.into(all, add(place, 1), flat(weight)), {0, 1, n});
}

}  // namespace

Spec CountPositions::infer(const Inputs& in) const {
  if (in[0].dtype() != Dtype::i64) throw Error("positions must be int64, not {}", name(in[0].dtype()));
  return {Shape{bins}, Dtype::i64};
}

Tensor Bincount::decompose(const Inputs& in) const {
  NoGrad no_grad;
  const Tensor &x = in[0], &weights = in[1].tensor();
  if (x.dim() != 1) throw Error("expects one dim, but input has shape {}", to_string(x.shape()));
  check_index_dtype("input", x.dtype());
  if (minlength < 0) throw Error("minlength must not be negative, got {}", minlength);
  if (weights && !(weights.shape() == x.shape()))
    throw Error("weights has shape {} and input {}; they must be the same", to_string(weights.shape()),
                to_string(x.shape()));
  if (x.numel() == 0) return full({minlength}, 0, Dtype::i64, x.device());
  if (!x.device().has_data()) throw Error("the shape of the result depends on data, which the meta device has not");
  const int64_t low = amin(x).item().integer(), high = amax(x).item().integer();
  if (low < base) throw Error("input holds {}; it must be at least {}", low, base);
  check_shape({std::max(minlength, high)}, 16);  // 16: nothing below overflows
  const int64_t bins = std::max(minlength, high - base + 1);
  Tensor place = cast_to(x, Dtype::i64);
  if (base) place = sub(place, base);
  if (!weights) return count_positions(place, {bins});
  const Dtype sums = weights.dtype() == Dtype::f32 ? Dtype::f32 : Dtype::f64;
  return scatter_add.into(full({bins}, 0, sums, x.device()), place, cast_to(weights.detach(), sums));
}

Tensor Histc::decompose(const Inputs& in) const {
  NoGrad no_grad;
  const Tensor& t = in[0];
  check_floating(t);
  check_bins(bins);
  const Tensor x = flat(is_floating(t.dtype()) && size_of(t.dtype()) == 2 ? cast_to(t, Dtype::f32) : t.detach());
  if (min.value() > max.value()) throw Error("max {} is less than min {}", max.value(), min.value());
  const bool of_data = min.value() == max.value() && x.numel();
  const Bounds r = widened(of_data ? range_of(x) : given_range(x, min.value(), max.value()), 1);
  Tensor inside = logical_and(ge(x, r.low), le(x, r.high));
  const Tensor scale = scale_for(r, bins), low = mul(r.low, scale), high = mul(r.high, scale);
  Tensor place = div(mul(sub(mul(x, scale), low), bins), sub(high, low));
  place = where(inside, minimum(cast_to(place, Dtype::i64), bins - 1), -1);
  return cast_to(count_positions(place, {bins}), t.dtype());
}

Tensors Histogram::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  Histogramdd op;
  op.bins = {bins};
  op.range = range;
  op.density = density;
  const Tensor& weight = in[1].tensor();
  return op.decompose({reshape(x, {Shape{x.numel(), 1}}), weight ? Value(flat(weight)) : Value()});
}
Tensors HistogramEdges::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &weight = in[2].tensor();
  HistogramddEdges op;
  op.density = density;
  return op.decompose({reshape(x, {Shape{x.numel(), 1}}), weight ? Value(flat(weight)) : Value(), in[1]});
}

namespace {

/// The points of `input` as a matrix of `coordinates` columns.
Tensor points_of(const Tensor& input, int64_t coordinates) {
  if (input.dtype() != Dtype::f32 && input.dtype() != Dtype::f64)
    throw Error("needs a tensor of dtype float32 or float64, not {}", name(input.dtype()));
  if (coordinates < 1) throw Error("bins must be given for at least one coordinate");
  if (input.dim() < 2) throw Error("expects at least two dims, but input has shape {}", to_string(input.shape()));
  if (input.shape(-1) != coordinates)
    throw Error("bins are given for {} coordinates, but input has shape {}", coordinates, to_string(input.shape()));
  return reshape(input.detach(), {Shape{input.numel() / coordinates, coordinates}});
}

/// Counts in the boxes between the edges, and the edges.
Tensors count_boxes(const Tensor& points, const Tensors& edges, const Tensor& weight, bool density) {
  Tensor place, outside;
  Shape shape;
  int64_t boxes = 1;
  for (size_t k = 0; k < edges.size(); ++k) {
    check_edges(edges[k], points);
    const int64_t n = edges[k].numel() - 1;
    Tensor at = bins_by_edges(select(points, {1, int64_t(k)}), edges[k]), out = lt(at, 0);
    place = place ? add(mul(place, n), at) : at;
    outside = outside ? logical_or(outside, out) : out;
    shape.push_back(n);
    boxes *= n;
    check_shape(shape, 16);
  }
  Tensor hist = reshape(counted(where(outside, -1, place), boxes, weight, points), {shape});
  if (density) {
    hist = div(hist, sum(hist));
    for (size_t k = 0; k < edges.size(); ++k) {
      Shape along(size_t(shape.size()), 1);
      along[int64_t(k)] = shape[int64_t(k)];
      hist = div(hist, reshape(diff(edges[k], Value(), Value()), {along}));
    }
  }
  Tensors out{hist};
  for (auto& e : edges) out.push_back(e);
  return out;
}

}  // namespace

Tensors Histogramdd::decompose(const Inputs& in) const {
  NoGrad no_grad;
  const Tensor& x = in[0];
  const int64_t coordinates = x.dim() ? x.shape(-1) : 0;
  Ints parts = bins;
  if (bins.size() == 1) parts = Ints(size_t(coordinates), bins[0]);
  const Tensor points = points_of(x, parts.size());
  if (range && int64_t(range->size()) != 2 * coordinates)
    throw Error("range must have {} numbers, two for each coordinate, but has {}", 2 * coordinates, range->size());
  Tensors edges;
  for (int k = 0; k < parts.size(); ++k) {
    check_bins(parts[k]);
    const Tensor column = select(points, {1, k});
    const Bounds r =
        range ? given_range(points, (*range)[size_t(2 * k)], (*range)[size_t(2 * k + 1)]) : range_of(column);
    edges.push_back(even_edges(widened(r, 0.5), parts[k]));
  }
  return count_boxes(points, edges, in[1].tensor(), density);
}
Tensors HistogramddEdges::decompose(const Inputs& in) const {
  NoGrad no_grad;
  Tensors edges;
  for (size_t i = 2; i < in.size(); ++i) edges.push_back(in[i].tensor().detach());
  return count_boxes(points_of(in[0], int64_t(edges.size())), edges, in[1].tensor(), density);
}

namespace {

Tensor integers(const Shape& s, std::initializer_list<int64_t> v) { return Tensor::from<int64_t>(s, v.begin()); }
Tensor numbers(const Shape& s, std::initializer_list<double> v) { return Tensor::from<double>(s, v.begin()); }
Tensor spread_out() { return numbers({2, 3}, {-2, 0, 0.25, 0.5, 3, -1}); }
Tensor points() { return numbers({4, 2}, {0, 1, 0.5, 0.25, 1, 0, 0.75, 0.5}); }

}  // namespace
Cases<CountPositions> CountPositions::samples() {
  return {{{.bins = 4}, {}, 0, 0, [] { return Inputs{integers({6}, {0, 3, 3, -1, 1, 4})}; }}};
}
Cases<Bincount> Bincount::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{integers({6}, {0, 3, 3, 5, 1, 0}), {}};
           }},
          {{.minlength = 8, .base = 1},
           {},
           0,
           0,
           [] {
             return Inputs{integers({3}, {1, 3, 3}), {}};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{integers({3}, {1, 3, 3}), numbers({3}, {0.5, 1, 2})};
           }},
          {{.minlength = 2}, {}, 0, 0, [] {
             return Inputs{integers({0}, {}), {}};
           }}};
}
Cases<Histc> Histc::samples() {
  return {{{.bins = 4}, {}, 0, 0, [] { return Inputs{spread_out()}; }},
          {{.bins = 3, .min = -1, .max = 2.0}, {}, 0, 0, [] { return Inputs{spread_out()}; }},
          {{.bins = 2}, {}, 0, 0, [] { return Inputs{numbers({0}, {})}; }}};
}
Cases<Histogram> Histogram::samples() {
  Histogram four, ranged, dense;
  four.bins = 4;
  ranged.bins = 3, ranged.range = std::vector<double>{-1, 2};
  dense.bins = 2, dense.density = true;
  return {{four,
           {},
           0,
           0,
           [] {
             return Inputs{spread_out(), {}};
           }},
          {ranged,
           {},
           0,
           0,
           [] {
             return Inputs{spread_out(), numbers({2, 3}, {1, 2, 0.5, 0.25, 1, 3})};
           }},
          {dense, {}, 0, 0, [] {
             return Inputs{spread_out(), {}};
           }}};
}
Cases<HistogramEdges> HistogramEdges::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{spread_out(), numbers({3}, {-1, 0, 3}), {}}; }}};
}
Cases<Histogramdd> Histogramdd::samples() {
  Histogramdd two, dense;
  two.bins = {2, 3};
  dense.bins = {2}, dense.density = true, dense.range = std::vector<double>{0, 1, 0, 2};
  return {{two,
           {},
           0,
           0,
           [] {
             return Inputs{points(), {}};
           }},
          {dense, {}, 0, 0, [] {
             return Inputs{points(), numbers({4}, {1, 2, 0.5, 0.25})};
           }}};
}
Cases<HistogramddEdges> HistogramddEdges::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{points(), {}, numbers({3}, {0, 0.5, 1}), numbers({2}, {0, 1})}; }}};
}
}  // namespace luth::ops
