// Activations and clamp on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/activation.h"

#include "core/ops/elementwise/select.h"
#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {

const UnaryKernels<ops::ActivationOps> kernels_;
const BinaryKernels<ops::ActivationGrads> grads_;

void clamp(const ops::Clamp&, Tensor& y, const Value& x, const Value& low, const Value& high) {
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    elementwise_loop<T, T, T, T>(y, ops::ClampFunctor(), x, ops::binding_least(low, y.dtype()),
                                 ops::binding_greatest(high, y.dtype()));
  });
}
const Kernel<clamp> clamp_;

}  // namespace
}  // namespace luth::cpu
