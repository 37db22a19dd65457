#include "core/ops/window/grid_sample.h"

#include <algorithm>
#include <vector>

#include "core/ops/common/checks.h"
#include "core/ops/common/row_sums.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/pad.h"

namespace luth::ops {
namespace {

void check(const GridSample& op, const Shape& x, Dtype dtype, const Value& grid) {
  const int n = x.size();
  if (n != 4 && n != 5)
    throw Error("input must have 4 dims (N, C, H, W) or 5 (N, C, D, H, W), got shape {}", to_string(x));
  if (grid.dim() != n || grid.shape()[n - 1] != n - 2)
    throw Error("grid for input of {} dims must have as many, the last of {} elements; got shape {}", n, n - 2,
                to_string(grid.shape()));
  if (grid.shape()[0] != x[0])
    throw Error("input of shape {} and grid of shape {} must have as many samples", to_string(x),
                to_string(grid.shape()));
  if (dtype != grid.dtype())
    throw Error("input and grid must have one dtype, got {} and {}", name(dtype), name(grid.dtype()));
  if (!is_floating(dtype)) throw_unsupported(dtype);
  for (int d = 2; d < n; ++d)
    if (x[d] == 0) throw Error("input of shape {} has no elements in a spatial dim", to_string(x));
  if (op.mode != "bilinear" && op.mode != "nearest" && op.mode != "bicubic")
    throw Error("mode '{}' is unknown; it is 'bilinear', 'nearest' or 'bicubic'", op.mode);
  if (op.mode == "bicubic" && n != 4) throw Error("mode 'bicubic' is for input of 4 dims, got shape {}", to_string(x));
  if (op.padding_mode != "zeros" && op.padding_mode != "border" && op.padding_mode != "reflection")
    throw Error("padding_mode '{}' is unknown; it is 'zeros', 'border' or 'reflection'", op.padding_mode);
  int64_t area = 1;
  for (int d = 2; d < n; ++d)
    if (__builtin_mul_overflow(area, x[d], &area) || area > INT32_MAX)
      throw Error("input of shape {} has too many elements in its spatial dims", to_string(x));
}
Shape sampled(const Shape& x, const Shape& grid) {
  Shape s{x[0], x[1]};
  for (int d = 1; d < grid.size() - 1; ++d) s.push_back(grid[d]);
  return s;
}

void check_grad(const GridSample& op, const Value& grad, const Shape& x, const Value& grid) {
  check(op, x, grad.dtype(), grid);
  if (!(grad.shape() == sampled(x, grid.shape())))
    throw Error("grad must have shape {}, got {}", to_string(sampled(x, grid.shape())), to_string(grad.shape()));
}

// Positions reflected at low and at high, until they lie between them; and 1 or -1, the slope.
struct Reflected {
  Tensor at, slope;
};
Reflected reflected(const Tensor& at, double low, double high) {
  const double span = high - low;
  if (span <= 0) return {full(at.shape(), 0, at.dtype(), at.device()), full(at.shape(), 0, at.dtype(), at.device())};
  const Tensor from = abs(sub(at, low)), flips = floor(div(from.detach(), span)), extra = sub(from, mul(flips, span));
  const Tensor odd = ne(fmod(flips, 2), 0);
  return {add(where(odd, sub(span, extra), extra), low), where(ne(odd, lt(at.detach(), low)), -1.0, 1.0)};
}
// What padding_mode makes of positions in elements, and the slope of that. Borders count as outside, and nan comes to
// lie at 0, as in images of PyTorch.
Reflected bounded(const GridSample& op, const Tensor& at, int64_t n) {
  const bool corners = op.align_corners.value_or(false);
  if (op.padding_mode == "zeros") return {at, Tensor()};
  Reflected t{at, Tensor()};
  if (op.padding_mode == "reflection")
    t = corners ? reflected(at, 0, double(n - 1)) : reflected(at, -0.5, double(n) - 0.5);
  const Tensor above = gt(t.at.detach(), 0), inside = logical_and(above, lt(t.at.detach(), n - 1));
  return {clamp(where(above, t.at, 0.0), 0, n - 1),
          t.slope ? where(inside, t.slope, 0.0) : cast_to(inside, at.dtype())};
}

/// The taps of a result along one dim: integer positions, as floats, the weights of the elements there, and the slopes
/// of these by the grid.
struct Taps {
  Tensors at, weight, slope;
};
// Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.75.
Tensor cubic_near(const Tensor& x) { return add(mul(mul(sub(mul(x, 1.25), 2.25), x), x), 1); }
Tensor cubic_far(const Tensor& x) { return add(mul(sub(mul(add(mul(x, -0.75), 3.75), x), 6), x), 3); }
Tensor cubic_near_slope(const Tensor& x, double scale) { return mul(mul(sub(mul(x, 3.75), 4.5), x), scale); }
Tensor cubic_far_slope(const Tensor& x, double scale) { return mul(sub(mul(add(mul(x, -2.25), 7.5), x), 6), scale); }
Taps taps(const GridSample& op, const Tensor& grid, int64_t n, bool slopes) {
  const bool corners = op.align_corners.value_or(false);
  const double scale = double(corners ? n - 1 : n) / 2;
  const Tensor one = add(grid, 1);
  const Tensor raw = corners ? mul(one, scale) : div(sub(mul(one, n), 1), 2);
  if (op.mode == "bicubic") {
    const Tensor first = floor(raw.detach()), t = sub(raw, first), rest = sub(1, t);
    Taps all{{}, {cubic_far(add(t, 1)), cubic_near(t), cubic_near(rest), cubic_far(add(rest, 1))}, {}};
    for (int k = -1; k <= 2; ++k) all.at.push_back(bounded(op, add(first, k), n).at);
    if (slopes)
      all.slope = {cubic_far_slope(add(t, 1), scale), cubic_near_slope(t, scale), cubic_near_slope(rest, -scale),
                   cubic_far_slope(add(rest, 1), -scale)};
    return all;
  }
  const Reflected in = bounded(op, raw, n);
  const Tensor& at = in.at;
  if (op.mode == "nearest") return {{round(at.detach())}, {full(at.shape(), 1, at.dtype(), at.device())}, {}};
  const Tensor first = floor(at.detach()), second = sub(at, first);
  Taps all{{first, add(first, 1)}, {sub(1, second), second}, {}};
  if (slopes) {
    const Tensor slope = in.slope ? mul(in.slope, scale) : full(at.shape(), scale, at.dtype(), at.device());
    all.slope = {neg(slope), slope};
  }
  return all;
}

/// What all points take: elements as rows of a table that has those of each sample and after them one for what lies
/// outside. [points of all samples, taps] each: rows, and weights; slopes of these by each coordinate of the grid.
struct AllTaps {
  Tensor rows, weights;
  Tensors slopes;
};
int64_t volume_of(const Shape& x) {
  int64_t volume = 1;
  for (int d = 2; d < x.size(); ++d) volume *= x[d];
  return volume;
}
AllTaps all_taps(const GridSample& op, const Shape& x, const Tensor& grid, bool slopes) {
  const int dims = x.size() - 2;
  const int64_t points = grid.numel() / std::max<int64_t>(1, x[0] * dims), all = x[0] * points;
  const Tensor places = reshape(grid, {{x[0], points, dims}});
  std::vector<Taps> along;
  const int64_t volume = volume_of(x);
  int64_t count = 1;
  for (int d = 0; d < dims; ++d) {
    along.push_back(taps(op, select(places, {-1, d}), x[x.size() - 1 - d], slopes));
    count *= op.taps();
  }
  const Tensor first_rows = mul(unsqueeze(counting(x[0], grid.device()), {1}), volume + 1);
  Tensors rows, weights;
  std::vector<Tensors> slope(slopes ? size_t(dims) : 0);
  for (int64_t k = 0; k < count; ++k) {
    Tensor index, inside;
    // the products of weights: each with one of them as slope, and the last with none
    Tensors factor(size_t(dims) + 1);
    int64_t rest = k, stride = 1;
    for (int d = 0; d < dims; ++d, rest /= op.taps()) {
      const size_t t = size_t(rest % op.taps());
      const int64_t n = x[x.size() - 1 - d];
      const Tensor &at = along[size_t(d)].at[t], &w = along[size_t(d)].weight[t];
      const Tensor here = logical_and(ge(at, 0), le(at, n - 1));
      const Tensor place = mul(cast_to(where(here, at, 0.0), Dtype::i64), stride);
      index = index ? add(index, place) : place;
      inside = inside ? logical_and(inside, here) : here;
      for (int e = 0; e <= dims; ++e) {
        if (e < dims && !slopes) continue;
        const Tensor& by = e == d ? along[size_t(d)].slope[t] : w;
        factor[size_t(e)] = factor[size_t(e)] ? mul(factor[size_t(e)], by) : by;
      }
      stride *= n;
    }
    rows.push_back(reshape(add(where(inside, index, volume), first_rows), {{all}}));
    // as in PyTorch, places that are nan are nan in images, not in volumes
    const Tensor &weight = factor[size_t(dims)], counts = dims == 2 ? logical_or(inside, isnan(weight)) : inside;
    weights.push_back(reshape(where(counts, weight, 0.0), {{all}}));
    for (size_t e = 0; e < slope.size(); ++e) slope[e].push_back(reshape(factor[e], {{all}}));
  }
  AllTaps made{stack(rows, {1}), stack(weights, {1}), {}};
  for (auto& s : slope) made.slopes.push_back(stack(s, {1}));
  return made;
}
// The table of elements, of all channels each; rows of zeros stand for what lies outside.
Tensor table_of(const Tensor& x) {
  const Shape& s = x.shape();
  const int64_t volume = volume_of(s);
  const Tensor padded = constant_pad_nd(transpose(reshape(x, {{s[0], s[1], volume}}), {1, 2}), {{0, 0, 0, 1}, 0});
  return reshape(padded, {{s[0] * (volume + 1), s[1]}});
}
// grad [N, C, points…] as a row of channels for each point.
Tensor point_rows(const Tensor& grad, const Shape& x) {
  const int64_t points = volume_of(grad.shape());
  return reshape(transpose(reshape(grad, {{x[0], x[1], points}}), {1, 2}), {{x[0] * points, x[1]}});
}
// The gradient of mode 'nearest' by the grid: 0, which hangs on the grid for gradients of it.
Tensor no_slope(const Tensor& grid) { return where(full({}, false, Dtype::boolean, grid.device()), grid, 0.0); }
bool is_narrow(const Tensor& t) { return t.dtype() == Dtype::f16 || t.dtype() == Dtype::bf16; }
Tensor wide_of(const Tensor& t) { return cast_to(t, Dtype::f32); }

}  // namespace

Spec GridSample::infer(const Inputs& in) const {
  check(*this, in[0].shape(), in[0].dtype(), in[1]);
  return {sampled(in[0].shape(), in[1].shape()), in[0].dtype()};
}
Tensors GridSample::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(2);
  if (c.wants(0)) out[0] = grid_sample_input_grad(dy, c.in[1], {c.in[0].shape(), *this});
  if (c.wants(1)) out[1] = taps() == 1 ? no_slope(c.in[1]) : grid_sample_grid_grad(dy, c.in[0], c.in[1], {*this});
  return out;
}
Tensor GridSample::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &grid = in[1];
  check(*this, x.shape(), x.dtype(), grid);
  if (is_narrow(x)) return cast_to(grid_sample(wide_of(x), wide_of(grid), *this), x.dtype());  // rounded once
  const Shape s = x.shape(), out = sampled(s, grid.shape());
  const AllTaps at = all_taps(*this, s, grid, false);
  const Tensor sum = basic::row_sums(table_of(x), at.rows, at.weights);
  return reshape(contiguous(transpose(reshape(sum, {{s[0], -1, s[1]}}), {1, 2})), {out});
}

Spec GridSampleInputGrad::infer(const Inputs& in) const {
  check_grad(forward, in[0], size, in[1]);
  return {size, in[0].dtype()};
}
Tensors GridSampleInputGrad::vjp(const Call& c, const Tensor& dx) const {
  Tensors out(2);
  if (c.wants(0)) out[0] = grid_sample(dx, c.in[1], forward);
  if (c.wants(1))
    out[1] = forward.taps() == 1 ? no_slope(c.in[1]) : grid_sample_grid_grad(c.in[0], dx, c.in[1], {forward});
  return out;
}
Tensor GridSampleInputGrad::decompose(const Inputs& in) const {
  const Tensor &grad = in[0], &grid = in[1];
  if (is_narrow(grad)) return cast_to(grid_sample_input_grad(wide_of(grad), wide_of(grid), *this), grad.dtype());
  const Shape s = size;
  const int64_t volume = volume_of(s);
  const AllTaps at = all_taps(forward, s, grid, false);
  const Tensor shares = mul(unsqueeze(point_rows(grad, s), {1}), unsqueeze(at.weights, {-1}));
  const Tensor table = zeros({s[0] * (volume + 1), s[1]}, grad.dtype(), grad.device());
  const Tensor sums = index_add(table, reshape(at.rows, {{at.rows.numel()}}), reshape(shares, {{-1, s[1]}}), {});
  const Tensor inside = narrow(reshape(sums, {{s[0], volume + 1, s[1]}}), {1, 0, volume});
  return reshape(contiguous(transpose(inside, {1, 2})), {s});
}

Spec GridSampleGridGrad::infer(const Inputs& in) const {
  check_same_dtype("grad", in[0], "input", in[1]);
  if (forward.taps() == 1) throw Error("mode 'nearest' has no gradient by the grid");
  check_grad(forward, in[0], in[1].shape(), in[2]);
  return {in[2].shape(), in[2].dtype()};
}
Tensor GridSampleGridGrad::decompose(const Inputs& in) const {
  const Tensor &grad = in[0], &x = in[1], &grid = in[2];
  if (is_narrow(x)) return cast_to(grid_sample_grid_grad(wide_of(grad), wide_of(x), wide_of(grid), *this), x.dtype());
  const Shape s = x.shape();
  const AllTaps at = all_taps(forward, s, grid, true);
  const Shape taken{at.rows.shape()[0], at.rows.shape()[1], s[1]};
  const Tensor rows = index_select(table_of(x), reshape(at.rows, {{at.rows.numel()}}), {});
  const Tensor dots = sum(mul(reshape(rows, {taken}), unsqueeze(point_rows(grad, s), {1})), {.dim = {-1}});
  Tensors by;
  for (auto& slope : at.slopes) by.push_back(sum(mul(dots, slope), {.dim = {-1}}));
  return reshape(stack(by, {-1}), {grid.shape()});
}

namespace {
// Positions at which no mode has a kink.
template <int dims>
Inputs grid_inputs() {
  Shape x{2, 2}, g{2};
  for (int d = 0; d < dims; ++d) x.push_back(3 + d % 2), g.push_back(2);
  g.push_back(dims);
  Tensor image = Tensor::empty(x, Dtype::f64, host()), grid = Tensor::empty(g, Dtype::f64, host());
  for (int64_t i = 0; i < image.numel(); ++i) image.data<double>()[i] = double(i * 7 % 11) / 5 - 1;
  for (int64_t i = 0; i < grid.numel(); ++i) grid.data<double>()[i] = double(i * 5 % 13) / 5.3 - 1.17;
  return {image, grid};
}
}  // namespace
Cases<GridSample> GridSample::samples() {
  return {{{}, {}, 0, 0, grid_inputs<2>},
          {{"bilinear", "border", true}, {}, 0, 0, grid_inputs<3>},
          {{"bicubic", "reflection", false}, {}, 0, 0, grid_inputs<2>},
          {{"nearest", "zeros", true}, {}, 0, 0, grid_inputs<2>}};
}
Cases<GridSampleInputGrad> GridSampleInputGrad::samples() {
  auto inputs = [] {
    const Inputs in = grid_inputs<2>();
    return Inputs{in[1], in[1]};  // of two points and two channels: [2, 2, 2, 2]
  };
  return {{{{2, 2, 3, 4}, {}}, {}, 0, 0, inputs},
          {{{2, 2, 3, 4}, {"nearest", "border", true}}, {}, 0, 0, inputs},
          {{{2, 2, 4, 3}, {"bicubic", "reflection", false}}, {}, 0, 0, inputs}};
}
Cases<GridSampleGridGrad> GridSampleGridGrad::samples() {
  auto flat = [] {
    const Inputs in = grid_inputs<2>();
    return Inputs{in[1], in[0], in[1]};
  };
  auto deep = [] {
    const Inputs in = grid_inputs<3>();
    return Inputs{Tensor::alias(in[0].tensor().storage(), {2, 2, 2, 2, 2}, in[0].tensor().strides(), 0, Dtype::f64),
                  in[0], in[1]};
  };
  return {{{}, {}, 0, 0, flat},
          {{{"bilinear", "reflection", true}}, {}, 0, 0, flat},
          {{{"bicubic", "border", false}}, {}, 0, 0, flat},
          {{{"bilinear", "zeros", true}}, {}, 0, 0, deep}};
}

Tensor AffineGrid::decompose(const Inputs& in) const {
  const Tensor& theta = in[0];
  const int dims = size.size() - 2;
  if (dims != 2 && dims != 3) throw Error("size must have 4 or 5 numbers, got {}", to_string(size));
  for (int64_t n : size)
    if (n < 1) throw Error("size must be at least 1, got {}", to_string(size));
  if (!is_floating(theta.dtype())) throw_unsupported(theta.dtype());
  if (!(theta.shape() == Shape{size[0], dims, dims + 1}))
    throw Error("theta for size {} must have shape {}, got {}", to_string(size),
                to_string(Shape{size[0], dims, dims + 1}), to_string(theta.shape()));
  Shape out{size[0]}, grid;
  std::vector<double> along[3];
  for (int d = 0; d < dims; ++d) {
    const int64_t n = size[2 + d];
    out.push_back(n), grid.push_back(n);
  }
  out.push_back(dims), grid.push_back(dims + 1);
  Tensor base = Tensor::empty(grid, Dtype::f64, host());
  for (int d = 0; d < dims; ++d) {
    const double n = double(grid[d]);
    for (double i = 0; i < n; ++i)
      along[d].push_back(n < 2 ? 0 : align_corners.value_or(false) ? 2 * i / (n - 1) - 1 : (2 * i + 1) / n - 1);
  }
  const int64_t points = base.numel() / (dims + 1);
  size_t at[3] = {};
  for (double* row = base.data<double>(); row < base.data<double>() + base.numel(); row += dims + 1) {
    for (int d = 0; d < dims; ++d) row[dims - 1 - d] = along[d][at[d]];  // x, the last dim, comes first
    row[dims] = 1;
    for (int d = dims - 1; d >= 0 && ++at[d] == along[d].size(); --d) at[d] = 0;
  }
  // one product for all images: two or three columns of one would leave registers empty
  const Tensor here = to_device(cast_to(reshape(base, {{points, dims + 1}}), theta.dtype()), {&theta.device()});
  const Tensor all = matmul(here, transpose(reshape(theta, {{size[0] * dims, dims + 1}}), {0, 1}));
  return reshape(contiguous(transpose(reshape(all, {{points, size[0], dims}}), {0, 1})), {out});
}
Cases<AffineGrid> AffineGrid::samples() {
  return {{{{2, 1, 3, 2}, true}, {{2, 2, 3}}}, {{{1, 2, 2, 1, 3}, {}}, {{1, 3, 4}}}};
}

namespace {
const DefineAll<GridSample, GridSampleInputGrad, GridSampleGridGrad, AffineGrid> define_all_;
}

}  // namespace luth::ops
