#include "core/ops/create/factory.h"

#include <cstring>

#include "core/dispatch/fresh.h"
#include "core/op/basics.h"
#include "core/ops/elementwise/copy.h"

namespace luth {

Tensor zeros(const Shape& size, Dtype dtype, Device& device) { return full(size, 0, dtype, device); }
Tensor ones(const Shape& size, Dtype dtype, Device& device) { return full(size, 1, dtype, device); }

namespace ops {
namespace {

const DefineFactory<EmptyFill> empty_;
const DefineFactory<ZerosFill> zeros_;
const DefineFactory<OnesFill> ones_;
const DefineFactory<FullFill> full_;
const DefineAll<ArangeStart, Arange, Range, Linspace, Eye> define_all_;

void set_all(const Tensor& t, const Scalar& v) {
  const Fill op;
  Inputs in;
  in.emplace_back(t);
  in.emplace_back(v);
  apply_into_fresh(info<Fill>(), &op, std::move(in), t);
}

}  // namespace

// Bytes other than 0 and 1 are no bool of C++.
void EmptyFill::fill(const Tensor& t) const {
  if (t.dtype() == Dtype::boolean) ZerosFill().fill(t);
}
// Zeros of every dtype are bytes of zero. Where there are few, setting these is all the work.
void ZerosFill::fill(const Tensor& t) const {
  constexpr size_t few = 4096;
  if (t.bytes() == 0) return;
  if (t.bytes() <= few && t.device().on_host())
    std::memset(t.raw(), 0, t.bytes());
  else
    set_all(t, 0);
}
void OnesFill::fill(const Tensor& t) const { set_all(t, 1); }
void FullFill::fill(const Tensor& t) const { set_all(t, fill_value); }

Spec ArangeStart::infer(const Inputs&) const {
  bool integers = !start.is_floating() && !end.is_floating() && !step.is_floating();
  double a = start.value(), b = end.value(), s = step.value();
  if (s == 0) throw Error("the step must not be 0");
  if (!std::isfinite(a) || !std::isfinite(b)) throw Error("the range {} to {} has no end", a, b);
  if ((b - a) * s < 0) throw Error("the step {} leads away from the end {}", s, b);
  double n = std::ceil((b - a) / s);
  if (integers) {
    uint64_t distance = uint64_t(end.integer()) - uint64_t(start.integer()), by = uint64_t(step.integer());
    if (s < 0) distance = 0 - distance, by = 0 - by;
    n = double(distance / by + (distance % by != 0));
  }
  if (n > double(int64_t(1) << 60)) throw Error(ErrorCode::memory, "{} numbers do not fit into memory", n);
  return {{int64_t(n)}, dtype.value_or(integers ? Dtype::i64 : default_dtype()), {}, &place()};
}
Tensor Arange::decompose(const Inputs&) const {
  ArangeStart op;
  static_cast<Options&>(op) = *this;
  op.end = end;
  return arange(op);
}
Tensor Range::decompose(const Inputs&) const {
  ArangeStart op;
  static_cast<Options&>(op) = *this;
  op.start = start, op.step = step;
  double n = std::floor((end.value() - start.value()) / step.value()) + 1;
  op.end = start.value() + (n - 0.5) * step.value();  // half a step beyond the last number
  op.dtype = dtype.value_or(default_dtype());
  return arange(op);
}
Spec Linspace::infer(const Inputs&) const {
  if (steps < 0) throw Error("the number of steps must not be negative, got {}", steps);
  if (dtype == Dtype::boolean) throw Error("not implemented for bool");
  return {{steps}, dtype.value_or(default_dtype()), {}, &place()};
}
Tensor Eye::decompose(const Inputs&) const {
  int64_t columns = m.value_or(n);
  if (n < 0 || columns < 0) throw Error("a matrix of {} x {} cannot be", n, columns);
  Tensor t = zeros({n, columns}, dtype.value_or(default_dtype()), place());
  int64_t diagonal = std::min(n, columns);
  set_all(basic::as_strided(t, {diagonal}, {columns + 1}, 0), 1);
  return t;
}

}  // namespace ops

Tensor counting(int64_t n, Device& device, Dtype dtype) {
  ops::ArangeStart op;
  op.end = n, op.dtype = dtype, op.device = &device;
  return arange(op);
}

}  // namespace luth
