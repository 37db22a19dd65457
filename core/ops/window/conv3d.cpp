#include "core/ops/window/conv3d.h"

#include "core/dispatch/autocast.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/resample.h"

namespace luth::ops {
namespace {

Value third(const Inputs& in) { return in.size() > 2 ? in[2] : Value(); }

void check_three(const char* what, const Ints& v, int64_t least) {
  if (v.size() != 1 && v.size() != 3) throw Error("{} must be one number or three, got {}", what, to_string(v));
  for (int64_t n : v)
    if (n < least || n > INT32_MAX) throw Error("{} must be at least {}, got {}", what, least, to_string(v));
}
void check_volumes(const Inputs& in, int64_t groups) {
  if (!in[0].is_tensor() || (in[0].dim() != 4 && in[0].dim() != 5))
    throw Error("input must have 5 dims (N, C, D, H, W) or 4 (C, D, H, W), got shape {}", to_string(in[0].shape()));
  if (!in[1].is_tensor() || in[1].dim() != 5)
    throw Error("weight must have 5 dims, got shape {}", to_string(in[1].shape()));
  const Shape x = in[0].shape();
  for (int d = x.size() - 4; d < x.size(); ++d)
    if (x[d] == 0) throw Error("input of shape {} has no elements in a dim other than the batch's", to_string(x));
  if (in[1].numel() == 0) throw Error("weight of shape {} has no elements", to_string(in[1].shape()));
  if (groups < 1) throw Error("groups must be at least 1, got {}", groups);
  if (in[1].shape()[0] % groups)
    throw Error("weight of shape {} does not divide into {} groups", to_string(in[1].shape()), groups);
}
void check_bias(const Value& bias, int64_t n) {
  if (bias && (bias.dim() != 1 || bias.numel() != n))
    throw Error("bias must have shape [{}], one number for each channel of the result, got {}", n,
                to_string(bias.shape()));
}
// Height and width of a list for three directions.
Ints plane(const Ints& v) { return {at_or_all(v, 1), at_or_all(v, 2)}; }

/// One window in each direction, with padding before and behind.
struct Volume {
  Ints stride, before, behind, dilation;
  int64_t groups;
};

// Between depth and windows of `k` planes, `count` of them, along `dim`: see resample.h for the kinds.
Resample depth_windows(const char* kind, int64_t dim, int64_t depth, int64_t k, int64_t count, int64_t step,
                       int64_t pad, int64_t spread) {
  Resample r;
  r.kind = kind, r.dim = dim, r.from = {depth}, r.to = {k * count};
  r.kernel = {k}, r.stride = {step}, r.padding = {pad}, r.dilation = {spread};
  return r;
}

// [O, C, kD, kH, kW] as filters of images whose channels are [C, kD].
Tensor flat_filters(const Tensor& w) {
  const Shape& s = w.shape();
  return reshape(w, {{s[0], s[1] * s[2], s[3], s[4]}});
}

// x [N, C, D, H, W] and filters as images [N depth, .., H, W] and theirs, with the planes of a window as channels:
// [C, kD], which keeps groups apart, or [kD, C] where there is one, which takes a copy less.
struct Flat {
  Tensor images, filters;
};
Flat flat(const Tensor& x, const Tensor& filters, const Volume& v, int64_t depth) {
  const Shape s = x.shape(), w = filters.shape();
  auto windows = [&](const char* kind, int64_t dim) {
    return depth_windows(kind, dim, s[2], w[2], depth, v.stride[0], v.before[0], v.dilation[0]);
  };
  const Shape images{s[0] * depth, s[1] * w[2], s[3], s[4]};
  if (v.groups == 1) {
    const Tensor planes = permute(x, {{0, 2, 1, 3, 4}});
    return {reshape(resample(planes, windows("frames", 1)), {images}),
            flat_filters(permute(filters, {{0, 2, 1, 3, 4}}))};
  }
  const Tensor apart = reshape(resample(x, windows("windows", 2)), {{s[0], s[1], w[2], depth, s[3], s[4]}});
  return {reshape(permute(apart, {{0, 3, 1, 2, 4, 5}}), {images}), flat_filters(filters)};
}

Tensor convolved(const Inputs& in, const Volume& v) {
  const bool batched = in[0].dim() == 5;
  const Tensor x = batched ? in[0].tensor() : unsqueeze(in[0], {0});
  const Shape s = x.shape(), w = in[1].shape();
  const int64_t span = v.dilation[0] * (w[2] - 1) + 1, room = s[2] + v.before[0] + v.behind[0];
  if (s[1] != w[1] * v.groups)
    throw Error("weight of shape {} with groups = {} wants {} channels, and input of shape {} has {}", to_string(w),
                v.groups, w[1] * v.groups, to_string(in[0].shape()), s[1]);
  if (span > room) throw Error("the filter spans {} planes, more than the {} of the padded input", span, room);
  const int64_t depth = (room - span) / v.stride[0] + 1;
  const Flat f = flat(x, in[1], v, depth);
  Conv2d c;
  c.stride = {v.stride[1], v.stride[2]}, c.padding = {v.before[1], v.before[2]};
  c.dilation = {v.dilation[1], v.dilation[2]}, c.groups = v.groups;
  c.behind = {v.behind[1] - v.before[1], v.behind[2] - v.before[2]};
  const Tensor y = conv2d(f.images, f.filters, third(in), c);
  const Shape& t = y.shape();
  const Tensor whole = contiguous(permute(reshape(y, {{s[0], depth, t[1], t[2], t[3]}}), {{0, 2, 1, 3, 4}}));
  return batched ? whole : squeeze(whole, {Ints{0}});
}

}  // namespace

Tensor Conv3d::decompose(const Inputs& in) const {
  check_volumes(in, groups);
  check_three("stride", stride, 1);
  check_three("padding", padding, 0);
  check_three("dilation", dilation, 1);
  check_bias(third(in), in[1].shape()[0]);
  auto all = [](const Ints& v) { return Ints{at_or_all(v, 0), at_or_all(v, 1), at_or_all(v, 2)}; };
  return convolved(in, {all(stride), all(padding), all(padding), all(dilation), groups});
}
Cases<Conv3d> Conv3d::samples() {
  Conv3d a, b;
  b.stride = {1, 2, 1}, b.padding = {1, 0, 1}, b.dilation = {2, 1, 1}, b.groups = 2;
  return {{a, {{2, 2, 3, 3, 4}, {3, 2, 2, 2, 3}, {3}}}, {b, {{4, 4, 4, 3}, {2, 2, 2, 2, 2}}}};
}

Tensor Conv3dPadding::decompose(const Inputs& in) const {
  check_volumes(in, groups);
  check_three("stride", stride, 1);
  check_three("dilation", dilation, 1);
  check_bias(third(in), in[1].shape()[0]);
  if (padding != "same" && padding != "valid")
    throw Error("padding '{}' is unknown; it is a number, 'same' or 'valid'", padding);
  Volume v{{}, {}, {}, {}, groups};
  for (int d = 0; d < 3; ++d) {
    const int64_t total = padding == "same" ? at_or_all(dilation, d) * (in[1].shape()[2 + d] - 1) : 0;
    if (padding == "same" && at_or_all(stride, d) != 1)
      throw Error("padding 'same' needs stride 1, got {}", to_string(stride));
    v.stride.push_back(at_or_all(stride, d));
    v.dilation.push_back(at_or_all(dilation, d));
    v.before.push_back(total / 2);
    v.behind.push_back(total - total / 2);
  }
  return convolved(in, v);
}
Cases<Conv3dPadding> Conv3dPadding::samples() {
  Conv3dPadding a;
  a.padding = "same", a.dilation = {1, 1, 2};
  return {{a, {{1, 2, 3, 3, 3}, {2, 2, 2, 1, 2}, {2}}}};
}

Tensor ConvTranspose3d::decompose(const Inputs& in) const {
  check_volumes(in, groups);
  check_three("stride", stride, 1);
  check_three("padding", padding, 0);
  check_three("output_padding", output_padding, 0);
  check_three("dilation", dilation, 1);
  if (!is_floating(in[0].dtype()) && in[0].dtype() != Dtype::i64) throw_unsupported(in[0].dtype());
  const bool batched = in[0].dim() == 5;
  const Tensor x = batched ? in[0].tensor() : unsqueeze(in[0], {0});
  const Shape s = x.shape(), w = in[1].shape();
  if (s[1] != w[0])
    throw Error("weight of shape {} wants {} channels, and input of shape {} has {}", to_string(w), w[0],
                to_string(in[0].shape()), s[1]);
  const int64_t step = at_or_all(stride, 0), more = at_or_all(output_padding, 0), spread = at_or_all(dilation, 0),
                channels = w[1] * groups;
  check_bias(third(in), channels);
  if (more >= std::max(step, spread))
    throw Error("output_padding must be less than stride or dilation, got {}", to_string(output_padding));
  const int64_t depth = (s[2] - 1) * step - 2 * at_or_all(padding, 0) + spread * (w[2] - 1) + more + 1;
  if (depth < 1) throw Error("the result would have {} elements in a dim; less padding would leave some", depth);
  const Tensor images = reshape(permute(x, {{0, 2, 1, 3, 4}}), {{s[0] * s[2], s[1], s[3], s[4]}});
  const ConvTranspose2d flat{plane(stride), plane(padding), plane(output_padding), groups, plane(dilation)};
  Tensor y = conv_transpose2d(images, flat_filters(in[1]), {}, flat);
  const int64_t high = y.shape()[2], wide = y.shape()[3];
  y = permute(reshape(y, {{s[0], s[2], channels, w[2], high, wide}}), {{0, 2, 3, 1, 4, 5}});
  Resample r = depth_windows("windows", -3, depth, w[2], s[2], step, at_or_all(padding, 0), spread);
  r.transposed = true;
  y = resample(reshape(y, {{s[0], channels, w[2] * s[2], high, wide}}), r);
  if (third(in)) y = add(y, reshape(third(in), {{-1, 1, 1, 1}}));
  return batched ? y : squeeze(y, {Ints{0}});
}
Cases<ConvTranspose3d> ConvTranspose3d::samples() {
  ConvTranspose3d a, b;
  b.stride = {2}, b.padding = {1, 0, 1}, b.output_padding = {1, 0, 1}, b.groups = 2;
  return {{a, {{2, 2, 2, 2, 3}, {2, 3, 2, 1, 2}, {3}}}, {b, {{2, 2, 3, 2}, {2, 1, 3, 2, 2}}}};
}

namespace {
const DefineAll<Conv3d, Conv3dPadding, ConvTranspose3d> define_all_;
const AutocastAs<Autocast::lower, Conv3d, Conv3dPadding, ConvTranspose3d> autocast_lower_;
}  // namespace

}  // namespace luth::ops
