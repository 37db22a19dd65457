// Elementwise functions of three tensors on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/ternary.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {

// A scalar weight stays in the compute type: it is part of the function, and the loop has two inputs.
template <>
void ternary<ops::Lerp>(const ops::Lerp& op, Tensor& y, const Value& a, const Value& b, const Value& weight) {
  if (weight.is_tensor()) return apply_elementwise(op, y, a, b, weight);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    const auto w = weight.scalar().to<compute_t<T>>();
    elementwise_loop<T, T, T>(
        y, [op, w](auto from, auto to) { return op.f(from, to, w); }, a, b);
  });
}

namespace {
const TernaryKernels<ops::TernaryOps> kernels_;
}  // namespace
}  // namespace luth::cpu
