#include "core/ops/reduce/statistics.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/mask.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<NonzeroCounts, NanSum, NanMean, StdMean, VarMean, StdUnbiased, VarUnbiased, StdMeanUnbiased,
                VarMeanUnbiased, Aminmax, Trace, Cov, Corrcoef>
    define_all_;

template <class To>
To with_dims_of(const Dims& from) {
  To op;
  op.dim = from.dim;
  op.keepdim = from.keepdim;
  return op;
}
Tensor main_diagonal(const Tensor& t) {
  const int64_t columns = t.shape(1), n = std::min(t.shape(0), columns);
  return slice(reshape(t, {Shape{t.numel()}}), {0, 0, n ? (n - 1) * (columns + 1) + 1 : 0, columns + 1});
}

}  // namespace

Tensor NonzeroCounts::decompose(const Inputs& in) const {
  const Tensor x = in[0].tensor().detach();
  if (!dim || dim->empty()) return count_nonzero_all(x);
  return sum(ne(x, 0), over(*dim));
}
Cases<NonzeroCounts> NonzeroCounts::samples() {
  auto make = [] { return Inputs{Tensor::from<double>({2, 3}, std::array{0.0, 2.0, 0.0, -1.0, 3.0, 0.0}.data())}; };
  return {{{}, {}, 0, 0, make}, {{Ints{1}}, {}, 0, 0, make}, {{Ints{0, -1}}, {}, 0, 0, make}, {{}, {{}}}};
}

Tensor NanSum::decompose(const Inputs& in) const {
  Tensor x = in[0];
  if (is_floating(x.dtype())) x = masked_fill(x, isnan(x.detach()), 0);
  Sum total = with_dims_of<Sum>(*this);
  total.dtype = dtype;
  return sum(x, total);
}
Tensor NanMean::decompose(const Inputs& in) const {
  check_floating(in[0]);
  if (dtype && !is_floating(*dtype)) throw Error("dtype must be a floating point one, not {}", name(*dtype));
  Tensor x = dtype ? cast_to(in[0], *dtype) : in[0].tensor();
  Tensor count = sum(logical_not(isnan(x.detach())), with_dims_of<Sum>(*this));
  return div(nansum(x, with_dims_of<NanSum>(*this)), count);
}
template <class Op>
static Cases<Op> nan_samples() {
  Op rows, kept;
  rows.dim = Ints{1};
  kept.dim = Ints{0, -1}, kept.keepdim = true;
  auto make = [] {
    return Inputs{Tensor::from<double>({2, 3}, std::array{1.5, std::nan(""), 0.5, -1.0, 3.0, 0.25}.data())};
  };
  return {{{}, {}, 0, 0, make}, {rows, {}, 0, 0, make}, {kept, {}, 0, 0, make}, {rows, {{3, 4}}}, {{}, {{}}}};
}
Cases<NanSum> NanSum::samples() { return nan_samples<NanSum>(); }
Cases<NanMean> NanMean::samples() { return nan_samples<NanMean>(); }

template <class To>
static To spread_of(const Spread& from) {
  To op = with_dims_of<To>(from);
  op.unbiased = from.unbiased;
  op.correction = from.correction;
  return op;
}
Tensors StdMean::decompose(const Inputs& in) const {
  return {stddev(in[0], spread_of<Std>(*this)), mean(in[0], with_dims_of<Mean>(*this))};
}
Tensors VarMean::decompose(const Inputs& in) const {
  return {var(in[0], spread_of<Var>(*this)), mean(in[0], with_dims_of<Mean>(*this))};
}
template <class Op>
static Cases<Op> spread_samples() {
  Op rows, biased, corrected;
  rows.dim = Ints{1}, rows.keepdim = true;
  biased.unbiased = false;
  corrected.dim = Ints{0, 2}, corrected.correction = 2.0;
  return {{{}, {{3, 4}}}, {rows, {{3, 4}}}, {biased, {{3, 4}}}, {corrected, {{2, 3, 4}}}};
}
Cases<StdMean> StdMean::samples() { return spread_samples<StdMean>(); }
Cases<VarMean> VarMean::samples() { return spread_samples<VarMean>(); }

template <class Op>
static Op of_all(bool unbiased) {
  Op op;
  op.unbiased = unbiased;
  return op;
}
Tensor StdUnbiased::decompose(const Inputs& in) const { return stddev(in[0], of_all<Std>(unbiased)); }
Tensor VarUnbiased::decompose(const Inputs& in) const { return var(in[0], of_all<Var>(unbiased)); }
Tensors StdMeanUnbiased::decompose(const Inputs& in) const { return of_all<StdMean>(unbiased).decompose(in); }
Tensors VarMeanUnbiased::decompose(const Inputs& in) const { return of_all<VarMean>(unbiased).decompose(in); }

Tensors Aminmax::decompose(const Inputs& in) const {
  Dims dims{std::nullopt, keepdim};
  if (dim) dims.dim = Ints{*dim};
  return {amin(in[0], with_dims_of<Amin>(dims)), amax(in[0], with_dims_of<Amax>(dims))};
}

Tensor Trace::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (x.dim() != 2) throw Error("expects a matrix, but has shape {}", to_string(x.shape()));
  if (x.dtype() == Dtype::boolean) throw Error("not implemented for bool; convert first, e.g. with :long()");
  return sum(main_diagonal(x));
}

namespace {

void check_weights(const Tensor& w, std::string_view what, bool integers, int64_t observations) {
  if (w.dim() > 1 || w.numel() != observations)
    throw Error("{} has shape {}, but there are {} observations", what, to_string(w.shape()), observations);
  if (integers ? !is_integral(w.dtype()) : !is_floating(w.dtype()))
    throw Error("{} must be {}, not {}", what, integers ? "integers" : "floats", name(w.dtype()));
  if (w.device().on_host() && w.numel() && any(lt(w.detach(), 0)).item().to<bool>())
    throw Error("{} must not be negative", what);
}

}  // namespace

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
  x = sub(x, unsqueeze(div(sum(w ? mul(x, w) : x, over({1})), total), {1}));
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
