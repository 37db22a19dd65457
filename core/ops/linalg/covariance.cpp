#include "core/ops/linalg/covariance.h"

#include "core/ops/common/checks.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<Trace, Cov, Corrcoef> define_all_;

Tensor main_diagonal(const Tensor& t) {
  const int64_t columns = t.shape(1), n = std::min(t.shape(0), columns);
  return slice(reshape(t, {Shape{t.numel()}}), {0, 0, n ? (n - 1) * (columns + 1) + 1 : 0, columns + 1});
}
void check_weights(const Tensor& w, std::string_view what, bool integers, int64_t observations) {
  if (w.dim() > 1 || w.numel() != observations)
    throw Error("{} has shape {}, but there are {} observations", what, to_string(w.shape()), observations);
  if (integers ? !is_integral(w.dtype()) : !is_floating(w.dtype()))
    throw Error("{} must be {}, not {}", what, integers ? "integers" : "floats", name(w.dtype()));
  if (is_readable(w) && any(lt(w.detach(), 0)).item().to<bool>()) throw Error("{} must not be negative", what);
}

}  // namespace

Tensor Trace::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (x.dim() != 2) throw Error("expects a matrix, but has shape {}", to_string(x.shape()));
  if (x.dtype() == Dtype::boolean) throw Error("not implemented for bool; convert first, e.g. with :long()");
  return sum(main_diagonal(x));
}

Tensor Cov::decompose(const Inputs& in) const {
  Tensor x = in[0];
  const Tensor fweights = in[1].tensor(), aweights = in[2].tensor();
  if (x.dim() > 2) throw Error("expects at most two dims, but input has shape {}", to_string(x.shape()));
  if (x.dtype() == Dtype::boolean) throw Error("is not implemented for bool");
  if (x.dim() < 2) x = reshape(x, {{1, -1}});
  const int64_t n = x.shape(1);
  Tensor w;
  if (fweights) {
    check_weights(fweights, "fweights", true, n);
    w = fweights;
  }
  if (aweights) {
    check_weights(aweights, "aweights", false, n);
    w = w ? mul(w, aweights) : aweights;
  }
  Value total = w ? Value(sum(w)) : Value(n);
  x = sub(x, unsqueeze(div(sum(w ? mul(x, w) : x, {.dim = {1}}), total), {1}));
  Value norm;
  if (w && aweights && correction)
    norm = sub(total, div(mul(sum(mul(w, aweights)), correction), total));
  else
    norm = w ? Value(sub(total, correction)) : Value(double(n) - double(correction));
  if (norm.is_tensor())
    norm = maximum(norm, 0);
  else if (n <= correction)
    norm = Value(0);
  Tensor weighted = w ? mul(x, w) : x;
  const Dtype common = result_type({x, weighted});
  Tensor c = mm(cast_to(x, common), transpose(cast_to(weighted, common), {0, 1}));
  return squeeze(div(c, norm), {});
}
Cases<Cov> Cov::samples() {
  static constexpr auto matrix = [] {
    return Tensor::from<double>({2, 4}, std::array{1.0, -0.5, 2.0, 0.25, 0.5, 1.5, -1.0, 2.0}.data());
  };
  static constexpr auto weights = [] { return Tensor::from<double>({4}, std::array{0.5, 1.0, 0.25, 0.75}.data()); };
  return {{{}, {{3, 5}}},
          {{.correction = 0}, {{4}}},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{matrix(), {}, weights()};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{matrix(), Tensor::from<int64_t>({4}, std::array<int64_t, 4>{1, 2, 3, 1}.data()), weights()};
           }}};
}

Tensor Corrcoef::decompose(const Inputs& in) const {
  if (in[0].dim() > 2) throw Error("expects at most two dims, but input has shape {}", to_string(in[0].shape()));
  Tensor c = cov(in[0], Value(), Value());
  if (c.dim() == 0) return div(c, c);
  Tensor deviation = sqrt(main_diagonal(c));
  c = div(div(c, unsqueeze(deviation, {1})), unsqueeze(deviation, {0}));
  return clamp(c, -1, 1);
}

}  // namespace luth::ops
