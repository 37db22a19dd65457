#include "core/ops/elementwise/sign.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"

namespace luth::ops {
namespace {

const DefineAll<SignOps> define_all_;
const DefineAll<NanToNum, Frexp> define_;

const Tensor& floating(const Value& v) {
  if (!is_floating(v.dtype())) throw Error("takes floating point numbers, not {}", name(v.dtype()));
  return v.tensor();
}
double greatest(Dtype d) {
  switch (d) {
    case Dtype::f16: return 65504;
    case Dtype::bf16: return 0x1.fep127;
    case Dtype::f32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

}  // namespace

Tensors Angle::vjp(const Call&, const Tensor& dy) const { return {zeros_of(dy)}; }

Tensor NanToNum::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (!is_floating(x.dtype())) return clone(x);
  ReplaceNonFinite with;
  with.nan = nan.value_or(0);
  with.posinf = posinf.value_or(greatest(x.dtype()));
  with.neginf = neginf.value_or(-greatest(x.dtype()));
  return replace_non_finite(x, with);
}
Cases<NanToNum> NanToNum::samples() {
  NanToNum given;
  given.nan = 1.5, given.posinf = 7, given.neginf = -7;
  auto special = [] {
    return Inputs{Tensor::from<double>({4}, std::array{double(NAN), double(INFINITY), -double(INFINITY), 1.25}.data())};
  };
  return {{{}, {{3, 4}}}, {given, {{2}}}, {given, {}, 0, 0, special}};
}
Tensors ReplaceNonFinite::vjp(const Call& c, const Tensor& dy) const { return {where(Fn<IsFinite>()(c.in[0]), dy, 0)}; }

Tensors Frexp::decompose(const Inputs& in) const {
  const Tensor& x = floating(in[0]);
  return {frexp_mantissa(x), cast_to(frexp_exponent(x), Dtype::i32)};
}
Tensors FrexpMantissa::vjp(const Call& c, const Tensor& dy) const {
  return {mul(dy, pow(2, neg(frexp_exponent(c.in[0]))))};
}

}  // namespace luth::ops
