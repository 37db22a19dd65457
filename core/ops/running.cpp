#include "core/ops/running.h"

#include "core/autocast.h"
#include "core/autograd.h"
#include "core/ops/arith.h"
#include "core/ops/copy.h"
#include "core/ops/index.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"

namespace luth::ops {
namespace {
const DefineAll<Cummax, Cummin, LogCumsumExp> define_all_;
const AutocastAs<Autocast::f32, LogCumsumExp> autocast_f32_;
}  // namespace

Specs CumExtremum::infer(const Inputs& in) const {
  wrap_dim(dim, in[0].dim());
  return {Spec{in[0].shape(), in[0].dtype()}, Spec{in[0].shape(), Dtype::i64}};
}
Tensors CumExtremum::vjp(const Call& c, const Tensors& dy) const {
  if (!dy[0]) return {};
  ScatterAdd op;
  op.dim = dim;
  op.base = base;
  return {scatter_add.into(zeros_of(c.in[0]), c.out[1], dy[0], op)};
}

Spec LogCumsumExp::infer(const Inputs& in) const {
  wrap_dim(dim, in[0].dim());
  if (!is_floating(in[0].dtype()))
    throw Error("needs a floating point tensor, not {}; convert it first, e.g. with :float()", name(in[0].dtype()));
  return {in[0].shape(), in[0].dtype()};
}
// dx[j] = sum of dy[i] exp(x[j] - y[i]) over the i whose sums x[j] is part of. In logarithms, so that nothing
// overflows; what has no logarithm because it is not positive is the difference of two numbers that are: dy + c and c.
Tensors LogCumsumExp::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &x = c.in[0], &y = c.out[0];
  if (x.dim() == 0) return {dy};
  Tensor shift;
  {
    NoGrad no_grad;
    if (x.shape(dim) == 0) return {dy};
    ops::Amax along;
    along.dim = Ints{dim}, along.keepdim = true;
    shift = mul(amax(abs(dy), along), 2);
    shift = where(eq(shift, 0), 1, shift);
  }
  auto spread = [&](const Tensor& g) { return exp(add(logcumsumexp(sub(log(g), y), {dim, !backwards}), x)); };
  return {sub(spread(add(dy, shift)), spread(shift))};
}

template <class Op>
static Cases<Op> cum_samples(int base) {
  auto at = [&](int64_t dim) {
    Op op;
    op.dim = dim;
    op.base = base;
    return op;
  };
  return {{at(1), {{2, 4}}}, {at(0), {{3, 2, 2}}}, {at(-1), {{5}}}, {at(0), {{}}}, {at(1), {{2, 0}}}};
}
Cases<Cummax> Cummax::samples() { return cum_samples<Cummax>(0); }
Cases<Cummin> Cummin::samples() { return cum_samples<Cummin>(1); }
Cases<LogCumsumExp> LogCumsumExp::samples() {
  return {{{.dim = 1}, {{2, 4}}},
          {{.dim = 0}, {{3, 2, 2}}},
          {{.dim = -1, .backwards = true}, {{3}}},
          {{.dim = 0}, {{}}},
          {{.dim = 1}, {{2, 0}}}};
}

}  // namespace luth::ops
