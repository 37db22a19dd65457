#include "core/ops/nn/activation.h"

#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/rectifier.h"
#include "core/ops/elementwise/smooth_activation.h"
#include "core/ops/random/random.h"
#include "core/ops/shape/split.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<Prelu, Rrelu, Glu> define_all_;
}

Tensor Prelu::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &w = in[1];
  if (w.dim() > 1) throw Error("weight must be one number or a list, got {}", describe(w));
  if (w.dtype() != x.dtype()) throw Error("input is {}, and weight {}", name(x.dtype()), name(w.dtype()));
  if (w.numel() == 1) return prelu_same(x, reshape(w, {.shape = {}}));
  const int64_t channels = x.dim() > 1 ? x.shape()[1] : 1;
  if (w.numel() != channels) throw Error("{} weights for {} channels of {}", w.numel(), channels, describe(x));
  Ints shape(size_t(x.dim()), 1);
  shape[1] = channels;
  return prelu_same(x, reshape(w, {.shape = shape}));
}
void Rrelu::check() const {
  if (low > high) throw Error("lower ({}) is greater than upper ({})", low, high);
}
Tensor Rrelu::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (!is_floating(x.dtype())) throw Error("not implemented for {}", name(x.dtype()));
  check();
  if (!training) {
    LeakyRelu mean;
    mean.negative_slope = (low + high) / 2;
    return leaky_relu(x, mean);
  }
  Tensor slopes = Tensor::empty(x.shape(), x.dtype(), x.device());
  UniformFill between;
  between.from = low, between.to = high;
  uniform.into(slopes, between);
  return prelu_same(x, slopes);
}

Tensor Glu::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (x.dim() == 0) throw Error("a 0-dimensional tensor has no halves");
  if (!is_floating(x.dtype())) throw Error("not implemented for {}", name(x.dtype()));
  const int64_t d = wrap_dim(dim, x.dim()), n = x.shape()[int(d)];
  if (n % 2) throw Error("dim {} of {} cannot be halved: its extent is odd", shown(d), luth::describe(x));
  const double half = double(n / 2);
  const Tensors halves = split_sizes(x, {{half, half}, d});  // one node, whose gradient is written once
  return gated(halves[0], halves[1]);
}

}  // namespace luth::ops
