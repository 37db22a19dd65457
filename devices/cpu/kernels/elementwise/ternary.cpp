// Elementwise functions of three tensors on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/ternary.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {

// A scalar weight stays in the compute type: it is part of the function, and the loop has two inputs.
void lerp_by(const ops::Lerp& op, Tensor& y, const Value& a, const Value& b, const Scalar& weight) {
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    const auto w = weight.to<compute_t<T>>();
    elementwise_loop<T, T, T>(
        y, [op, w](auto from, auto to) { return op.f(from, to, w); }, a, b);
  });
}
template <class Op>
void ternary(const Op& op, Tensor& y, const Value& a, const Value& b, const Value& c) {
  if constexpr (std::is_same_v<Op, ops::Lerp>)
    if (c.is_scalar()) return lerp_by(op, y, a, b, c.scalar());
  apply_elementwise(op, y, a, b, c);
}
struct Kernels {
  Kernels() {
    for_each(ops::TernaryOps{}, []<class Op>(Type<Op>) { Kernel<ternary<Op>>(); });
  }
};
const Kernels kernels_;

}  // namespace
}  // namespace luth::cpu
