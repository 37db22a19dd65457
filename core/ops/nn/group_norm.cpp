#include "core/ops/nn/group_norm.h"

#include <limits>
#include "core/ops/common/sample_tensors.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/nn/norm.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/repeat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<GroupNorm, NativeGroupNorm, GroupNormBackward, RmsNorm, InstanceNorm> define_all_;

void check_per_channel(const Value& t, const char* what, int64_t channels) {
  if (t && !(t.shape() == Shape{channels}))
    throw Error("{} has shape {}, but input has {} channels", what, to_string(t.shape()), channels);
}
}  // namespace

Tensor GroupNorm::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const Shape& s = x.shape();
  if (s.size() < 2) throw Error("input must have at least 2 dims (N x C x …), but has shape {}", to_string(s));
  check_floating(x);
  if (num_groups < 1 || s[1] % num_groups)
    throw Error("num_groups must divide the {} channels of input, but is {}", s[1], num_groups);
  check_per_channel(in[1], "weight", s[1]);
  check_per_channel(in[2], "bias", s[1]);
  check_norm_dtypes(in);
  int64_t inner = s[1] / num_groups;
  for (int i = 2; i < s.size(); ++i) inner *= s[i];
  if (s[0] * inner == 1)
    throw Error("wants more than one value per group, but input has shape {} in {} groups", to_string(s), num_groups);
  return native_group_norm(x, in[1], in[2], {num_groups, eps})[0];
}
Specs NativeGroupNorm::infer(const Inputs& in) const {
  Shape groups{in[0].shape()[0], num_groups};
  const Dtype wide = in[0].dtype() == Dtype::f64 ? Dtype::f64 : Dtype::f32;
  return {Spec{in[0].shape(), in[0].dtype()}, Spec{groups, wide}, Spec{groups, wide}};
}

namespace {
Tensor as_shape(const Tensor& t, const Shape& s) { return t ? reshape(t, {.shape = s}) : t; }
}  // namespace

Tensors NativeGroupNorm::vjp(const Call& c, const Tensors& dy) const {
  const Tensor& x = c.in[0];
  Tensors out(3);
  if (x.numel() == 0) {  // the statistics are nan
    for (int i = 0; i < 3; ++i)
      if (c.wants(i)) out[i] = zeros(c.in[i].shape(), c.in[i].dtype(), x.device());
    return out;
  }
  if (dy[0]) {
    Tensors g = group_norm_backward(dy[0], x, c.in[1], c.out[1], c.out[2], {num_groups, c.wants(1) || c.wants(2)});
    if (c.wants(0)) out[0] = g[0];
    for (int i = 1; i < 3; ++i)
      if (c.wants(i)) out[i] = sum(g[i], {.dim = {0}});
  }
  if (!c.wants(0) || !(dy[1] || dy[2])) return out;
  const int64_t n = x.shape()[0], size = x.numel() / (n * num_groups);
  const Shape in_rows{n, num_groups, size}, in_groups{n, num_groups, 1};
  const Tensor mean = as_shape(c.out[1], in_groups), rstd = as_shape(c.out[2], in_groups);
  Tensor dx = as_shape(out[0], in_rows);
  if (dy[1]) dx = plus(dx, expand_to(as_shape(div(dy[1], double(size)), in_groups), in_rows));
  if (dy[2]) {
    Tensor slope = mul(as_shape(dy[2], in_groups), mul(mul(rstd, square(rstd)), -1 / double(size)));
    dx = plus(dx, mul(sub(as_shape(x, in_rows), mean), slope));
  }
  out[0] = as_shape(dx, x.shape());
  return out;
}

Specs GroupNormBackward::infer(const Inputs& in) const {
  const Shape& s = in[1].shape();
  if (s[1] % num_groups || !(in[4].shape() == Shape{s[0], num_groups}))
    throw Error("statistics of shape {} are not those of {} groups of {}", to_string(in[4].shape()), num_groups,
                to_string(s));
  const Spec sums{affine ? Shape{s[0], s[1]} : Shape{0}, in[1].dtype() == Dtype::f64 ? Dtype::f64 : Dtype::f32};
  return {Spec{s, in[1].dtype()}, sums, sums};
}
Tensors GroupNormBackward::vjp(const Call& c, const Tensors& dy) const {
  const Shape& s = c.in[1].shape();
  const int64_t each = s[1] / num_groups, inner = c.in[1].numel() / (s[0] * s[1]);
  const Shape all{s[0], num_groups, each, inner}, sums{s[0], num_groups, each, 1}, groups{s[0], num_groups, 1, 1};
  const Tensors u{as_shape(dy[0], all), affine ? as_shape(dy[1], sums) : Tensor(),
                  affine ? as_shape(dy[2], sums) : Tensor()};
  NormBackwardGrads g = norm_backward_grads(u, as_shape(c.in[0], all), as_shape(c.in[1], all),
                                            as_shape(c.in[2], {1, num_groups, each, 1}), as_shape(c.in[3], groups),
                                            as_shape(c.in[4], groups), {2, 3}, {0, 3});
  return {as_shape(g.grad, s), as_shape(g.x, s), as_shape(g.weight, {s[1]}), as_shape(g.mean, c.in[3].shape()),
          as_shape(g.s, c.in[4].shape())};
}

Tensor RmsNorm::decompose(const Inputs& in) const {
  check_normalized(in, normalized_shape);
  const double least = in[0].dtype() == Dtype::f64 ? std::numeric_limits<double>::epsilon()
                                                   : double(std::numeric_limits<float>::epsilon());
  return native_layer_norm(in[0], in[1], Value(), {normalized_shape.size(), eps.value_or(least), false})[0];
}

namespace {
/// Moves running statistics by the mean over samples of each sample's own statistics.
void move_running(const Value& running, const Tensor& now, int64_t samples, double momentum, double factor) {
  static constexpr Fn<BatchNormMove> move;
  if (!running) return;
  NoGrad no_grad;
  const int64_t channels = samples ? now.numel() / samples : 0;
  const Tensor over_samples = mean(reshape(now, {.shape = {samples, channels}}), {.dim = {0}});
  move.into(running, over_samples, momentum, {.factor = factor});
}
}  // namespace

Tensor InstanceNorm::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const Shape& s = x.shape();
  int64_t inner = 1;
  for (int i = 2; i < s.size(); ++i) inner *= s[i];
  if (use_input_stats && inner == 1)
    throw Error("wants more than one element per channel of each sample, but input has shape {}", to_string(s));
  if (s.size() < 2) throw Error("input must have at least 2 dims (N x C x …), but has shape {}", to_string(s));
  check_floating(x);
  static const char* const names[] = {"input", "running_mean", "running_var", "weight", "bias"};
  for (size_t i = 1; i < in.size(); ++i) check_per_channel(in[i], names[i], s[1]);
  check_norm_dtypes(in);
  if (!use_input_stats) { return Fn<BatchNorm>()(x, in[1], in[2], in[3], in[4], {.eps = eps}); }
  if (x.numel() == 0) return channel_affine(x, Value(), in[3], in[4]);  // no statistics: the running ones stay
  if (!in[1] && !in[2]) return native_group_norm(x, in[3], in[4], {s[1], eps})[0];
  // The running statistics want the variances: each channel of each sample is a channel of one batch.
  auto each = [&](const Value& t) { return t ? Value(repeat(t, {{s[0]}})) : Value(); };
  Tensor rows = reshape(x, {.shape = {1, s[0] * s[1], inner}});
  Tensors parts = batch_norm_train(rows, each(in[3]), each(in[4]), {eps});
  move_running(in[1], parts[1].detach(), s[0], momentum, 1);
  move_running(in[2], parts[2].detach(), s[0], momentum, double(inner) / double(inner - 1));
  return reshape(parts[0], {.shape = s});
}

// ---- cases ---------------------------------------------------------------------------------------------------------

static Inputs affine_sample() { return {sample_values({2, 4, 3}), sample_values({4}), sample_values({4})}; }
Cases<GroupNorm> GroupNorm::samples() {
  auto plain = [] { return Inputs{sample_values({2, 6, 2, 2}), Value(), Value()}; };
  auto flat = [] { return Inputs{sample_values({3, 4}), sample_values({4}), Value()}; };
  return {{{.num_groups = 2}, {}, 0, 0, affine_sample},
          {{.num_groups = 3, .eps = 0.1}, {}, 0, 0, plain},
          {{.num_groups = 1}, {}, 0, 0, flat}};
}
Cases<NativeGroupNorm> NativeGroupNorm::samples() {
  auto plain = [] { return Inputs{sample_values({2, 6, 2}), Value(), Value()}; };
  return {{{.num_groups = 2}, {}, 0, 0, affine_sample}, {{.num_groups = 3, .eps = 0.1}, {}, 0, 0, plain}};
}
Cases<GroupNormBackward> GroupNormBackward::samples() {
  auto affine = [] {
    return Inputs{sample_values({2, 4, 3}), sample_values({2, 4, 3}), sample_values({4}), sample_values({2, 2}),
                  sample_values({2, 2}, 0.2, 0.5)};
  };
  auto plain = [] {
    return Inputs{sample_values({2, 3, 2}), sample_values({2, 3, 2}), Value(), sample_values({2, 3}),
                  sample_values({2, 3}, 0.2, 0.5)};
  };
  return {{{.num_groups = 2}, {}, 0, 0, affine}, {{.num_groups = 3, .affine = false}, {}, 0, 0, plain}};
}
Cases<RmsNorm> RmsNorm::samples() {
  auto weighted = [] { return Inputs{sample_values({2, 3}), sample_values({3})}; };
  auto plain = [] { return Inputs{sample_values({2, 2, 3}), Value()}; };
  return {{{.normalized_shape = {3}}, {}, 0, 0, weighted}, {{.normalized_shape = {2, 3}, .eps = 0.1}, {}, 0, 0, plain}};
}
Cases<InstanceNorm> InstanceNorm::samples() {
  auto plain = [] { return Inputs{sample_values({2, 2, 3}), Value(), Value(), Value(), Value()}; };
  auto affine = [] {
    return Inputs{sample_values({2, 3, 2, 2}), Value(), Value(), sample_values({3}), sample_values({3})};
  };
  auto running = [] {
    return Inputs{sample_values({2, 2, 3}), sample_values({2}), sample_values({2}, 0.2, 0.5), sample_values({2}),
                  sample_values({2})};
  };
  return {{{}, {}, 0, 0, plain}, {{.eps = 0.1}, {}, 0, 0, affine}, {{.use_input_stats = false}, {}, 0, 0, running}};
}

}  // namespace luth::ops
