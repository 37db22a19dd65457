#include "core/ops/window/resample.h"

#include <algorithm>
#include <cmath>

namespace luth::ops {
namespace {

double linear_filter(double x) { return std::max(0.0, 1 - std::abs(x)); }
// Keys, "Cubic convolution interpolation for digital image processing", 1981.
double cubic_filter(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

void add_linear(AxisMap& m, double at) {
  const int64_t first = std::min(int64_t(at), m.from - 1);
  const double second = first + 1 < m.from ? at - double(first) : 0;  // the last element has no neighbour
  m.add(first, 1 - second);
  if (second > 0) m.add(first + 1, second);
}
// Elements beyond the border count as the border's.
void add_cubic(AxisMap& m, double at) {
  const double whole = std::floor(at), t = at - whole;
  const size_t begin = m.index.size();
  for (int k = -1; k <= 2; ++k) {
    const int64_t i = std::clamp<int64_t>(int64_t(whole) + k, 0, m.from - 1);
    const double w = cubic_filter(t - k, -0.75);
    if (m.index.size() > begin && m.index.back() == i)
      m.weight.back() += w;
    else
      m.add(i, w);
  }
}
// A filter as wide as `scale` elements of the input, normalised.
void add_filtered(AxisMap& m, double scale, int64_t i, bool cubic) {
  const double wide = std::max(scale, 1.0), reach = (cubic ? 2 : 1) * wide, center = scale * (double(i) + 0.5);
  const int64_t begin = std::max<int64_t>(int64_t(center - reach + 0.5), 0),
                end = std::min(int64_t(center + reach + 0.5), m.from);
  std::vector<double> weights;
  double sum = 0;
  for (int64_t k = begin; k < end; ++k) {
    const double x = (double(k) - center + 0.5) / wide;
    weights.push_back(cubic ? cubic_filter(x, -0.5) : linear_filter(x));
    sum += weights.back();
  }
  for (int64_t k = begin; k < end; ++k) m.add(k, sum == 0 ? 0 : weights[size_t(k - begin)] / sum);
}
void add_nearest(AxisMap& m, double scale, int64_t i, double shift) {
  // PyTorch computes positions in float, which decides between neighbours
  m.add(std::min(int64_t(std::floor((float(i) + float(shift)) * float(scale))), m.from - 1), 1);
}
// Weights in steps of 2^-p with the largest p for which they fit 15 bits.
void quantize(AxisMap& m) {
  double largest = 0;
  for (double w : m.weight) largest = std::max(largest, w);
  int bits = 0;
  while (bits < 22 && int64_t(0.5 + largest * double(int64_t(2) << bits)) < (1 << 15)) ++bits;
  for (double& w : m.weight) w = std::round(w * double(1 << bits)) / double(1 << bits);
}

// The matrix of `to` elements, each made by add(m, j), of `from`.
template <class F>
AxisMap map_of(int64_t from, int64_t to, F&& add) {
  AxisMap m;
  m.from = from;
  for (int64_t j = 0; j < to; ++j) {
    m.next();
    add(m, j);
  }
  m.finish();
  return m;
}
template <class Op>
Tensors adjoint(Op op, const Tensor& dy) {
  op.dims.transposed = !op.dims.transposed;
  return {Fn<Op>()(dy, op)};
}

}  // namespace

void AxisMap::add(int64_t i, double w) {
  index.push_back(int32_t(i));
  weight.push_back(w);
}

AxisMap AxisMap::transposed() const {
  AxisMap t;
  t.from = to, t.to = from;
  t.start.assign(size_t(from) + 1, 0);
  for (int32_t i : index) ++t.start[size_t(i) + 1];
  for (size_t i = 0; i < size_t(from); ++i) t.start[i + 1] += t.start[i];
  t.index.resize(index.size());
  t.weight.resize(index.size());
  std::vector<int32_t> at = t.start;
  for (int64_t j = 0; j < to; ++j)
    for (int32_t k = start[size_t(j)]; k < start[size_t(j) + 1]; ++k) {
      const size_t place = size_t(at[size_t(index[size_t(k)])]++);
      t.index[place] = int32_t(j);
      t.weight[place] = weight[size_t(k)];
    }
  return t;
}

bool AxisMap::picks() const {
  for (size_t i = 0; i + 1 < start.size(); ++i)
    if (start[i + 1] > start[i] + 1) return false;
  return std::all_of(weight.begin(), weight.end(), [](double w) { return w == 1; });
}

// ---- What all uses share -----------------------------------------------------------------------------------------

Spec MappedDims::spec(const Tensor& x) const {
  Shape shape = x.shape();
  const Ints &in_extents = transposed ? to : from, &out_extents = transposed ? from : to;
  const int first = wrap_dim(dim, shape.size());
  if (count() < 1 || count() > 3 || to.size() != count() || first + count() > shape.size())
    throw Error("{} dims from {} on do not fit shape {}", count(), shown(first), to_string(shape));
  for (int d = 0; d < count(); ++d) {
    if (shape[first + d] != in_extents[d])
      throw Error("dims from {} on of shape {} must have extents {}", shown(first), to_string(shape),
                  to_string(in_extents));
    if (in_extents[d] > INT32_MAX || out_extents[d] > INT32_MAX)
      throw Error("a dim of {} elements is too large", std::max(in_extents[d], out_extents[d]));
    shape[first + d] = out_extents[d];
  }
  return spatial_spec(shape, x.dtype(), first == 2 && only_nhwc(x, count()));
}

void ResamplePlan::place(const MappedDims& dims, const Shape& input) {
  const int first = wrap_dim(dims.dim, input.size());
  for (int d = 0; d < first; ++d) outer *= input[d];
  for (int d = first + dims.count(); d < input.size(); ++d) inner *= input[d];
  for (AxisMap& m : maps) m = map_of(1, 1, [](AxisMap& one, int64_t) { one.add(0, 1); });
}
void ResamplePlan::set_map(int d, AxisMap&& map, bool transposed) {
  maps[d] = transposed ? map.transposed() : std::move(map);
  picks = picks && maps[d].picks();
}

// ---- Padding -----------------------------------------------------------------------------------------------------

AxisMap PadNd::map(int d) const {
  const PadDim dim = pad(d);
  return map_of(dim.from, dim.to, [&](AxisMap& m, int64_t j) {
    if (const int64_t i = dim.at(j); i >= 0) m.add(i, 1);
  });
}
Tensors PadNd::vjp(const Call&, const Tensor& dy) const {
  PadNd back = *this;
  back.value = 0;
  if (border != Border::constant) return adjoint(back, dy);
  std::swap(back.dims.from, back.dims.to);  // cut what was added, and the other way round
  for (int64_t& n : back.before) n = -n;
  return {pad_nd(dy, back)};
}
Cases<PadNd> PadNd::samples() {
  return {{{{-2, {4, 3}, {7, 3}}, {2, -1}, Border::reflect}, {{2, 4, 3}}},
          {{{-2, {4, 3}, {7, 3}, true}, {2, -1}, Border::reflect}, {{2, 7, 3}}},
          {{{-2, {2, 3}, {4, 2}}, {1, -1}, Border::constant, 2.5}, {{2, 3}}}};
}

// ---- Interpolation -----------------------------------------------------------------------------------------------

AxisMap InterpolateNd::map(int d) const {
  const double s = scale[scale.size() == 1 ? 0 : size_t(d)];
  const bool cubic = filter == Filter::cubic;
  AxisMap map = map_of(dims.from[d], dims.to[d], [&](AxisMap& m, int64_t j) {
    if (filter == Filter::nearest || filter == Filter::nearest_exact)
      return add_nearest(m, s, j, filter == Filter::nearest ? 0 : 0.5);
    if (antialias) return add_filtered(m, s, j, cubic);
    const double at = align_corners ? s * double(j) : s * (double(j) + 0.5) - 0.5;
    return cubic ? add_cubic(m, at) : add_linear(m, std::max(at, 0.0));
  });
  if (quantized) quantize(map);
  return map;
}
Spec InterpolateNd::infer(const Inputs& in) const {
  const bool fractions = filter == Filter::linear || filter == Filter::cubic;
  if (fractions && !is_floating(in[0].dtype())) throw_unsupported(in[0].dtype());
  if (int(scale.size()) != 1 && int(scale.size()) != dims.count())
    throw Error("scale must have one number or {}, got {}", dims.count(), scale.size());
  return dims.spec(in[0]);
}
Tensors InterpolateNd::vjp(const Call&, const Tensor& dy) const { return adjoint(*this, dy); }
Cases<InterpolateNd> InterpolateNd::samples() {
  const std::vector<double> up{3.0 / 5, 4.0 / 6};
  return {{{{-2, {3, 4}, {5, 6}}, Filter::linear, up}, {{2, 2, 3, 4}}},
          {{{-2, {3, 4}, {5, 6}, true}, Filter::linear, up}, {{2, 2, 5, 6}}},
          {{{-1, {5}, {3}}, Filter::cubic, {5.0 / 3}, false, true}, {{0, 5}}},
          {{{-2, {4}, {6}}, Filter::nearest, {4.0 / 6}}, {{2, 4, 3}}}};
}

// ---- Unfolding ---------------------------------------------------------------------------------------------------

WindowDim UnfoldNd::window(int d) const {
  const int64_t pad = at_or_all(padding, d);
  return {at_or_all(kernel, d), at_or_all(stride, d), pad, pad, at_or_all(dilation, d)};
}
AxisMap UnfoldNd::map(int d) const {
  const WindowDim w = window(d);
  const int64_t windows = dims.to[d] / w.kernel;
  return map_of(dims.from[d], dims.to[d], [&](AxisMap& m, int64_t j) {
    const int64_t at = w.begin(j % windows) + j / windows * w.dilation;
    if (at >= 0 && at < m.from) m.add(at, 1);
  });
}
Tensors UnfoldNd::vjp(const Call&, const Tensor& dy) const { return adjoint(*this, dy); }
Cases<UnfoldNd> UnfoldNd::samples() {
  return {{{{-2, {5}, {9}}, {3}, {2}, {1}}, {{2, 5, 3}}},
          {{{-2, {5}, {9}, true}, {3}, {2}, {1}}, {{2, 9, 3}}},
          {{{-2, {4, 5}, {4, 6}}, {2, 3}, {2, 1}, {0, 0}, {1, 2}}, {{2, 2, 4, 5}}}};
}

namespace {
const DefineAll<PadNd, InterpolateNd, UnfoldNd> define_all_;
}

}  // namespace luth::ops
