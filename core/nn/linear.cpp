#include "core/nn/linear.h"

#include <cmath>

#include "core/nn/init.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/linalg/product.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {
const DefineModule<Linear, LazyLinear, Bilinear, Identity, Flatten, Unflatten> linear_;
}  // namespace

void need_at_least(const std::string& module, const char* name, int64_t v, int64_t least) {
  if (v < least) throw Error("{} needs {} of at least {}, got {}", module, name, least, v);
}

Tensor Factory::empty(const Shape& shape) const {
  return Tensor::empty(shape, dtype.value_or(default_dtype()), device ? *device : default_device());
}

// ---- Linear -------------------------------------------------------------------------------------------------------

void Linear::build() {
  need_at_least(type(), "in_features", spec.in_features, 0);
  need_at_least(type(), "out_features", spec.out_features, 0);
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

Tensor Linear::run(const Tensor& x) { return linear(x, parameter(0), parameter(1)); }

int64_t Linear::size_in(const Tensor& x) const {
  if (x.dim() < 1) throw Error("expects an input with at least one dim, got a tensor of one number");
  return x.shape(-1);
}
int64_t Linear::size_in(std::string_view name, const Tensor& saved) const {
  return name == "weight" && saved.dim() == 2 ? saved.shape(1) : -1;
}

// ---- Bilinear -----------------------------------------------------------------------------------------------------

void Bilinear::build() {
  need_at_least("Bilinear", "in1_features", spec.in1_features, 1);
  need_at_least("Bilinear", "in2_features", spec.in2_features, 0);
  need_at_least("Bilinear", "out_features", spec.out_features, 0);
  register_parameter("weight", spec.factory.parameter({spec.out_features, spec.in1_features, spec.in2_features}));
  register_parameter("bias", spec.bias ? spec.factory.parameter({spec.out_features}) : Tensor());
  reset_parameters();
}

void Bilinear::reset_parameters() {
  const double bound = 1 / std::sqrt(double(spec.in1_features));
  init::uniform(parameter(0), -bound, bound);
  if (parameter(1)) init::uniform(parameter(1), -bound, bound);
}

Tensor Bilinear::run(const Tensor& x1, const Tensor& x2) {
  return Fn<ops::Bilinear>()(x1, x2, parameter(0), parameter(1));
}

// ---- Flatten and Unflatten ----------------------------------------------------------------------------------------

Tensor Flatten::run(const Tensor& x) { return flatten(x, {.start_dim = spec.start_dim, .end_dim = spec.end_dim}); }
Tensor Unflatten::run(const Tensor& x) {
  return Fn<ops::Unflatten>()(x, {.dim = spec.dim, .sizes = spec.unflattened_size});
}

}  // namespace luth::nn
