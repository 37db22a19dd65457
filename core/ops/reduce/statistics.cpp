#include "core/ops/reduce/statistics.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/mask.h"
#include "core/ops/shape/view.h"
#include "core/tensor/batched_device.h"

namespace luth::ops {
namespace {

const DefineAll<NonzeroCounts, SumOfNumbers, NanSum, NanMean, StdMean, VarMean, StdUnbiased, VarUnbiased,
                StdMeanUnbiased, VarMeanUnbiased, Aminmax>
    define_all_;

}  // namespace

Tensor NonzeroCounts::decompose(const Inputs& in) const {
  const Tensor x = in[0].tensor().detach();
  if (!dim || dim->empty()) return as_batched(x.device()) ? sum(ne(x, 0)) : count_nonzero_all(x);
  return sum(ne(x, 0), {.dim = dim});
}
Cases<NonzeroCounts> NonzeroCounts::samples() {
  auto make = [] { return Inputs{Tensor::from<double>({2, 3}, std::array{0.0, 2.0, 0.0, -1.0, 3.0, 0.0}.data())}; };
  return {{{}, {}, 0, 0, make}, {{Ints{1}}, {}, 0, 0, make}, {{Ints{0, -1}}, {}, 0, 0, make}, {{}, {{}}}};
}

Tensors SumOfNumbers::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& x = c.in[0];
  return {masked_fill(dim.expanded(dy, x.shape(), keepdim), isnan(x.detach()), 0)};
}
Tensor NanSum::decompose(const Inputs& in) const {
  Tensor x = in[0];
  const bool floating = is_floating(x.dtype());
  if (floating && (!dtype || is_floating(*dtype)))
    return sum_of_numbers(dtype ? cast_to(x, *dtype) : x, {.dim = dim, .keepdim = keepdim});
  if (floating) x = masked_fill(x, isnan(x.detach()), 0);
  return sum(x, {.dim = dim, .keepdim = keepdim, .dtype = dtype});
}
Tensor NanMean::decompose(const Inputs& in) const {
  check_floating(in[0]);
  if (dtype && !is_floating(*dtype)) throw Error("dtype must be a floating point one, not {}", name(*dtype));
  Tensor x = dtype ? cast_to(in[0], *dtype) : in[0].tensor();
  Tensor count = sum(eq(x.detach(), x.detach()), {.dim = dim, .keepdim = keepdim});
  return div(nansum(x, {.dim = dim, .keepdim = keepdim}), count);
}
template <class Op>
static Cases<Op> nan_samples() {
  const Op rows{.dim = {1}}, kept{.dim = {0, -1}, .keepdim = true};
  auto make = [] {
    return Inputs{Tensor::from<double>({2, 3}, std::array{1.5, std::nan(""), 0.5, -1.0, 3.0, 0.25}.data())};
  };
  return {{{}, {}, 0, 0, make}, {rows, {}, 0, 0, make}, {kept, {}, 0, 0, make}, {rows, {{3, 4}}}, {{}, {{}}}};
}
Cases<SumOfNumbers> SumOfNumbers::samples() { return nan_samples<SumOfNumbers>(); }
Cases<NanSum> NanSum::samples() { return nan_samples<NanSum>(); }
Cases<NanMean> NanMean::samples() { return nan_samples<NanMean>(); }

template <bool root>
Tensors VarianceMean<root>::decompose(const Inputs& in) const {
  const Variance<root> spread{.dim = dim, .unbiased = unbiased, .keepdim = keepdim, .correction = correction};
  return {Fn<Variance<root>>()(in[0], spread), mean(in[0], {.dim = dim, .keepdim = keepdim})};
}
template <bool root>
Cases<VarianceMean<root>> VarianceMean<root>::samples() {
  return {{{}, {{3, 4}}},
          {{.dim = {1}, .keepdim = true}, {{3, 4}}},
          {{.unbiased = false}, {{3, 4}}},
          {{.dim = {0, 2}, .correction = 2.0}, {{2, 3, 4}}}};
}

Tensor StdUnbiased::decompose(const Inputs& in) const { return stddev(in[0], {.unbiased = unbiased}); }
Tensor VarUnbiased::decompose(const Inputs& in) const { return var(in[0], {.unbiased = unbiased}); }
Tensors StdMeanUnbiased::decompose(const Inputs& in) const { return StdMean{.unbiased = unbiased}.decompose(in); }
Tensors VarMeanUnbiased::decompose(const Inputs& in) const { return VarMean{.unbiased = unbiased}.decompose(in); }

Tensors Aminmax::decompose(const Inputs& in) const {
  const Dims dims = dim ? Dims{*dim} : Dims();
  return {amin(in[0], {.dim = dims, .keepdim = keepdim}), amax(in[0], {.dim = dims, .keepdim = keepdim})};
}

}  // namespace luth::ops
