#include "core/ops/nn/distribution_loss.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/mask.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<PoissonNllLoss, GaussianNllLoss> define_all_;

constexpr double log_two_pi = 1.8378770664093453;

/// var as a tensor that broadcasts to input.
Tensor variances(const Tensor& x, const Value& var) {
  if (!var.is_tensor()) {
    if (var.scalar().value() < 0) throw Error("var must not be negative, got {}", var.scalar().value());
    return full(Shape(), var.scalar().value(), x.dtype(), x.device());
  }
  const Tensor& v = var;
  if (is_readable(v)) {
    NoGrad no_grad;
    if (amin(v).item().value() < 0) throw Error("var must not be negative, but has negative elements");
  }
  const Shape &s = x.shape(), &got = v.shape();
  if (got == s) return v;
  if (s.size() > 0 && got == Shape(s.begin(), s.end() - 1)) return unsqueeze(v, {.dim = -1});
  int64_t differing = 0;  // the sum of var's extents that are not input's
  for (int i = 0; got.size() == s.size() && i < s.size(); ++i) differing += got[i] != s[i] ? got[i] : 0;
  if (differing != 1)
    throw Error("var has shape {}; for an input of shape {} it has the same, or lacks the last dim, or has 1 in one",
                to_string(got), to_string(s));
  return v;
}
}  // namespace

Tensor PoissonNllLoss::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &target = in[1];
  Tensor each = log_input ? sub(exp(x), mul(target, x)) : sub(x, mul(target, log(add(x, eps))));
  if (full) {
    Tensor stirling = add(sub(mul(target, log(target)), target), mul(log(mul(target, 6.283185307179586)), 0.5));
    each = add(each, masked_fill(stirling, le(target, 1), 0));
  }
  return reduced(each, reduction);
}

Tensor GaussianNllLoss::decompose(const Inputs& in) const {
  check_reduction(reduction);
  const Tensor &x = in[0], &target = in[1];
  Tensor var = variances(x, in[2]);
  // Clamped to at least eps; the gradient passes as though it were not.
  check_floating(var, "var");
  var = where(lt(var, eps), add(sub(var, var.detach()), eps), var);
  Tensor each = mul(add(log(var), div(square(sub(x, target)), var)), 0.5);
  if (full) each = add(each, 0.5 * log_two_pi);
  return reduced(each, reduction);
}

// ---- cases ---------------------------------------------------------------------------------------------------------

Cases<PoissonNllLoss> PoissonNllLoss::samples() {
  return {{{}, {{2, 3}, {2, 3}}},
          {{.log_input = false, .reduction = "none"}, {{3}, {3}}, 0.3, 2},
          {{.full = true, .reduction = "sum"}, {{2, 3}, {2, 3}}, 1.1, 3}};
}
Cases<GaussianNllLoss> GaussianNllLoss::samples() {
  return {{{}, {{2, 3}, {2, 3}, {2, 3}}, 0.5, 2},
          {{.full = true, .reduction = "sum"}, {{2, 3}, {2, 3}, {2}}, 0.5, 2},
          {{.reduction = "none"}, {{2, 3}, {2, 3}, {2, 1}}, 0.5, 2}};
}

}  // namespace luth::ops
