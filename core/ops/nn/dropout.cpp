#include "core/ops/nn/dropout.h"

#include <cmath>

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/random/random.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<Dropout1d, Dropout2d, Dropout3d, AlphaDropout, FeatureAlphaDropout, GumbelSoftmax> define_all_;

/// The first `dims` extents of s, and 1 for the others: the shape of one number per channel.
Shape leading(const Shape& s, int dims) {
  Shape out(size_t(s.size()), 1);
  for (int i = 0; i < dims; ++i) out[i] = s[i];
  return out;
}
/// `dims`: how many of the first dims name a channel.
Tensor drop_channels(const auto& op, const Tensor& x, int dims) {
  op.check();
  check_floating(x);
  if (!op.training || op.p == 0) return x;
  return mul(x, dropout(full(leading(x.shape(), dims), 1, x.dtype(), x.device()), {op.p, true}));
}
Tensor by_rank(const auto& op, const Tensor& x, int rank) {
  if (x.dim() != rank && x.dim() != rank - 1)
    throw Error("input must have {} dims, or {} for one sample, but has shape {}", rank, rank - 1,
                to_string(x.shape()));
  return drop_channels(op, x, x.dim() == rank ? 2 : 1);
}
Tensor alpha(const auto& op, const Tensor& x, const Shape& shape) {
  op.check();
  check_floating(x);
  if (!op.training || op.p == 0) return x;
  if (op.p == 1) return mul(x, 0);
  const double limit = 1.7580993408473766;  // selu's, negated
  const double scale = 1 / std::sqrt((limit * limit * op.p + 1) * (1 - op.p));
  Tensor kept = mul(dropout(full(shape, 1, x.dtype(), x.device()), {op.p, true}), 1 - op.p);  // 1 or 0
  Tensor shift = add(mul(sub(kept, 1), limit * scale), limit * scale * op.p);
  return add(mul(x, mul(kept, scale)), shift);
}
}  // namespace

Tensor Dropout1d::decompose(const Inputs& in) const { return by_rank(*this, in[0], 3); }
// Three dims are N x C x L here, as PyTorch has it.
Tensor Dropout2d::decompose(const Inputs& in) const {
  if (in[0].dim() != 3 && in[0].dim() != 4)
    throw Error("input must have 4 dims (N x C x H x W) or 3, but has shape {}", to_string(in[0].shape()));
  return drop_channels(*this, in[0], 2);
}
Tensor Dropout3d::decompose(const Inputs& in) const { return by_rank(*this, in[0], 5); }
Tensor AlphaDropout::decompose(const Inputs& in) const { return alpha(*this, in[0], in[0].shape()); }
Tensor FeatureAlphaDropout::decompose(const Inputs& in) const {
  if (in[0].dim() < 2) throw Error("input must have at least 2 dims, but has shape {}", to_string(in[0].shape()));
  return alpha(*this, in[0], leading(in[0].shape(), 2));
}

Tensor GumbelSoftmax::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  check_floating(x, "logits");
  Tensor noise;
  {
    NoGrad no_grad;
    Tensor waits = exponential.into(Tensor::empty(x.shape(), Dtype::f64, x.device()));
    noise = cast_to(neg(log(waits)), x.dtype());
  }
  Tensor soft = softmax(div(add(x, noise), tau), {.dim = dim});
  if (!hard) return soft;
  Tensor one_hot;
  {
    NoGrad no_grad;
    const Tensor zero = full(x.shape(), 0, x.dtype(), x.device());
    const Tensor largest = argmax(soft, {.dim = dim, .keepdim = true});  // the first of equal ones
    one_hot = scatter_value(zero, largest, 1, {.dim = dim});
  }
  return add(one_hot, sub(soft, soft.detach()));
}

// ---- cases ---------------------------------------------------------------------------------------------------------

Cases<Dropout1d> Dropout1d::samples() { return {{{}, {{2, 3, 4}}}, {{.p = 0.2}, {{4, 3}}}}; }
Cases<Dropout2d> Dropout2d::samples() { return {{{}, {{2, 3, 2, 2}}}, {{.p = 0.2, .training = false}, {{2, 3, 2}}}}; }
Cases<Dropout3d> Dropout3d::samples() { return {{{}, {{2, 3, 1, 2, 2}}}}; }
Cases<AlphaDropout> AlphaDropout::samples() {
  return {{{.p = 0.5, .training = true}, {{3, 4}}}, {{.p = 1, .training = true}, {{3}}}, {{}, {{3}}}};
}
Cases<FeatureAlphaDropout> FeatureAlphaDropout::samples() {
  return {{{.p = 0.5, .training = true}, {{3, 4, 2}}}, {{}, {{3, 4, 2}}}};
}
// `hard` has the gradient of the soft samples, which is not that of its values: tests/lang/random.lua compares it.
Cases<GumbelSoftmax> GumbelSoftmax::samples() { return {{{}, {{3, 4}}}, {{.tau = 0.5, .dim = 0}, {{3, 2}}}}; }

}  // namespace luth::ops
