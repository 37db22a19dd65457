#include "core/ops/elementwise/rectifier.h"

#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/random/random.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<Rectifiers> define_all_;
const DefineAll<BackwardsOf<Rectifiers>> define_backwards_;
const DefineAll<Prelu, PreluSame, Rrelu> define_;
}  // namespace

Tensor product(const Value& a, const Value& b, const Value& c) { return mul(mul(a, b), c); }

Tensor bent_exponential(const Value& x, double factor, double rate) {
  return where(lt(x, 0), mul(exp(mul(x, rate)), factor), 0);
}
Spec Celu::infer(const Inputs& in) const {
  if (alpha == 0) throw Error("alpha must not be 0");
  return elementwise_spec(in);
}

Spec rectified_spec(const Inputs& in) {
  if (in[0].dtype() == Dtype::boolean) throw Error("not implemented for bool");
  return elementwise_spec(in);
}
Spec Hardtanh::infer(const Inputs& in) const {
  if (min_val > max_val) throw Error("min_val ({}) is greater than max_val ({})", min_val, max_val);
  return rectified_spec(in);
}
Spec Threshold::infer(const Inputs& in) const {
  Spec s = rectified_spec(in);
  if (!is_integral(s.dtype)) return s;
  check_holds(s.dtype, threshold);
  check_holds(s.dtype, value);
  return s;
}
Cases<Hardtanh> Hardtanh::samples() {
  Hardtanh wide;
  wide.min_val = -2.5, wide.max_val = 3;
  return {{{}, {{3, 4}}, -0.8, 0.8}, {{}, {{3}}, 1.2, 2}, {wide, {{3, 4}}, -2.2, 2.8}, {{}, {{}}, -2, -1.2}};
}
Tensor Hardswish::bend(const Value& x) const {
  return mul(cast_to(logical_and(gt(x, -3), lt(x, 3)), x.dtype()), 1.0 / 3);
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
Tensors PreluSame::vjp(const Call& c, const Tensor& dy) const {
  const Value &x = c.in[0], &w = c.in[1];
  Tensor above = gt(x, 0);
  return {c.wants(0) ? where(above, dy, mul(dy, w)) : Tensor(), c.wants(1) ? where(above, 0, mul(dy, x)) : Tensor()};
}

Tensor Rrelu::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (!is_floating(x.dtype())) throw Error("not implemented for {}", name(x.dtype()));
  if (low > high) throw Error("lower ({}) is greater than upper ({})", low, high);
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

}  // namespace luth::ops
