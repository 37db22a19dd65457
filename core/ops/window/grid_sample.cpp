#include "core/ops/window/grid_sample.h"

#include <vector>

#include "core/ops/common/row_sums.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/pad.h"

namespace luth::ops {
namespace {

void check(const GridSample& op, const Tensor& x, const Tensor& grid) {
  const int n = x.dim();
  if (n != 4 && n != 5)
    throw Error("input must have 4 dims (N, C, H, W) or 5 (N, C, D, H, W), got shape {}", to_string(x.shape()));
  if (grid.dim() != n || grid.shape()[n - 1] != n - 2)
    throw Error("grid for input of {} dims must have as many, the last of {} elements; got shape {}", n, n - 2,
                to_string(grid.shape()));
  if (grid.shape()[0] != x.shape()[0])
    throw Error("input of shape {} and grid of shape {} must have as many samples", to_string(x.shape()),
                to_string(grid.shape()));
  if (x.dtype() != grid.dtype())
    throw Error("input and grid must have one dtype, got {} and {}", name(x.dtype()), name(grid.dtype()));
  if (!is_floating(x.dtype())) throw_unsupported(x.dtype());
  for (int d = 2; d < n; ++d)
    if (x.shape()[d] == 0) throw Error("input of shape {} has no elements in a spatial dim", to_string(x.shape()));
  if (op.mode != "bilinear" && op.mode != "nearest" && op.mode != "bicubic")
    throw Error("mode '{}' is unknown; it is 'bilinear', 'nearest' or 'bicubic'", op.mode);
  if (op.mode == "bicubic" && n != 4)
    throw Error("mode 'bicubic' is for input of 4 dims, got shape {}", to_string(x.shape()));
  if (op.padding_mode != "zeros" && op.padding_mode != "border" && op.padding_mode != "reflection")
    throw Error("padding_mode '{}' is unknown; it is 'zeros', 'border' or 'reflection'", op.padding_mode);
}

// Positions reflected at low and at high, until they lie between them.
Tensor reflected(const Tensor& at, double low, double high) {
  const double span = high - low;
  if (span <= 0) return mul(at, 0);
  const Tensor from = abs(sub(at, low)), flips = floor(div(from.detach(), span)), extra = sub(from, mul(flips, span));
  const Tensor odd = ne(fmod(flips, 2), 0);
  return add(where(odd, sub(span, extra), extra), low);
}
// What padding_mode makes of positions in elements.
Tensor bounded(const GridSample& op, const Tensor& at, int64_t n) {
  const bool corners = op.align_corners.value_or(false);
  if (op.padding_mode == "zeros") return at;
  Tensor t = at;
  if (op.padding_mode == "reflection")
    t = corners ? reflected(at, 0, double(n - 1)) : reflected(at, -0.5, double(n) - 0.5);
  return clamp(t, 0, n - 1);
}

/// The taps of a result along one dim: integer positions, as floats, and the weights of the elements there.
struct Taps {
  Tensors at, weight;
};
// Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.75.
Tensor cubic_near(const Tensor& x) { return add(mul(mul(sub(mul(x, 1.25), 2.25), x), x), 1); }
Tensor cubic_far(const Tensor& x) { return add(mul(sub(mul(add(mul(x, -0.75), 3.75), x), 6), x), 3); }
Taps taps(const GridSample& op, const Tensor& grid, int64_t n) {
  const bool corners = op.align_corners.value_or(false);
  const Tensor one = add(grid, 1);
  const Tensor raw = corners ? mul(one, double(n - 1) / 2) : div(sub(mul(one, n), 1), 2);
  if (op.mode == "bicubic") {
    const Tensor first = floor(raw.detach()), t = sub(raw, first), rest = sub(1, t);
    Taps all{{}, {cubic_far(add(t, 1)), cubic_near(t), cubic_near(rest), cubic_far(add(rest, 1))}};
    for (int k = -1; k <= 2; ++k) all.at.push_back(bounded(op, add(first, k), n));
    return all;
  }
  const Tensor at = bounded(op, raw, n);
  // the gradient by the grid is not absent, but zeros
  if (op.mode == "nearest") return {{round(at.detach())}, {where(ne(at.detach(), at.detach()), at, 1.0)}};
  const Tensor first = floor(at.detach()), second = sub(at, first);
  return {{first, add(first, 1)}, {sub(1, second), second}};
}

}  // namespace

Tensor GridSample::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &grid = in[1];
  check(*this, x, grid);
  if (x.dtype() == Dtype::f16 || x.dtype() == Dtype::bf16)  // rounded once
    return cast_to(grid_sample(cast_to(x, Dtype::f32), cast_to(grid, Dtype::f32), *this), x.dtype());
  const int dims = x.dim() - 2;
  const Shape s = x.shape();
  Shape out{s[0], s[1]};
  int64_t points = 1, volume = 1;
  for (int d = 0; d < dims; ++d) {
    out.push_back(grid.shape()[1 + d]);
    points *= grid.shape()[1 + d], volume *= s[2 + d];
  }
  // elements as rows of channels; after those of each sample a row of zeros, for positions outside
  const Tensor padded = constant_pad_nd(transpose(reshape(x, {{s[0], s[1], volume}}), {1, 2}), {{0, 0, 0, 1}, 0});
  const Tensor rows = reshape(padded, {{s[0] * (volume + 1), s[1]}}), places = reshape(grid, {{s[0], points, dims}});
  const Tensor first_rows = mul(unsqueeze(counting(s[0], x.device()), {1}), volume + 1);
  struct Tap {
    Tensor index, weight, inside;
  };
  std::vector<Tap> along[3];
  size_t combinations = 1;
  for (int d = 0; d < dims; ++d) {
    const Taps all = taps(*this, select(places, {-1, dims - 1 - d}), s[2 + d]);
    for (size_t k = 0; k < all.at.size(); ++k) {
      const Tensor& at = all.at[k];
      const Tensor inside = logical_and(ge(at, 0), le(at, s[2 + d] - 1));
      along[d].push_back({cast_to(where(inside, at, 0.0), Dtype::i64), all.weight[k], inside});
    }
    combinations *= along[d].size();
  }
  Tensors at_rows, shares;
  for (size_t k = 0; k < combinations; ++k) {
    Tensor index, weight, inside;
    size_t rest = k;
    for (int d = 0; d < dims; ++d) {
      const Tap& tap = along[d][rest % along[d].size()];
      rest /= along[d].size();
      index = index ? add(mul(index, s[2 + d]), tap.index) : tap.index;
      weight = weight ? mul(weight, tap.weight) : tap.weight;
      inside = inside ? logical_and(inside, tap.inside) : tap.inside;
    }
    at_rows.push_back(reshape(add(where(inside, index, volume), first_rows), {{s[0] * points}}));
    shares.push_back(reshape(where(inside, weight, 0.0), {{s[0] * points}}));
  }
  const Tensor sum = basic::row_sums(rows, stack(at_rows, {1}), stack(shares, {1}));
  return reshape(contiguous(transpose(reshape(sum, {{s[0], points, s[1]}}), {1, 2})), {out});
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
  int64_t points = 1;
  Shape out{size[0]};
  for (int d = 0; d < dims; ++d) points *= size[2 + d], out.push_back(size[2 + d]);
  out.push_back(dims);
  Tensor base = Tensor::empty({points, dims + 1}, Dtype::f64, host());
  for (int64_t p = 0; p < points; ++p) {
    double* row = base.data<double>() + p * (dims + 1);
    int64_t rest = p;
    row[dims] = 1;
    for (int d = dims - 1; d >= 0; --d) {  // x, the last dim, comes first
      const int64_t n = size[2 + d], i = rest % n;
      rest /= n;
      const bool corners = align_corners.value_or(false);
      row[dims - 1 - d] = n < 2 ? 0 : corners ? 2 * double(i) / double(n - 1) - 1 : (2 * double(i) + 1) / double(n) - 1;
    }
  }
  const Tensor here = to_device(cast_to(base, theta.dtype()), {&theta.device()});
  return reshape(matmul(here, transpose(theta, {1, 2})), {out});
}
Cases<AffineGrid> AffineGrid::samples() {
  return {{{{2, 1, 3, 2}, true}, {{2, 2, 3}}}, {{{1, 2, 2, 1, 3}, {}}, {{1, 3, 4}}}};
}

namespace {
const DefineAll<GridSample, AffineGrid> define_all_;
}

}  // namespace luth::ops
