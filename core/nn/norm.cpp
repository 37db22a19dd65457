#include "core/nn/norm.h"

#include "core/autograd/autograd.h"
#include "core/nn/init.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/nn/norm.h"

namespace luth::nn {
namespace {
const DefineModule<BatchNorm1d, BatchNorm2d, LayerNorm> norms_;

// Parts in order of registration.
enum { weight_ = 0, bias_ = 1 };
enum { running_mean_ = 0, running_var_ = 1, batches_ = 2 };
}  // namespace

template <class S>
void BatchNorm<S>::build() {
  auto& s = this->spec;
  if (s.num_features < 1) throw Error("{} needs num_features of at least 1, got {}", S::name, s.num_features);
  this->register_parameter("weight", s.affine ? s.factory.parameter({s.num_features}) : Tensor());
  this->register_parameter("bias", s.affine ? s.factory.parameter({s.num_features}) : Tensor());
  bool keep = s.track_running_stats;
  Factory counter{s.factory.device, Dtype::i64};
  this->register_buffer("running_mean", keep ? s.factory.empty({s.num_features}) : Tensor());
  this->register_buffer("running_var", keep ? s.factory.empty({s.num_features}) : Tensor());
  this->register_buffer("num_batches_tracked", keep ? counter.empty({}) : Tensor());
  reset_parameters();
}

template <class S>
void BatchNorm<S>::reset_parameters() {
  auto set = [](const Tensor& t, double v) {
    if (t) init::constant(t, v);
  };
  set(this->parameter(weight_), 1);
  set(this->parameter(bias_), 0);
  set(this->buffer(running_mean_), 0);
  set(this->buffer(running_var_), 1);
  set(this->buffer(batches_), 0);
}

template <class S>
std::string BatchNorm<S>::extra_repr() const {
  auto& s = this->spec;
  return fmt::format("{}, eps={}, momentum={}, affine={}, bias={}, track_running_stats={}", s.num_features, py(s.eps),
                     s.momentum ? py(*s.momentum) : "None", py(s.affine), py(bool(this->parameter(bias_))),
                     py(s.track_running_stats));
}

template <class S>
Tensor BatchNorm<S>::run(const Tensor& x) {
  auto& s = this->spec;
  if (x.dim() != S::dims[0] && x.dim() != S::dims[1])
    throw Error("expects an input of {} dims, got shape {}",
                S::dims[0] == S::dims[1] ? std::to_string(S::dims[0]) : fmt::format("{} or {}", S::dims[0], S::dims[1]),
                to_string(x.shape()));
  if (x.shape(1) != s.num_features)
    throw Error("expects {} channels in dim {}, got shape {}", s.num_features, shown(1), to_string(x.shape()));
  Tensor share;  // the weight of this batch, where the running statistics are means over all batches
  if (this->training() && this->buffer(batches_)) {
    NoGrad no_grad;
    add.into(this->buffer(batches_), int64_t(1));
    if (!s.momentum) share = div(1, this->buffer(batches_));  // stays on its device, so that the host does not wait
  }
  // Without running statistics evaluation uses those of the batch, too.
  bool batch_statistics = this->training() || !this->buffer(running_mean_);
  // In evaluation the statistics are only read; in training without tracking there are none to move.
  if (share)
    return ops::batch_norm_by_batch(
        {x, this->buffer(running_mean_), this->buffer(running_var_), this->parameter(weight_), this->parameter(bias_)},
        share, s.eps);
  return batch_norm(x, this->buffer(running_mean_), this->buffer(running_var_), this->parameter(weight_),
                    this->parameter(bias_),
                    {.training = batch_statistics, .momentum = s.momentum.value_or(0), .eps = s.eps});
}

template class BatchNorm<BatchNorm1dSpec>;
template class BatchNorm<BatchNorm2dSpec>;

void LayerNorm::build() {
  if (spec.normalized_shape.empty()) throw Error("LayerNorm needs a normalized_shape with at least one dim");
  spec.bias = spec.bias && spec.elementwise_affine;
  register_parameter("weight", spec.elementwise_affine ? spec.factory.parameter(spec.normalized_shape) : Tensor());
  register_parameter("bias", spec.bias ? spec.factory.parameter(spec.normalized_shape) : Tensor());
  reset_parameters();
}

void LayerNorm::reset_parameters() {
  if (parameter(weight_)) init::constant(parameter(weight_), 1);
  if (parameter(bias_)) init::constant(parameter(bias_), 0);
}

Tensor LayerNorm::run(const Tensor& x) {
  return layer_norm(x, parameter(weight_), parameter(bias_),
                    {.normalized_shape = spec.normalized_shape, .eps = spec.eps});
}

}  // namespace luth::nn
