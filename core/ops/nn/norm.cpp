#include "core/ops/nn/norm.h"

#include <algorithm>

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/sample_tensors.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {

Tensor plus(const Tensor& a, const Tensor& b) { return !a ? b : !b ? a : add(a, b); }
namespace {
const DefineAll<BatchNorm, BatchNormMove, BatchNormTrain, BatchNormBackward, ChannelAffine, LayerNorm, NativeLayerNorm,
                LayerNormBackward>
    define_all_;

/// All dims but that of the channels.
Ints batch_dims(int n) {
  Ints dims{0};
  for (int i = 2; i < n; ++i) dims.push_back(i);
  return dims;
}
/// A number per channel, in the shape 1 x C x 1 x … of n dims.
Tensor across(const Tensor& t, int n) {
  if (!t) return t;
  Shape s(size_t(n), 1);
  s[1] = t.numel();
  return reshape(t, {.shape = s});
}
Tensor sum_over(const Tensor& t, const Ints& dims) { return dims.empty() ? t : sum(t, {.dim = dims, .keepdim = true}); }
Tensor mean_over(const Tensor& t, const Ints& dims) { return mean(t, {.dim = dims, .keepdim = true}); }
Tensor times(const Tensor& a, const Tensor& b) { return b ? mul(a, b) : a; }

void check_channels(const Inputs& in, const char* const* names) {
  const Shape& s = in[0].shape();
  if (s.size() < 2) throw Error("input must have at least 2 dims (N x C x …), but has shape {}", to_string(s));
  check_floating(in[0]);
  for (size_t i = 1; i < in.size(); ++i)
    if (in[i] && in[i].numel() != s[1])
      throw Error("{} has {} elements, but input of shape {} has {} channels", names[i], in[i].numel(), to_string(s),
                  s[1]);
}
Spec like_input(const Value& x) {
  Spec s{x.shape(), x.dtype()};
  if (x.tensor().is_channels_last() && !x.tensor().is_contiguous()) s.strides = channels_last_strides(s.shape);
  return s;
}

}  // namespace

void check_norm_dtypes(const Inputs& in) {
  auto all = [&](Dtype d) {
    return std::all_of(in.begin() + 1, in.end(), [&](const Value& t) { return !t || t.dtype() == d; });
  };
  const Dtype d = in[0].dtype();
  if (all(d) || (is_half_float(d) && all(Dtype::f32))) return;
  throw Error("weights and running statistics must be {}{}, as input is; convert with :to()", name(d),
              is_half_float(d) ? ", or all float32" : "");
}

NormBackwardGrads norm_backward_grads(const Tensors& dy, const Tensor& grad, const Tensor& x, const Tensor& weight,
                                      const Tensor& mean, const Tensor& s, const Ints& dims, const Ints& shared,
                                      bool centred) {
  const Tensor &u = dy[0], &p = dy[1], &q = dy[2];
  Tensor distance = centred ? sub(x, mean) : x, xh = mul(distance, s), v;  // v: the cotangent of xh
  auto less_mean = [&](const Tensor& t) { return centred ? sub(t, mean_over(t, dims)) : t; };
  NormBackwardGrads out;
  if (u) {
    Tensor g = times(grad, weight);
    Tensor mean_gx = mean_over(mul(g, xh), dims), mean_ux = mean_over(mul(u, xh), dims);
    Tensor to_g = mul(s, sub(less_mean(u), mul(xh, mean_ux)));
    out.grad = times(to_g, weight);
    if (weight) out.weight = sum_over(mul(to_g, grad), shared);
    v = neg(mul(s, add(mul(u, mean_gx), mul(g, mean_ux))));
    out.s = sum_over(mul(u, sub(less_mean(g), mul(xh, mean_gx))), dims);
  }
  if (p) {
    out.grad = plus(out.grad, mul(p, xh));
    v = plus(v, mul(p, grad));
  }
  if (q) out.grad = plus(out.grad, expand_to(q, x.shape()));
  if (v) {
    out.x = mul(s, v);
    if (centred) out.mean = neg(sum_over(out.x, dims));
    out.s = plus(out.s, sum_over(mul(distance, v), dims));
  }
  return out;
}

void move_running(const Value& running, const Tensor& now, const Value& weight, double factor) {
  static constexpr Fn<BatchNormMove> move;
  if (!running) return;
  NoGrad no_grad;
  BatchNormMove op;
  op.factor = factor;
  move.into(running, now, weight, op);
}

Tensor batch_norm_by_statistics(const Tensor& x, const Tensor& mean, const Tensor& var, const Tensor& weight,
                                const Tensor& bias, double eps) {
  const Dtype t = wide(x.dtype());
  const Tensor scale = rsqrt(add(cast_to(var, t), eps));
  return channel_affine(x, mean, weight ? mul(scale, cast_to(weight, t)) : scale, bias);
}

namespace {
Tensor shaped(const Tensor& t, const Value& like) { return t ? reshape(t, {.shape = like.shape()}) : t; }

// ---- batch_norm: training and evaluation ---------------------------------------------------------------------------

Tensor by_running(const BatchNorm& op, const Inputs& in) {
  if (!in[1] || !in[2]) throw Error("running_mean and running_var are needed in evaluation; pass training = true");
  if (in[0].dim() < 2 && in[0].numel() == 0) return clone(in[0]);
  static const char* const names[] = {"input", "running_mean", "running_var", "weight", "bias"};
  check_channels(in, names);
  check_norm_dtypes(in);
  return batch_norm_by_statistics(in[0], in[1], in[2], in[3], in[4], op.eps);
}
}  // namespace

Tensor batch_norm_by_batch(const Inputs& in, const Value& momentum, double eps) {
  static const char* const names[] = {"input", "running_mean", "running_var", "weight", "bias"};
  check_channels(in, names);
  const Shape& s = in[0].shape();
  int64_t n = s[0];
  for (int i = 2; i < s.size(); ++i) n *= s[i];
  check_norm_dtypes(in);
  if (!in[1] != !in[2]) throw Error("running_mean and running_var must both be given, or neither");
  if (!(eps > 0)) throw Error("eps must be above 0 in training, not {}", eps);
  if (n == 1) throw Error("training wants more than one value per channel, but input has shape {}", to_string(s));
  if (in[0].numel() == 0) return channel_affine(in[0], Value(), in[3], in[4]);  // no statistics: the running ones stay
  Tensors parts = batch_norm_train(in[0], in[3], in[4], {eps});
  move_running(in[1], parts[1].detach(), momentum, 1);
  move_running(in[2], parts[2].detach(), momentum, double(n) / double(n - 1));
  return parts[0];
}
Tensor BatchNorm::decompose(const Inputs& in) const {
  return training ? batch_norm_by_batch(in, momentum, eps) : by_running(*this, in);
}

// A result like the input, and two with a number for each channel.
static Specs with_two_per_channel(const Value& x) {
  const Spec per_channel{Shape{x.shape()[1]}, wide(x.dtype())};
  return {like_input(x), per_channel, per_channel};
}
Specs BatchNormTrain::infer(const Inputs& in) const {
  static const char* const names[] = {"input", "weight", "bias"};
  check_channels(in, names);
  return with_two_per_channel(in[0]);
}
Tensors BatchNormTrain::vjp(const Call& c, const Tensors& dy) const {
  const Tensor& x = c.in[0];
  Tensors out(3);
  if (dy[0]) {
    Tensors g = batch_norm_backward(dy[0], x, c.in[1], c.out[1], c.out[2], {eps});
    for (int i = 0; i < 3; ++i)
      if (c.wants(i)) out[i] = g[i];
  }
  double n = double(x.numel()) / double(x.shape()[1]);
  if (dy[1] && c.wants(0)) out[0] = plus(out[0], expand_to(across(div(dy[1], n), x.dim()), x.shape()));
  if (dy[2] && c.wants(0)) {
    Tensor centred = sub(x, across(c.out[1], x.dim()));
    out[0] = plus(out[0], mul(centred, across(mul(dy[2], 2 / n), x.dim())));
  }
  return out;
}
Specs BatchNormBackward::infer(const Inputs& in) const { return with_two_per_channel(in[1]); }
Tensors BatchNormBackward::vjp(const Call& c, const Tensors& dy) const {
  const int n = c.in[1].dim();
  const Ints dims = batch_dims(n);
  Tensor s = rsqrt(add(c.in[4], eps));
  Tensors u{dy[0], across(dy[1], n), across(dy[2], n)};
  NormBackwardGrads g =
      norm_backward_grads(u, c.in[0], c.in[1], across(c.in[2], n), across(c.in[3], n), across(s, n), dims, dims);
  Tensors out{g.grad, g.x, shaped(g.weight, c.in[2]), shaped(g.mean, c.in[3]), Tensor()};
  if (g.s) out[4] = mul(shaped(g.s, c.in[4]), mul(mul(s, square(s)), -0.5));
  return out;
}

Spec ChannelAffine::infer(const Inputs& in) const {
  static const char* const names[] = {"input", "running_mean", "running_var or weight", "bias"};
  check_channels(in, names);
  return like_input(in[0]);
}
Tensors ChannelAffine::vjp(const Call& c, const Tensor& dy) const {
  const int n = dy.dim();
  const Ints dims = batch_dims(n);
  Tensors out(4);
  auto per_channel = [&](const Tensor& t) { return reshape(sum(t, {.dim = dims}), {.shape = {dy.shape()[1]}}); };
  if (c.wants(0)) out[0] = c.in[2] ? channel_affine(dy, Value(), c.in[2], Value()) : dy;
  if (c.wants(1)) out[1] = neg(times(per_channel(dy), c.in[2]));
  if (c.wants(2)) {
    Tensor x = c.in[0];
    out[2] = per_channel(mul(dy, c.in[1] ? sub(x, across(c.in[1], n)) : x));
  }
  if (c.wants(3)) out[3] = per_channel(dy);
  return out;
}

// ---- layer_norm ----------------------------------------------------------------------------------------------------

namespace {
/// The extents that stay, then 1 for each that is normalised.
Shape statistics_shape(const Shape& x, int64_t dims) {
  Shape s = x;
  for (int i = x.size() - int(dims); i < x.size(); ++i) s[i] = 1;
  return s;
}
Ints range_of_dims(int64_t from, int64_t to) {
  Ints dims;
  for (int64_t i = from; i < to; ++i) dims.push_back(i);
  return dims;
}
}  // namespace

void check_normalized(const Inputs& in, const Ints& normalized_shape) {
  const Shape& s = in[0].shape();
  const int k = normalized_shape.size(), lead = s.size() - k;
  if (k == 0) throw Error("normalized_shape must name at least one extent");
  if (lead < 0 || !(Shape(s.begin() + lead, s.end()) == normalized_shape))
    throw Error("input of shape {} does not end in normalized_shape {}", to_string(s), to_string(normalized_shape));
  check_floating(in[0]);
  for (size_t i = 1; i < in.size(); ++i)
    if (in[i] && !(in[i].shape() == normalized_shape))
      throw Error("{} has shape {}, but normalized_shape is {}", i == 1 ? "weight" : "bias", to_string(in[i].shape()),
                  to_string(normalized_shape));
}
Tensor LayerNorm::decompose(const Inputs& in) const {
  check_normalized(in, normalized_shape);
  check_norm_dtypes(in);
  return native_layer_norm(in[0], in[1], in[2], {normalized_shape.size(), eps})[0];
}
Specs NativeLayerNorm::infer(const Inputs& in) const {
  Shape s = statistics_shape(in[0].shape(), dims);
  return {Spec{in[0].shape(), in[0].dtype()}, Spec{s, wide(in[0].dtype())}, Spec{s, wide(in[0].dtype())}};
}
Tensors NativeLayerNorm::vjp(const Call& c, const Tensors& dy) const {
  const Tensor &x = c.in[0], &mean = c.out[1], &rstd = c.out[2];
  Tensors out(3);
  if (dy[0]) {
    Tensors g = layer_norm_backward(dy[0], x, c.in[1], centred ? Value(mean) : Value(), rstd,
                                    {dims, c.wants(1) || c.wants(2), centred});
    for (int i = 0; i < 3; ++i)
      if (c.wants(i)) out[i] = g[i];
  }
  double n = 1;
  for (int i = x.dim() - int(dims); i < x.dim(); ++i) n *= double(x.shape()[i]);
  if (dy[1] && c.wants(0) && centred) out[0] = plus(out[0], expand_to(div(dy[1], n), x.shape()));
  if (dy[2] && c.wants(0)) {
    Tensor slope = mul(dy[2], mul(mul(rstd, square(rstd)), -1 / n));
    out[0] = plus(out[0], mul(centred ? sub(x, mean) : x, slope));
  }
  return out;
}
Specs LayerNormBackward::infer(const Inputs& in) const {
  const Shape& s = in[1].shape();
  Shape w = affine ? Shape(s.begin() + (s.size() - dims), s.end()) : Shape{0};
  return {Spec{s, in[1].dtype()}, Spec{w, wide(in[1].dtype())}, Spec{w, wide(in[1].dtype())}};
}
Tensors LayerNormBackward::vjp(const Call& c, const Tensors& dy) const {
  const int n = c.in[1].dim();
  Tensors u = dy;
  if (!affine) u[1] = u[2] = Tensor();
  NormBackwardGrads g = norm_backward_grads(u, c.in[0], c.in[1], c.in[2], c.in[3], c.in[4], range_of_dims(n - dims, n),
                                            range_of_dims(0, n - dims), centred);
  return {g.grad, g.x, shaped(g.weight, c.in[2]), g.mean, g.s};
}

// ---- cases
// -----------------------------------------------------------------------------------------------------------

namespace {
Tensor positive_values(const Shape& s) { return sample_values(s, 0.2, 0.5); }
}  // namespace

Cases<BatchNorm> BatchNorm::samples() {
  return {{{.training = true},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 2}), Value(), Value(), sample_values({2}), sample_values({2})};
           }},
          {{.training = true, .eps = 0.1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 2, 3}), Value(), Value(), Value(), Value()};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{sample_values({2, 2, 2, 2}), sample_values({2}), positive_values({2}), sample_values({2}),
                           sample_values({2})};
           }}};
}
Cases<BatchNormMove> BatchNormMove::samples() { return {{{.factor = 1.5}, {{3}, {3}, {}}, 0, 1}}; }
Cases<BatchNormTrain> BatchNormTrain::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 2}), sample_values({2}), sample_values({2})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 2, 3}), Value(), Value()};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{sample_values({2, 3, 2, 2}), sample_values({3}), Value()};
           }}};
}
Cases<BatchNormBackward> BatchNormBackward::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 2}), sample_values({3, 2}), sample_values({2}), sample_values({2}),
                           positive_values({2})};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{sample_values({2, 2, 2}), sample_values({2, 2, 2}), Value(), sample_values({2}),
                           positive_values({2})};
           }}};
}
Cases<ChannelAffine> ChannelAffine::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 2, 3}), sample_values({2}), sample_values({2}), sample_values({2})};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{sample_values({3, 2}), Value(), sample_values({2}), Value()};
           }}};
}
Cases<LayerNorm> LayerNorm::samples() {
  return {{{.normalized_shape = {3}},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}), sample_values({3}), sample_values({3})};
           }},
          {{.normalized_shape = {2, 3}, .eps = 0.1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 2, 3}), Value(), Value()};
           }},
          {{.normalized_shape = {4}}, {}, 0, 0, [] {
             return Inputs{sample_values({4}), sample_values({4}), Value()};
           }}};
}
Cases<NativeLayerNorm> NativeLayerNorm::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}), sample_values({3}), sample_values({3})};
           }},
          {{.eps = 0.1, .centred = false},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}), sample_values({3}), Value()};
           }},
          {{.dims = 2}, {}, 0, 0, [] {
             return Inputs{sample_values({2, 2, 3}), Value(), Value()};
           }}};
}
Cases<LayerNormBackward> LayerNormBackward::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}), sample_values({2, 3}), sample_values({3}), sample_values({2, 1}),
                           positive_values({2, 1})};
           }},
          {{.centred = false},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({2, 3}), sample_values({2, 3}), sample_values({3}), Value(),
                           positive_values({2, 1})};
           }},
          {{.dims = 2, .affine = false}, {}, 0, 0, [] {
             return Inputs{sample_values({2, 2, 2}), sample_values({2, 2, 2}), Value(), sample_values({2, 1, 1}),
                           positive_values({2, 1, 1})};
           }}};
}

}  // namespace luth::ops
