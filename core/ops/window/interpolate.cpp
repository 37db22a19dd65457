#include "core/ops/window/interpolate.h"

#include <cmath>

#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/window/pool.h"
#include "core/ops/window/resample.h"

namespace luth::ops {
namespace {

struct Mode {
  const char* name;
  Filter filter;  // but for area
  int dims;       // spatial ones; 0: any
};
constexpr Mode modes[] = {{"nearest", Filter::nearest, 0}, {"nearest-exact", Filter::nearest_exact, 0},
                          {"area", Filter::nearest, 0},    {"linear", Filter::linear, 1},
                          {"bilinear", Filter::linear, 2}, {"bicubic", Filter::cubic, 2},
                          {"trilinear", Filter::linear, 3}};

const Mode& find_mode(const std::string& name) {
  for (auto& m : modes)
    if (name == m.name) return m;
  throw Error(
      "mode '{}' is unknown; it is 'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'",
      name);
}

void check(const Interpolate& op, const Tensor& x, const Mode& mode) {
  const int spatial = x.dim() - 2;
  const bool smooth = mode.dims > 0;
  if (spatial < 1 || spatial > 3)
    throw Error("input must have 3, 4 or 5 dims (N, C and 1 to 3 spatial ones), got shape {}", to_string(x.shape()));
  if (mode.dims && mode.dims != spatial)
    throw Error("mode '{}' wants input of {} dims, got shape {}", op.mode, mode.dims + 2, to_string(x.shape()));
  if (op.align_corners && !smooth)
    throw Error("align_corners is for the modes 'linear', 'bilinear', 'bicubic' and 'trilinear', not for '{}'",
                op.mode);
  if (op.antialias && spatial != 2) throw Error("antialias is for the modes 'bilinear' and 'bicubic'");
  if (op.antialias && !smooth)
    throw Error("antialias is for the modes 'bilinear' and 'bicubic', not for '{}'", op.mode);
  if (!op.size && !op.scale_factor) throw Error("either size or scale_factor must be given");
  if (op.size && op.scale_factor) throw Error("only one of size and scale_factor may be given");
  const size_t given = op.size ? size_t(op.size->size()) : op.scale_factor->size();
  if (given != 1 && given != size_t(spatial))
    throw Error("{} must be one number or {}, one for each spatial dim of shape {}; got {}",
                op.size ? "size" : "scale_factor", spatial, to_string(x.shape()), given);
  if (op.size && op.recompute_scale_factor.value_or(false))
    throw Error("recompute_scale_factor has no meaning with size");
  check_elements("input", x.shape(), 1);
  const bool bytes = x.dtype() == Dtype::u8 && op.mode != "area" && mode.dims % 2 == 0;
  const bool known = is_floating(x.dtype()) || bytes;  // as in PyTorch
  if (!known) throw_unsupported(x.dtype());
}

// The extents of the result, and the scale: elements of the input for each of its elements.
InterpolateNd plan(const Interpolate& op, const Tensor& x, const Mode& mode) {
  InterpolateNd r;
  r.filter = mode.filter, r.dims.dim = 2, r.align_corners = op.align_corners.value_or(false),
  r.antialias = op.antialias;
  for (int d = 0; d < x.dim() - 2; ++d) {
    const int64_t n = x.shape()[d + 2];
    const double factor = op.scale_factor ? (*op.scale_factor)[op.scale_factor->size() == 1 ? 0 : size_t(d)] : 0;
    const double wanted = std::floor(double(n) * factor);
    if (op.scale_factor && !(wanted <= INT32_MAX && wanted >= -INT32_MAX))  // nan too
      throw Error("scale_factor {} makes {} elements of the {} in dim {}; at most {} are possible", factor, wanted, n,
                  shown(d + 2), INT32_MAX);
    const int64_t m = op.size ? at_or_all(*op.size, d) : int64_t(wanted);
    if (m < 1) throw Error("the result would have {} elements in a dim; sizes must be at least 1", m);
    r.dims.from.push_back(n), r.dims.to.push_back(m);
    const bool own = factor > 0 && !op.recompute_scale_factor.value_or(false);
    double scale = own ? 1 / factor : double(n) / double(m);
    if (mode.dims && r.align_corners) scale = m > 1 ? double(n - 1) / double(m - 1) : 0;
    r.scale.push_back(scale);
  }
  return r;
}

// Bytes are mapped one dim after the other, the last one first, and rounded in between, as PyTorch has it.
Tensor of_bytes(const Tensor& x, const InterpolateNd& all) {
  Tensor t = cast_to(x, Dtype::f32);
  for (int d = all.dims.count() - 1; d >= 0; --d) {
    if (all.dims.from[d] == all.dims.to[d] && !all.antialias) continue;
    InterpolateNd one = all;
    one.dims = {all.dims.dim + d, {all.dims.from[d]}, {all.dims.to[d]}}, one.scale = {all.scale[size_t(d)]};
    one.quantized = true;
    t = clamp(floor(add(interpolate_nd(t, one), 0.5)), 0, 255);
  }
  return cast_to(t, Dtype::u8);
}

Interpolate with_mode(const UpsampleNearest& op, const char* mode) {
  Interpolate i;
  i.size = op.size, i.scale_factor = op.scale_factor, i.mode = mode;
  return i;
}

}  // namespace

Tensor Interpolate::decompose(const Inputs& in) const {
  const Mode& kind = find_mode(mode);
  check(*this, in[0], kind);
  const InterpolateNd r = plan(*this, in[0], kind);
  if (mode == "area") {
    if (r.dims.count() == 1) return adaptive_avg_pool1d(in[0], {r.dims.to});
    return r.dims.count() == 2 ? adaptive_avg_pool2d(in[0], {r.dims.to}) : adaptive_avg_pool3d(in[0], {r.dims.to});
  }
  return in[0].dtype() == Dtype::u8 && kind.dims ? of_bytes(in[0], r) : interpolate_nd(in[0], r);
}
Cases<Interpolate> Interpolate::samples() {
  Interpolate a, b, c, d, e;
  a.size = Ints{5};
  b.scale_factor = std::vector<double>{1.5, 2};
  b.mode = "bilinear";
  c.size = Ints{3, 7}, c.mode = "bicubic", c.align_corners = true;
  d.size = Ints{2, 2}, d.mode = "bicubic", d.antialias = true;
  e.scale_factor = std::vector<double>{0.6}, e.mode = "area";
  return {{a, {{2, 2, 3}}}, {b, {{1, 2, 3, 4}}}, {c, {{1, 2, 4, 3}}}, {d, {{1, 1, 5, 4}}}, {e, {{1, 2, 3, 4, 5}}}};
}
Tensor UpsampleNearest::decompose(const Inputs& in) const { return interpolate(in[0], with_mode(*this, "nearest")); }
Cases<UpsampleNearest> UpsampleNearest::samples() {
  UpsampleNearest a;
  a.scale_factor = std::vector<double>{2};
  return {{a, {{1, 2, 3, 2}}}};
}
Tensor UpsampleBilinear::decompose(const Inputs& in) const {
  Interpolate i = with_mode(*this, "bilinear");
  i.align_corners = true;
  return interpolate(in[0], i);
}
Cases<UpsampleBilinear> UpsampleBilinear::samples() {
  UpsampleBilinear a;
  a.size = Ints{3, 4};
  return {{a, {{1, 2, 2, 3}}}};
}
Tensor Upsample::decompose(const Inputs& in) const {
  Interpolate i = with_mode(*this, mode.c_str());
  i.align_corners = align_corners;
  return interpolate(in[0], i);
}
Cases<Upsample> Upsample::samples() {
  Upsample a;
  a.size = Ints{4};
  a.mode = "linear";
  return {{a, {{1, 2, 3}}}};
}

namespace {
const DefineAll<Interpolate, UpsampleNearest, UpsampleBilinear, Upsample> define_all_;
}

}  // namespace luth::ops
