#include "core/ops/random/random.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/reduce/reduce.h"

namespace luth {

Tensor rand(const Shape& size, Dtype dtype, Device& device) {
  return ops::filled(ops::RandFill(), size, dtype, device);
}
Tensor randn(const Shape& size, Dtype dtype, Device& device) {
  return ops::filled(ops::RandnFill(), size, dtype, device);
}
Tensor randint(int64_t low, int64_t high, const Shape& size, Dtype dtype, Device& device) {
  if (high <= low) throw Error("high ({}) must be above low ({})", high, low);
  NoGrad no_grad;
  ops::RandomIntegers op;
  op.from = low;
  op.to = high;
  return random_integers.into(Tensor::empty(size, dtype, device), op);
}

namespace ops {
namespace {
const DefineFactory<RandFill> rand_;
const DefineFactory<RandnFill> randn_;
const DefineAll<UniformFill, NormalFill, ExponentialFill, BernoulliFill, RandomIntegers, Bernoulli, NormalPairs,
                NormalSize, Randint, RandintLow, RandintLike, RandintLikeLow, Randperm, Dropout, NativeDropout>
    define_all_;

Spec same_floating(const Inputs& in) {
  check_floating(in[0]);
  return same_as(in[0]);
}
void check_probability(double p) {
  if (!(p >= 0 && p <= 1)) throw Error("p must be a probability, from 0 to 1, not {}", p);
}
/// Up to here every integer is exact in the dtype.
int64_t integers_in(Dtype d) {
  switch (d) {
    case Dtype::boolean: return 2;
    case Dtype::u8: return 256;
    case Dtype::i8: return 128;
    case Dtype::i16: return 32768;
    case Dtype::i32: return int64_t(1) << 31;
    case Dtype::i64: return INT64_MAX;
    case Dtype::f16: return (1 << 11) + 1;
    case Dtype::bf16: return (1 << 8) + 1;
    case Dtype::f32: return (1 << 24) + 1;
    case Dtype::f64: return (int64_t(1) << 53) + 1;
  }
  return 0;
}
/// From here on.
int64_t least_integer(Dtype d) {
  if (d == Dtype::boolean || d == Dtype::u8) return 0;
  if (d == Dtype::i64) return INT64_MIN;
  return is_floating(d) ? 1 - integers_in(d) : -integers_in(d);
}
template <class Op>
Op sized(int64_t high) {
  Op op;
  op.high = high;
  if constexpr (requires { op.size; }) op.size = {2, 3};
  return op;
}
}  // namespace

Spec UniformFill::infer(const Inputs& in) const {
  if (!(from <= to)) throw Error("from ({}) must not be above to ({})", from, to);
  return same_floating(in);
}
Spec NormalFill::infer(const Inputs& in) const {
  if (!(std >= 0)) throw Error("std must not be negative, got {}", std);
  return same_floating(in);
}
Spec ExponentialFill::infer(const Inputs& in) const {
  if (!(lambd > 0)) throw Error("lambd must be above 0, got {}", lambd);
  return same_floating(in);
}
Spec BernoulliFill::infer(const Inputs& in) const {
  check_probability(p);
  return same_as(in[0]);
}
Spec RandomIntegers::infer(const Inputs& in) const {
  const int64_t most = integers_in(in[0].dtype()), end = to.value_or(most);
  if (end <= from) throw Error("to ({}) must be above from ({})", end, from);
  if (end > most || from < least_integer(in[0].dtype()))
    throw Error("integers from {} to {} do not fit {}", from, end - 1, name(in[0].dtype()));
  return same_as(in[0]);
}
Spec Bernoulli::infer(const Inputs& in) const { return same_floating(in); }

Tensor NormalPairs::decompose(const Inputs& in) const {
  if (in[1].is_scalar() && in[1].scalar().value() < 0) throw Error("std must not be negative");
  Tensor base = in[0].is_tensor() ? in[0].tensor() : in[1].tensor();
  if (in[1].is_tensor() && is_readable(in[1])) {
    NoGrad no_grad;
    if (amin(in[1]).item().value() < 0) throw Error("std must not be negative, but has negative elements");
  }
  if (!base) throw Error("mean or std must be a tensor; for two numbers give a size");
  Shape shape = base.shape();
  if (in[0].is_tensor() && in[1].is_tensor()) shape = broadcast(in[0].shape(), in[1].shape());
  Tensor z = luth::randn(shape, is_floating(base.dtype()) ? base.dtype() : default_dtype(), base.device());
  return add(in[1] ? mul(z, in[1]) : z, in[0]);
}
Tensor NormalSize::decompose(const Inputs&) const {
  NoGrad no_grad;
  NormalFill op;
  op.mean = mean;
  op.std = std;
  return normal.into(Tensor::empty(size, dtype.value_or(default_dtype()), place()), op);
}
void RandFill::fill(const Tensor& t) const {
  NoGrad no_grad;
  uniform.into(t);
}
void RandnFill::fill(const Tensor& t) const {
  NoGrad no_grad;
  normal.into(t);
}

Tensor Randint::decompose(const Inputs&) const {
  return luth::randint(0, high, size, dtype.value_or(Dtype::i64), place());
}
Tensor RandintLow::decompose(const Inputs&) const {
  return luth::randint(low, high, size, dtype.value_or(Dtype::i64), place());
}
Tensor RandintLike::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  return luth::randint(0, high, t.shape(), dtype.value_or(t.dtype()), device ? *device : t.device());
}
Tensor RandintLikeLow::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  return luth::randint(low, high, t.shape(), dtype.value_or(t.dtype()), device ? *device : t.device());
}
Spec Randperm::infer(const Inputs&) const {
  if (n < 0) throw Error("n must not be negative, got {}", n);
  Dtype d = dtype.value_or(Dtype::i64);
  if (n > 0 && n - 1 + base >= integers_in(d)) throw Error("{} positions do not fit {}", n, name(d));
  return {{n}, d, {}, &place()};
}

void Dropout::check() const { check_probability(p); }
Tensor Dropout::decompose(const Inputs& in) const {
  check();
  if (identity()) return in[0];
  check_floating(in[0]);
  return native_dropout(in[0], {.p = p, .philox = {}});
}
Spec NativeDropout::infer(const Inputs& in) const { return same_as(in[0]); }
Tensors NativeDropout::vjp(const Call&, const Tensor& dy) const { return {native_dropout(dy, *this)}; }

Cases<NormalSize> NormalSize::samples() {
  NormalSize op;
  op.size = {2, 3};
  return {{op, {}}};
}
Cases<Randint> Randint::samples() { return {{sized<Randint>(5), {}}}; }
Cases<RandintLow> RandintLow::samples() { return {{sized<RandintLow>(5), {}}}; }
Cases<RandintLike> RandintLike::samples() { return {{sized<RandintLike>(5), {{2, 3}}}}; }
Cases<RandintLikeLow> RandintLikeLow::samples() { return {{sized<RandintLikeLow>(5), {{2, 3}}}}; }
Cases<Randperm> Randperm::samples() {
  Randperm op;
  op.n = 5;
  return {{op, {}}};
}
Cases<Dropout> Dropout::samples() {
  return {{{}, {{3, 4}}}, {{.p = 0.25}, {{3}}}, {{.p = 0.5, .training = false}, {{2, 2}}}, {{.p = 1}, {{3}}}};
}

}  // namespace ops
}  // namespace luth
