#include "core/nn/linear.h"

#include <cmath>

#include "core/autograd.h"
#include "core/nn/init.h"
#include "core/ops/linear.h"
#include "core/ops/view.h"

namespace luth::nn {
namespace {
const DefineModule<Linear> linear_;
const DefineModule<LazyLinear> lazy_linear_;
const DefineModule<Identity> identity_;
const DefineModule<Flatten> flatten_;
const DefineModule<Embedding> embedding_;
const DefineModule<Dropout> dropout_;

void need_size(const char* module, const char* name, int64_t v, int64_t least) {
  if (v < least) throw Error("{} needs {} of at least {}, got {}", module, name, least, v);
}
}  // namespace

Tensor Factory::empty(const Shape& shape) const {
  return Tensor::empty(shape, dtype.value_or(default_dtype()), device ? *device : default_device());
}

// ---- Linear ----------------------------------------------------------------------------------------------------------

void Linear::build() {
  need_size("Linear", "in_features", spec.in_features, 0);
  need_size("Linear", "out_features", spec.out_features, 0);
  register_parameter("weight", spec.factory.parameter({spec.out_features, spec.in_features}));
  register_parameter("bias", spec.bias ? spec.factory.parameter({spec.out_features}) : Tensor());
  reset_parameters();
}

// PyTorch writes it as kaiming_uniform with a = √5.
void Linear::reset_parameters() {
  if (!spec.in_features) return;
  double bound = 1 / std::sqrt(double(spec.in_features));
  init::uniform(parameter(0), -bound, bound);
  if (parameter(1)) init::uniform(parameter(1), -bound, bound);
}

std::string Linear::extra_repr() const {
  return fmt::format("in_features={}, out_features={}, bias={}", spec.in_features, spec.out_features, py(spec.bias));
}

Tensor Linear::run(const Tensor& x) { return linear(x, parameter(0), parameter(1)); }

void LazyLinear::describe(Fields& f) {
  if (!lazy()) return spec.describe(f);
  Spec s{spec.out_features, spec.bias, spec.factory};
  s.describe(f);
  spec = {0, s.out_features, s.bias, s.factory};
}

void LazyLinear::build() {
  need_size("LazyLinear", "out_features", spec.out_features, 0);
  register_parameter("weight", spec.factory.parameter({0}));
  register_parameter("bias", spec.bias ? spec.factory.parameter({0}) : Tensor());
}

// The handles stay, so that optimizers and whoever else has them see the shapes that come.
void LazyLinear::materialize(int64_t in_features) {
  spec.in_features = in_features;
  const Tensor& weight = parameter(0);
  replace_data(weight, Tensor::empty({spec.out_features, in_features}, weight.dtype(), weight.device()));
  if (parameter(1)) replace_data(parameter(1), Tensor::empty({spec.out_features}, weight.dtype(), weight.device()));
  reset_parameters();
}

void LazyLinear::materialize_like(const StateDict& own) {
  for (auto& e : own)
    if (e.name == "weight" && e.value.dim() == 2 && e.value.shape(0) == spec.out_features) materialize(e.value.shape(1));
}

Values LazyLinear::forward(const Values& in) {
  if (lazy() && in.size() == 1 && in[0].is_tensor()) {
    if (in[0].dim() < 1) throw Error("LazyLinear needs an input with at least one dim");
    materialize(in[0].tensor().shape(-1));
  }
  return Linear::forward(in);
}

// ---- Flatten, Dropout ------------------------------------------------------------------------------------------------

std::string Flatten::extra_repr() const {
  auto dim = [](int64_t d) { return d < 0 ? d : shown(d); };
  return fmt::format("start_dim={}, end_dim={}", dim(spec.start_dim), dim(spec.end_dim));
}
Tensor Flatten::run(const Tensor& x) { return flatten(x, {.start_dim = spec.start_dim, .end_dim = spec.end_dim}); }

void Dropout::build() {
  if (!(spec.p >= 0 && spec.p <= 1)) throw Error("Dropout needs p between 0 and 1, got {}", spec.p);
}
std::string Dropout::extra_repr() const { return fmt::format("p={}, inplace={}", py(spec.p), py(spec.inplace)); }
Tensor Dropout::run(const Tensor& x) {
  if (!training() || spec.p == 0) return x;
  return spec.inplace ? dropout.into(x, {.p = spec.p, .training = true}) : dropout(x, {.p = spec.p, .training = true});
}

// ---- Embedding -------------------------------------------------------------------------------------------------------

void Embedding::build() {
  need_size("Embedding", "num_embeddings", spec.num_embeddings, 0);
  need_size("Embedding", "embedding_dim", spec.embedding_dim, 0);
  if (spec.padding_idx) {
    int64_t n = spec.num_embeddings, i = *spec.padding_idx;
    if (i < -n || i >= n) throw Error("padding_idx {} is outside of the {} rows", i < 0 ? i : shown(i), n);
    if (i < 0) spec.padding_idx = i + n;
  }
  register_parameter("weight", spec.factory.parameter({spec.num_embeddings, spec.embedding_dim}));
  reset_parameters();
}

void Embedding::reset_parameters() {
  init::normal(parameter(0));
  if (!spec.padding_idx) return;
  NoGrad no_grad;
  init::constant(select(parameter(0), {.dim = 0, .index = *spec.padding_idx}), 0);
}

std::string Embedding::extra_repr() const {
  std::string s = fmt::format("{}, {}", spec.num_embeddings, spec.embedding_dim);
  if (spec.padding_idx) s += fmt::format(", padding_idx={}", shown(*spec.padding_idx));
  if (spec.max_norm) s += ", max_norm=" + py(*spec.max_norm);
  if (spec.norm_type != 2) s += ", norm_type=" + py(spec.norm_type);
  if (spec.scale_grad_by_freq) s += ", scale_grad_by_freq=True";
  return s;
}

Tensor Embedding::run(const Tensor& indices) {
  return embedding(indices, parameter(0),
                   {.padding_idx = spec.padding_idx,
                    .max_norm = spec.max_norm,
                    .norm_type = spec.norm_type,
                    .scale_grad_by_freq = spec.scale_grad_by_freq,
                    .base = spec.base});
}

}  // namespace luth::nn
