#include "core/ops/elementwise/unary.h"

#include <numbers>

#include "core/op/basics.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"

namespace luth::basic {
Tensor neg(const Value& v) { return luth::neg(v); }
Tensor square(const Value& v) { return luth::square(v); }
Tensor log(const Value& v) { return luth::log(v); }
}  // namespace luth::basic

namespace luth::ops {
namespace {
const DefineAll<UnaryOps> define_all_;

// Whether its dims lie in memory in their order, but for those along which it is expanded.
bool is_ordered(const Tensor& t) {
  int64_t last = INT64_MAX;
  for (int i = 0; i < t.dim(); ++i) {
    const int64_t stride = t.strides()[i];
    if (t.shape()[i] == 1 || stride == 0) continue;
    if (stride > last) return false;
    last = stride;
  }
  return true;
}
}  // namespace

Spec elementwise_spec(const Inputs& in, Dtype dtype) {
  const Tensor* first = nullptr;
  for (auto& v : in) {
    if (!v.is_tensor()) continue;
    if (!first) first = &v.tensor();
    if (v.tensor().is_contiguous()) return {v.tensor().shape(), dtype};
  }
  if (!first) throw Error("expects at least one tensor");
  for (auto& v : in)
    if (v.is_tensor() && is_dense(v.tensor().shape(), v.tensor().strides()))
      return {v.tensor().shape(), dtype, v.tensor().strides()};
  bool ordered = true;
  for (auto& v : in) ordered = ordered && (!v.is_tensor() || is_ordered(v));
  if (ordered) return {first->shape(), dtype};
  return {first->shape(), dtype, strides_like(first->shape(), first->shape(), first->strides())};
}

Spec elementwise_spec(const Inputs& in) {
  for (auto& v : in)
    if (v.is_tensor()) return elementwise_spec(in, v.dtype());
  throw Error("expects at least one tensor");
}

Spec Neg::infer(const Inputs& in) const {
  if (in[0].dtype() == Dtype::boolean) throw Error("a bool tensor has no negative; use ~x or logical_not");
  return elementwise_spec(in);
}
Spec Square::infer(const Inputs& in) const {
  return elementwise_spec(in, in[0].dtype() == Dtype::boolean ? Dtype::i64 : in[0].dtype());
}

Tensors Abs::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, sign(c.in[0]))}; }
Tensors Neg::vjp(const Call&, const Tensor& dy) const { return {neg(dy)}; }
Tensors Sign::vjp(const Call&, const Tensor& dy) const { return {zeros_of(dy)}; }
Tensors Square::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, mul(c.in[0], 2.0))}; }
Tensors Exp::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, c.out[0])}; }
Tensors Exp2::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, mul(c.out[0], std::numbers::ln2))}; }
Tensors Expm1::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, add(c.out[0], 1))}; }
Tensors Log::vjp(const Call& c, const Tensor& dy) const { return {div(dy, c.in[0])}; }
Tensors Log2::vjp(const Call& c, const Tensor& dy) const { return {div(dy, mul(c.in[0], std::numbers::ln2))}; }
Tensors Log10::vjp(const Call& c, const Tensor& dy) const { return {div(dy, mul(c.in[0], std::numbers::ln10))}; }
Tensors Log1p::vjp(const Call& c, const Tensor& dy) const { return {div(dy, add(c.in[0], 1))}; }
Tensors Sqrt::vjp(const Call& c, const Tensor& dy) const { return {div(dy, mul(c.out[0], 2))}; }
Tensors Rsqrt::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, mul(pow(c.out[0], 3), -0.5))}; }
Tensors Reciprocal::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, neg(mul(c.out[0], c.out[0])))}; }
Tensors Sin::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, cos(c.in[0]))}; }
Tensors Cos::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, neg(sin(c.in[0])))}; }
Tensors Tan::vjp(const Call& c, const Tensor& dy) const { return {mul(dy, add(square(c.out[0]), 1))}; }
Tensors Erf::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, mul(exp(neg(square(c.in[0]))), 2 * std::numbers::inv_sqrtpi))};
}
Tensors Rounding::vjp(const Call&, const Tensor& dy) const { return {zeros_of(dy)}; }

Cases<BitwiseNot> BitwiseNot::samples() {
  return {{{}, {}, 0, 0, [] {
             return Inputs{Tensor::from<int64_t>({4}, std::array<int64_t, 4>{0, 1, -5, 9}.data())};
           }}};
}

}  // namespace luth::ops
