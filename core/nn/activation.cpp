#include "core/nn/activation.h"

#include "core/ops/elementwise/activation.h"
#include "core/ops/nn/softmax.h"

namespace luth::nn {
namespace {

const DefineModule<ReLU> relu_;
const DefineModule<SiLU> silu_;
const DefineModule<GELU> gelu_;
const DefineModule<Tanh> tanh_;
const DefineModule<Sigmoid> sigmoid_;
const DefineModule<Softplus> softplus_;
const DefineModule<LeakyReLU> leaky_relu_;
const DefineModule<Softmax> softmax_;
const DefineModule<LogSoftmax> log_softmax_;

std::string dim_text(int64_t dim) { return "dim=" + std::to_string(dim < 0 ? dim : shown(dim)); }

}  // namespace

Tensor ReLU::run(const Tensor& x) { return spec.inplace ? relu.into(x) : relu(x); }
Tensor SiLU::run(const Tensor& x) { return spec.inplace ? silu.into(x) : silu(x); }
Tensor GELU::run(const Tensor& x) {
  ops::Gelu op;
  op.approximate = spec.approximate;
  return gelu(x, op);
}
Tensor Tanh::run(const Tensor& x) { return tanh(x); }
Tensor Sigmoid::run(const Tensor& x) { return sigmoid(x); }
Tensor Softplus::run(const Tensor& x) {
  ops::Softplus op;
  op.beta = spec.beta;
  op.threshold = spec.threshold;
  return softplus(x, op);
}
Tensor LeakyReLU::run(const Tensor& x) {
  ops::LeakyRelu op;
  op.negative_slope = spec.negative_slope;
  return spec.inplace ? leaky_relu.into(x, op) : leaky_relu(x, op);
}
Tensor Softmax::run(const Tensor& x) { return softmax(x, {.dim = spec.dim}); }
Tensor LogSoftmax::run(const Tensor& x) { return log_softmax(x, {.dim = spec.dim}); }

std::string Softplus::extra_repr() const {
  return fmt::format("beta={}, threshold={}", py(spec.beta), py(spec.threshold));
}
std::string LeakyReLU::extra_repr() const {
  return "negative_slope=" + py(spec.negative_slope) + (spec.inplace ? ", inplace=True" : "");
}
std::string Softmax::extra_repr() const { return dim_text(spec.dim); }
std::string LogSoftmax::extra_repr() const { return dim_text(spec.dim); }

}  // namespace luth::nn
