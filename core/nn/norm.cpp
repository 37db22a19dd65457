#include "core/nn/norm.h"

#include <cmath>

#include "core/autograd/autograd.h"
#include "core/base/warn.h"
#include "core/nn/init.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/nn/group_norm.h"
#include "core/ops/nn/norm.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {

// Parts in order of registration.
enum { weight_ = 0, bias_ = 1 };
enum { running_mean_ = 0, running_var_ = 1, batches_ = 2 };

void set(const Tensor& t, double v) {
  if (t) init::constant(t, v);
}
void check_normalized_shape(const std::string& module, const Ints& shape) {
  if (shape.empty()) throw Error("{} needs a normalized_shape with at least one dim", module);
  for (int64_t n : shape)
    if (n < 0) throw Error("{} needs extents of at least 0 in normalized_shape, got {}", module, to_string(shape));
}

}  // namespace

void check_eps(const std::string& module, double eps) {
  if (!(eps >= 0)) throw Error("{} needs eps of at least 0, got {}", module, eps);
}

// Kernels take float32 parameters for 16-bit inputs, and no other mixture.
static void check_dtype(const Tensor& x, const Tensor& parameter) {
  if (!parameter || x.dtype() == parameter.dtype() || !is_floating(x.dtype())) return;
  if (x.dtype() != Dtype::f64 && parameter.dtype() != Dtype::f64) return;
  throw Error("expects {}, the dtype of its parameters, got {}; convert one with :to()", name(parameter.dtype()),
              name(x.dtype()));
}

// ---- BatchNorm and InstanceNorm -----------------------------------------------------------------------------------

template <class S>
void ChannelNorm<S>::build() {
  auto& s = this->spec;
  need_at_least(this->type(), "num_features", s.num_features, 0);
  check_eps(this->type(), s.eps);
  if (s.momentum && !std::isfinite(*s.momentum))
    throw Error("{} needs a finite momentum, got {}", this->type(), *s.momentum);
  s.bias = s.bias && s.affine;
  auto per_channel = [&](bool wanted) { return wanted ? s.factory.empty({s.num_features}) : Tensor(); };
  auto parameter = [&](bool wanted) { return wanted ? as_parameter(per_channel(true)) : Tensor(); };
  this->register_parameter("weight", parameter(s.affine));
  this->register_parameter("bias", parameter(s.bias));
  const bool keep = s.track_running_stats;
  this->register_buffer("running_mean", per_channel(keep));
  this->register_buffer("running_var", per_channel(keep));
  this->register_buffer("num_batches_tracked", keep ? Factory{s.factory.device, Dtype::i64}.empty({}) : Tensor());
  ChannelNorm::reset_parameters();
}

template <class S>
void ChannelNorm<S>::reset_parameters() {
  set(this->parameter(weight_), 1);
  set(this->parameter(bias_), 0);
  set(this->buffer(running_mean_), 0);
  set(this->buffer(running_var_), 1);
  set(this->buffer(batches_), 0);
}

template <class S>
int64_t ChannelNorm<S>::size_in(const Tensor& x) const {
  const int rank = x.dim();
  const bool fits = S::ranks[1] == INT32_MAX ? rank >= S::ranks[0] : rank == S::ranks[0] || rank == S::ranks[1];
  if (!fits)
    throw Error("expects an input {}, got shape {}{}", S::layout, to_string(x.shape()),
                !S::by_sample && rank == S::ranks[1] - 1
                    ? fmt::format("; if the batch is missing, x:unsqueeze({}) makes a batch of one", shown(0))
                    : "");
  return x.shape(channel_dim(x));
}
template <class S>
int64_t ChannelNorm<S>::size_in(std::string_view name, const Tensor& saved) const {
  return (name == "weight" || name == "running_mean") && saved.dim() == 1 ? saved.shape(0) : -1;
}

// Where nothing is kept per channel, another number of them does no harm.
template <class S>
void ChannelNorm<S>::check_channels(const Tensor& x) const {
  const int64_t n = size_in(x);
  if (n == this->spec.num_features) return;
  const std::string what = fmt::format("expects num_features = {} in dim {}, got shape {}", this->spec.num_features,
                                       shown(channel_dim(x)), to_string(x.shape()));
  if (!S::by_sample || this->spec.affine || this->buffer(running_mean_)) throw Error("{}", what);
  warn(fmt::format("{} {}; num_features counts for nothing without affine", this->type(), what));
}

template <class S>
Tensor ChannelNorm<S>::by_batch(const Tensor& x) {
  auto& s = this->spec;
  Tensor share;  // the weight of this batch, where the running statistics are means over all batches
  if (this->training() && this->buffer(batches_)) {
    NoGrad no_grad;
    add.into(this->buffer(batches_), int64_t(1));
    // It stays on its device, so that the host does not wait.
    if (!s.momentum) share = div(1, cast_to(this->buffer(batches_), Dtype::f64));
  }
  if (this->training())
    if (Tensor y = by_processes(x, share ? Value(share) : Value(Scalar(s.momentum.value_or(0))))) return y;
  // Without running statistics evaluation uses those of the batch, too.
  const bool batch_statistics = this->training() || !this->buffer(running_mean_);
  const Tensor &weight = this->parameter(weight_), &bias = this->parameter(bias_);
  if (share)
    return ops::batch_norm_by_batch({x, this->buffer(running_mean_), this->buffer(running_var_), weight, bias}, share,
                                    s.eps);
  return batch_norm(x, this->buffer(running_mean_), this->buffer(running_var_), weight, bias,
                    {.training = batch_statistics, .momentum = s.momentum.value_or(0), .eps = s.eps});
}

template <class S>
Tensor ChannelNorm<S>::by_processes(const Tensor&, const Value&) {
  return {};
}

template <class S>
Tensor ChannelNorm<S>::by_sample(const Tensor& x) const {
  static constexpr Fn<ops::InstanceNorm> instance_norm;
  auto& s = this->spec;
  const bool own = this->training() || !s.track_running_stats, single = channel_dim(x) == 0;
  Tensor y = instance_norm(single ? unsqueeze(x, {.dim = 0}) : x, this->buffer(running_mean_),
                           this->buffer(running_var_), this->parameter(weight_), this->parameter(bias_),
                           {.use_input_stats = own, .momentum = s.momentum.value_or(0), .eps = s.eps});
  return single ? squeeze(y, {.dim = Ints{0}}) : y;
}

template <class S>
Tensor ChannelNorm<S>::run(const Tensor& x) {
  check_channels(x);
  check_dtype(x, this->parameter(weight_));
  if constexpr (S::by_sample)
    return by_sample(x);
  else
    return by_batch(x);
}

// ---- LayerNorm, RMSNorm, GroupNorm --------------------------------------------------------------------------------

template <class Self, class S>
void AffineNorm<Self, S>::reset_parameters() {
  for (auto& p : this->parts().parameters) set(p.value, p.name == "weight" ? 1 : 0);
}
template <class Self, class S>
void AffineNorm<Self, S>::register_affine(const Shape& shape, bool weight, bool bias) {
  this->register_parameter("weight", weight ? this->spec.factory.parameter(shape) : Tensor());
  this->register_parameter("bias", bias ? this->spec.factory.parameter(shape) : Tensor());
  reset_parameters();
}

void LayerNorm::build() {
  check_normalized_shape(type(), spec.normalized_shape);
  check_eps(type(), spec.eps);
  spec.bias = spec.bias && spec.elementwise_affine;
  register_affine(spec.normalized_shape, spec.elementwise_affine, spec.bias);
}
Tensor LayerNorm::run(const Tensor& x) {
  check_dtype(x, parameter(weight_));
  return layer_norm(x, parameter(weight_), parameter(bias_),
                    {.normalized_shape = spec.normalized_shape, .eps = spec.eps});
}

void RMSNorm::build() {
  check_normalized_shape(type(), spec.normalized_shape);
  if (spec.eps) check_eps(type(), *spec.eps);
  register_parameter("weight", spec.elementwise_affine ? spec.factory.parameter(spec.normalized_shape) : Tensor());
  reset_parameters();
}
Tensor RMSNorm::run(const Tensor& x) {
  check_dtype(x, parameter(weight_));
  return rms_norm(x, parameter(weight_), {.normalized_shape = spec.normalized_shape, .eps = spec.eps});
}

void GroupNorm::build() {
  need_at_least(type(), "num_groups", spec.num_groups, 1);
  need_at_least(type(), "num_channels", spec.num_channels, 0);
  if (spec.num_channels % spec.num_groups)
    throw Error("{} needs num_channels divisible by num_groups = {}, got {}", type(), spec.num_groups,
                spec.num_channels);
  check_eps(type(), spec.eps);
  spec.bias = spec.bias && spec.affine;
  register_affine({spec.num_channels}, spec.affine, spec.bias);
}
Tensor GroupNorm::run(const Tensor& x) {
  if (x.dim() < 2 || x.shape(1) != spec.num_channels)
    throw Error("expects num_channels = {} in dim {} of an input [N, C, …], got shape {}", spec.num_channels, shown(1),
                to_string(x.shape()));
  check_dtype(x, parameter(weight_));
  return group_norm(x, parameter(weight_), parameter(bias_), {.num_groups = spec.num_groups, .eps = spec.eps});
}

template class ChannelNorm<NormSpec<1, false>>;
template class ChannelNorm<NormSpec<2, false>>;
template class ChannelNorm<NormSpec<3, false>>;
template class ChannelNorm<SyncBatchNormSpec>;
template class ChannelNorm<NormSpec<1, true>>;
template class ChannelNorm<NormSpec<2, true>>;
template class ChannelNorm<NormSpec<3, true>>;

namespace {
const DefineModule<BatchNorm<1>, BatchNorm<2>, BatchNorm<3>, InstanceNorm<1>, InstanceNorm<2>, InstanceNorm<3>,
                   LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d, LazyInstanceNorm1d, LazyInstanceNorm2d,
                   LazyInstanceNorm3d, LayerNorm, RMSNorm, GroupNorm>
    norms_;
}  // namespace

}  // namespace luth::nn
