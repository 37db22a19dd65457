#include "core/ops/index/mask.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/sample_tensors.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/elementwise.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/picked.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<MaskedFill, MaskedSelect, MaskedScatter, MaskedReplace, CountNonzero, Nonzero, NonzeroTuple, Argwhere>
    define_all_;

void check_mask(const Value& mask) {
  if (!mask.is_tensor() || mask.dtype() != Dtype::boolean)
    throw Error("mask must be a tensor of bool, but is {}; compare first, as in x:gt(0)",
                mask.is_tensor() ? std::string(name(mask.dtype())) : "a number");
}
int64_t count(const Tensor& t) {
  GradMode off(false);
  if (!t.device().has_data()) throw Error("the shape of the result depends on data, which the meta device has not");
  return count_nonzero_all(t).item().integer();
}

// Masks of [2, 3] and [3], with inputs and some elements of each kind.
Tensor checkered(const Shape& s) {
  Tensor t = Tensor::empty(s, Dtype::boolean, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<bool>()[i] = i % 3 != 1;
  return t;
}
Tensor ramp(const Shape& s) { return sample_values(s, 1, -5); }
}  // namespace

Spec MaskedFill::infer(const Inputs& in) const {
  check_mask(in[1]);
  const Value& value = in[2];
  if (value.is_tensor())
    for (int i = 0; i < value.dim(); ++i)
      if (value.shape()[i] > 1 && value.tensor().strides()[i] != 0)
        throw Error("value must be a number or a 0-dimensional tensor");
  if (!in[0].is_tensor()) throw Error("input must be a tensor");
  check_holds(in[0].dtype(), value);
  return elementwise_spec({in[0]});
}
Tensors MaskedFill::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(3);
  if (c.wants(0)) out[0] = masked_fill(dy, c.in[1], 0);
  if (c.wants(2)) out[2] = masked_fill(dy, logical_not(c.in[1]), 0);
  return out;
}

Spec MaskedSelect::infer(const Inputs& in) const {
  check_mask(in[1]);
  return {Shape{count(in[1])}, in[0].dtype()};
}
Tensors MaskedSelect::vjp(const Call& c, const Tensor& dy) const {
  return {masked_replace.into(zeros_beside(dy, c.in[0]), c.in[1], dy)};
}

Tensor MaskedScatter::decompose(const Inputs& in) const {
  check_mask(in[1]);
  Shape shape = broadcast(in[0].shape(), in[1].shape());
  return masked_replace(expand_to(in[0], shape), expand_to(in[1], shape), in[2]);
}
Spec MaskedReplace::infer(const Inputs& in) const {
  check_mask(in[1]);
  check_same_dtype("input", in[0], "source", in[2]);
  return {in[0].shape(), in[0].dtype()};
}
Tensors MaskedReplace::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(3);
  if (c.wants(0)) out[0] = masked_fill(dy, c.in[1], 0);
  if (c.wants(2)) {
    Tensor used = masked_select(dy, c.in[1]);
    int64_t rest = c.in[2].numel() - used.numel();
    if (rest > 0) used = cat({used, full({rest}, 0, used.dtype(), used.device())});
    out[2] = reshape(used, {.shape = c.in[2].shape()});
  }
  return out;
}

Spec Nonzero::infer(const Inputs& in) const { return {Shape{count(in[0]), in[0].dim()}, Dtype::i64}; }
Tensors NonzeroTuple::decompose(const Inputs& in) const {
  Tensor x = in[0].tensor();
  if (!as_tuple) return {nonzero(x, {.base = base})};
  if (x.dim() == 0) x = reshape(x, {.shape = {1}});
  Tensor all = nonzero(x, {.base = base});
  Tensors out;
  for (int i = 0; i < x.dim(); ++i) out.push_back(select(all, {.dim = 1, .index = i}));
  return out;
}
Tensor Argwhere::decompose(const Inputs& in) const { return nonzero(in[0], {.base = base}); }

Cases<MaskedFill> MaskedFill::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{ramp({2, 3}), checkered({2, 3}), 2.5};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{ramp({2, 3}), checkered({3}), ramp({})};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{ramp({3}), checkered({2, 3}), -1};
           }}};
}
Cases<MaskedSelect> MaskedSelect::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{ramp({2, 3}), checkered({2, 3})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{ramp({2, 1}), checkered({3})};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{ramp({}), checkered({})};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{ramp({2, 0}), checkered({2, 0})};
           }}};
}
Cases<MaskedScatter> MaskedScatter::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{ramp({2, 3}), checkered({3}), ramp({2, 2})};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{ramp({3}), checkered({2, 3}), ramp({6})};
           }}};
}
Cases<MaskedReplace> MaskedReplace::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{ramp({2, 3}), checkered({2, 3}), ramp({7})}; }}};
}
Cases<CountNonzero> CountNonzero::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{checkered({2, 3})}; }}};
}
Cases<Nonzero> Nonzero::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{checkered({2, 3})}; }}, {{}, {}, 0, 0, [] { return Inputs{ramp({4})}; }}};
}
Cases<NonzeroTuple> NonzeroTuple::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{checkered({2, 3})};
           }},
          {{.as_tuple = false}, {}, 0, 0, [] {
             return Inputs{checkered({2, 3})};
           }}};
}
Cases<Argwhere> Argwhere::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{checkered({2, 3})}; }}};
}

}  // namespace luth::ops
