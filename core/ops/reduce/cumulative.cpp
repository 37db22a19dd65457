#include "core/ops/reduce/cumulative.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/picked.h"
#include "core/ops/reduce/reduce.h"

namespace luth::ops {
namespace {
const DefineAll<Cummax, Cummin, LogCumsumExp> define_all_;
}  // namespace

template <bool largest>
Specs CumExtremum<largest>::infer(const Inputs& in) const {
  return elements_and_positions(in[0], dim);
}
template <bool largest>
Tensors CumExtremum<largest>::vjp(const Call& c, const Tensors& dy) const {
  if (!dy[0]) return {};
  return {scatter_add.into(zeros_beside(dy[0], c.in[0]), c.out[1], dy[0], {.dim = dim, .base = base})};
}
template <bool largest>
Cases<CumExtremum<largest>> CumExtremum<largest>::samples() {
  const int base = largest ? 0 : 1;
  return {
      {{1, base}, {{2, 4}}}, {{0, base}, {{3, 2, 2}}}, {{-1, base}, {{5}}}, {{0, base}, {{}}}, {{1, base}, {{2, 0}}}};
}

Spec LogCumsumExp::infer(const Inputs& in) const {
  wrap_dim(dim, in[0].dim());
  if (!is_floating(in[0].dtype()))
    throw Error("needs a floating point tensor, not {}; convert it first, e.g. with :float()", name(in[0].dtype()));
  return {in[0].shape(), in[0].dtype()};
}
// dx[j] = sum of dy[i] exp(x[j] - y[i]) over the i whose sums x[j] is part of. In logarithms, so that nothing
// overflows; positive and negative dy apart, so that only what truly cancels does. `least` gives 0 a logarithm, and so
// a derivative; it is too small to be seen in the difference. Halves are computed in float32, where it is not 0.
Tensors LogCumsumExp::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &x = c.in[0], &y = c.out[0];
  if (x.dim() == 0) return {dy};
  if (x.shape(dim) == 0) return {dy};
  const Dtype wide = size_of(x.dtype()) == 2 ? Dtype::f32 : x.dtype();
  const double least = wide == Dtype::f64 ? 1e-200 : 1e-30;
  const Tensor g = cast_to(dy, wide), a = cast_to(x, wide), b = cast_to(y, wide), negative = lt(g, 0);
  auto spread = [&](const Tensor& part) {
    return exp(add(logcumsumexp(sub(log(add(part, least)), b), {dim, !backwards}), a));
  };
  return {cast_to(sub(spread(where(negative, 0, g)), spread(where(negative, neg(g), 0))), dy.dtype())};
}

Cases<LogCumsumExp> LogCumsumExp::samples() {
  return {{{.dim = 1}, {{2, 4}}},
          {{.dim = 0}, {{3, 2, 2}}},
          {{.dim = -1, .backwards = true}, {{3}}},
          {{.dim = 0}, {{}}},
          {{.dim = 1}, {{2, 0}}}};
}

}  // namespace luth::ops
