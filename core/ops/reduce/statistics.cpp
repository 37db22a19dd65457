#include "core/ops/reduce/statistics.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/mask.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<NonzeroCounts, NanSum, NanMean, StdMean, VarMean, StdUnbiased, VarUnbiased, StdMeanUnbiased,
                VarMeanUnbiased, Aminmax>
    define_all_;

template <class To>
To with_dims_of(const Dims& from) {
  To op;
  op.dim = from.dim;
  op.keepdim = from.keepdim;
  return op;
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

}  // namespace luth::ops
