// Activations and clamp on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/activation.h"

#include "core/ops/elementwise/select.h"
#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {

const UnaryKernels<ops::ActivationOps> kernels_;
const BinaryKernels<ops::ActivationGrads> grads_;

/// Clamp between two numbers.
template <class C>
struct Between {
  C low, high;
  C operator()(C x) const { return ops::ClampFunctor()(x, low, high); }
};

void clamp(const ops::Clamp&, Tensor& y, const Value& x, const Value& min, const Value& max) {
  const Value low = ops::binding_least(min, y.dtype()), high = ops::binding_greatest(max, y.dtype());
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    auto number = [](const Value& v) { return compute_t<T>(v.scalar().template to<T>()); };
    if (low.is_scalar() && high.is_scalar())
      elementwise_loop<T, T>(y, Between<compute_t<T>>{number(low), number(high)}, x);
    else
      elementwise_loop<T, T, T, T>(y, ops::ClampFunctor(), x, low, high);
  });
}
const Kernel<clamp> clamp_;

}  // namespace
}  // namespace luth::cpu
