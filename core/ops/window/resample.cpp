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
void add_mean(AxisMap& m, int64_t begin, int64_t end, double divisor) {
  for (int64_t k = begin; k < end; ++k) m.add(k, 1 / divisor);
}

// Weights in steps of 2^-p with the largest p for which they fit 15 bits.
void quantize(AxisMap& m) {
  double largest = 0;
  for (double w : m.weight) largest = std::max(largest, w);
  int bits = 0;
  while (bits < 22 && int64_t(0.5 + largest * double(int64_t(2) << bits)) < (1 << 15)) ++bits;
  for (double& w : m.weight) w = std::round(w * double(1 << bits)) / double(1 << bits);
}

// Element j of a mapped dim: what `kind` says.
void add_element(const Resample& op, AxisMap& m, int d, int64_t j, int64_t to) {
  const std::string& kind = op.kind;
  const int64_t before = at_or_all(op.padding, d), k = at_or_all(op.kernel, d), step = at_or_all(op.stride, d);
  const double scale = op.scale.empty() ? 1 : op.scale[op.scale.size() == 1 ? 0 : size_t(d)];
  const bool cubic = kind == "cubic";
  if (cubic || kind == "linear") {
    if (op.antialias) return add_filtered(m, scale, j, cubic);
    const double at = op.align_corners ? scale * double(j) : scale * (double(j) + 0.5) - 0.5;
    return cubic ? add_cubic(m, at) : add_linear(m, std::max(at, 0.0));
  }
  if (kind == "nearest" || kind == "nearest-exact") return add_nearest(m, scale, j, kind == "nearest" ? 0 : 0.5);
  if (kind == "area") {
    const int64_t begin = j * m.from / to, end = ((j + 1) * m.from + to - 1) / to;
    return add_mean(m, begin, end, double(end - begin));
  }
  if (kind == "mean") {
    int64_t begin = j * step - before, end = std::min(begin + k, m.from + before), size = end - begin;
    begin = std::max<int64_t>(begin, 0), end = std::min(end, m.from);
    if (!op.count_include_pad) size = end - begin;
    return add_mean(m, begin, end, op.divide ? double(size) : 1);
  }
  if (kind == "windows" || kind == "frames") {
    const bool frames = kind == "frames";
    const int64_t window = frames ? j / k : j % (to / k), r = frames ? j % k : j / (to / k);
    const int64_t at = window * step - before + r * at_or_all(op.dilation, d);
    if (at >= 0 && at < m.from) m.add(at, 1);
    return;
  }
  const int64_t i = op.pad(d).at(j);
  if (i >= 0) m.add(i, 1);
}

Resample sample(const char* kind, Ints from, Ints to) {
  Resample op;
  op.kind = kind, op.dim = -from.size(), op.from = from, op.to = to;
  return op;
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

AxisMap Resample::map(int d) const {
  AxisMap m;
  m.from = from[d];
  for (int64_t j = 0; j < to[d]; ++j) {
    m.next();
    add_element(*this, m, d, j, to[d]);
  }
  m.finish();
  if (quantized) quantize(m);
  return transposed ? m.transposed() : m;
}

bool Resample::pads() const {
  return !transposed && (kind == "constant" || kind == "reflect" || kind == "replicate" || kind == "circular");
}
PadDim Resample::pad(int d) const {
  const Border border = kind == "reflect"     ? Border::reflect
                        : kind == "replicate" ? Border::replicate
                        : kind == "circular"  ? Border::circular
                                              : Border::constant;
  return {border, from[d], to[d], at_or_all(padding, d)};
}

Spec Resample::infer(const Inputs& in) const {
  Shape shape = in[0].shape();
  const Ints &in_extents = transposed ? to : from, &out_extents = transposed ? from : to;
  const int first = wrap_dim(dim, shape.size());
  const bool fractions = kind == "linear" || kind == "cubic" || kind == "area" || (kind == "mean" && divide);
  if (fractions && !is_floating(in[0].dtype())) throw_unsupported(in[0].dtype());
  if (dims() < 1 || dims() > 3 || to.size() != dims() || first + dims() > shape.size())
    throw Error("{} dims from {} on do not fit shape {}", dims(), shown(first), to_string(shape));
  for (int d = 0; d < dims(); ++d) {
    if (shape[first + d] != in_extents[d])
      throw Error("dims from {} on of shape {} must have extents {}", shown(first), to_string(shape),
                  to_string(in_extents));
    if (in_extents[d] > INT32_MAX || out_extents[d] > INT32_MAX)
      throw Error("a dim of {} elements is too large", std::max(in_extents[d], out_extents[d]));
    shape[first + d] = out_extents[d];
  }
  Spec s{shape, in[0].dtype()};
  const Tensor& x = in[0];
  if (shape.size() == 4 && first == 2 && dims() == 2 && x.is_channels_last() && !x.is_contiguous())
    s.strides = channels_last_strides(shape);
  return s;
}
Tensors Resample::vjp(const Call&, const Tensor& dy) const {
  Resample back = *this;
  if (kind == "constant") {  // cut what was added, and the other way round
    back.value = 0, back.padding = {};
    std::swap(back.from, back.to);
    for (int d = 0; d < dims(); ++d) back.padding.push_back(-at_or_all(padding, d));
    return {resample(dy, back)};
  }
  back.transposed = !transposed;
  back.value = 0;
  return {resample(dy, back)};
}

ResamplePlan::ResamplePlan(const Resample& op, const Shape& input) {
  const int first = wrap_dim(op.dim, input.size());
  for (int d = 0; d < first; ++d) outer *= input[d];
  for (int d = first + op.dims(); d < input.size(); ++d) inner *= input[d];
  const int none = 3 - op.dims();
  pads = op.pads();
  for (int d = 0; d < 3; ++d) {
    if (d >= none && pads) pad[d] = op.pad(d - none);
    if (pads) continue;
    AxisMap& m = maps[d];
    if (d < none) {
      m.from = 1;
      m.next();
      m.add(0, 1);
      m.finish();
    } else {
      m = op.map(d - none);
    }
    picks = picks && m.picks();
  }
}

Cases<Resample> Resample::samples() {
  Resample reflect = sample("reflect", {4, 3}, {7, 3}), windows = sample("windows", {5}, {9}),
           up = sample("linear", {3, 4}, {5, 6}), back = up, fill = sample("constant", {2, 3}, {4, 2}),
           mean = sample("mean", {3, 5, 4}, {2, 3, 2}), cubic = sample("cubic", {5}, {3});
  reflect.padding = {2, -1};
  windows.kernel = {3}, windows.stride = {2}, windows.padding = {1}, windows.dim = -2;
  Resample frames = windows;
  frames.kind = "frames", frames.transposed = true;
  up.scale = back.scale = {3.0 / 5, 4.0 / 6};
  back.transposed = true;
  fill.padding = {1, -1}, fill.value = 2.5;
  mean.kernel = {2, 3, 2}, mean.stride = {1, 2, 2}, mean.padding = {0, 1, 0}, mean.count_include_pad = false;
  cubic.scale = {5.0 / 3}, cubic.antialias = true;
  return {{reflect, {{2, 4, 3}}}, {windows, {{2, 5, 3}}}, {frames, {{2, 9, 3}}},
          {up, {{2, 2, 3, 4}}},   {back, {{2, 2, 5, 6}}}, {fill, {{2, 3}}},
          {mean, {{2, 3, 5, 4}}}, {cubic, {{0, 5}}},      {sample("area", {4, 5}, {2, 3}), {{2, 4, 5}}}};
}

namespace {
const Define<Resample> resample_;
}

}  // namespace luth::ops
