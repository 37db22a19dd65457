#include "core/ops/nn/softmax.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<Softmax, LogSoftmax, Softmin, SoftmaxBackward, LogSoftmaxBackward, LogSumExp> define_all_;

Tensor sum_along(const Tensor& t, int64_t dim) { return sum(t, {.dim = {dim}, .keepdim = true}); }

template <class Op>
Cases<Op> along_dims() {
  return {{{.dim = 1}, {{3, 5}}},
          {{.dim = 0}, {{4, 3}}},
          {{.dim = 1}, {{2, 3, 4}}},
          {{.dim = -1}, {{70}}},
          {{.dim = 0}, {{}}},
          {{.dim = 0}, {{0, 2}}},
          {{.dim = -1, .dtype = Dtype::f64}, {{2, 3}}, -50, 50}};
}
template <class Op>
Cases<Op> gradient_cases() {
  return {{{.dim = 1}, {{3, 4}, {3, 4}}}, {{.dim = 0}, {{3, 2, 2}, {3, 2, 2}}}};
}
}  // namespace

Spec softmax_spec(const Inputs& in, int64_t dim, const std::optional<Dtype>& dtype) {
  wrap_dim(dim, in[0].dim());
  Dtype d = dtype.value_or(in[0].dtype());
  if (!is_floating(d) && in[0].numel())
    throw Error("expects a floating dtype, got {}; give dtype, or convert with :float()", name(d));
  return {in[0].shape(), d};
}

Tensors Softmax::vjp(const Call& c, const Tensor& dy) const { return {softmax_backward(dy, c.out[0], {.dim = dim})}; }
Tensors LogSoftmax::vjp(const Call& c, const Tensor& dy) const {
  return {log_softmax_backward(dy, c.out[0], {.dim = dim})};
}
Tensor Softmin::decompose(const Inputs& in) const { return softmax(neg(in[0]), {.dim = dim, .dtype = dtype}); }

Tensor SoftmaxBackward::decompose(const Inputs& in) const {
  const Tensor &grad = in[0], &y = in[1];
  return mul(y, sub(grad, sum_along(mul(grad, y), dim)));
}
Tensors SoftmaxBackward::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &grad = c.in[0], &y = c.in[1];
  Tensors out(2);
  if (c.wants(0)) out[0] = softmax_backward(dy, y, *this);  // the Jacobian is symmetric
  if (c.wants(1)) out[1] = sub(mul(dy, sub(grad, sum_along(mul(grad, y), dim))), mul(grad, sum_along(mul(dy, y), dim)));
  return out;
}

Tensor LogSoftmaxBackward::decompose(const Inputs& in) const {
  const Tensor &grad = in[0], &y = in[1];
  return sub(grad, mul(exp(y), sum_along(grad, dim)));
}
Tensors LogSoftmaxBackward::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &grad = c.in[0], &y = c.in[1];
  Tensors out(2);
  Tensor weighted = mul(dy, exp(y));
  if (c.wants(0)) out[0] = sub(dy, sum_along(weighted, dim));
  if (c.wants(1)) out[1] = neg(mul(weighted, sum_along(grad, dim)));
  return out;
}

Spec LogSumExp::infer(const Inputs& in) const {
  const Shape& s = in[0].shape();
  uint32_t mask = dim_mask(dim, s.size());
  Shape out;
  for (int i = 0; i < s.size(); ++i)
    if (!(mask >> i & 1))
      out.push_back(s[i]);
    else if (keepdim)
      out.push_back(1);
  return {out, in[0].dtype()};
}
Tensors LogSumExp::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& x = c.in[0];
  Shape kept = x.shape();
  uint32_t mask = dim_mask(dim, x.dim());
  for (int i = 0; i < kept.size(); ++i)
    if (mask >> i & 1) kept[i] = 1;
  Tensor y = reshape(c.out[0], {.shape = kept});
  return {mul(exp(sub(x, y)), reshape(dy, {.shape = kept}))};
}

Cases<Softmax> Softmax::samples() { return along_dims<Softmax>(); }
Cases<LogSoftmax> LogSoftmax::samples() { return along_dims<LogSoftmax>(); }
Cases<Softmin> Softmin::samples() { return along_dims<Softmin>(); }
Cases<SoftmaxBackward> SoftmaxBackward::samples() { return gradient_cases<SoftmaxBackward>(); }
Cases<LogSoftmaxBackward> LogSoftmaxBackward::samples() { return gradient_cases<LogSoftmaxBackward>(); }
Cases<LogSumExp> LogSumExp::samples() {
  return {{{.dim = {1}}, {{3, 4}}},       {{.dim = {0}, .keepdim = true}, {{3, 4}}},
          {{.dim = {0, 2}}, {{2, 3, 2}}}, {{.dim = {-1, -2}, .keepdim = true}, {{2, 3, 40}}},
          {{.dim = {0}}, {{}}},           {{.dim = {1}}, {{2, 0}}}};
}

}  // namespace luth::ops
