// Activations and clamp on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/activation.h"

#include "core/ops/elementwise/select.h"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

const UnaryKernels<ops::ActivationOps> kernels_;
const BinaryKernels<ops::ActivationGrads> grads_;

void clamp(const ops::Clamp&, Tensor& y, const Value& x, const Value& low, const Value& high) {
  const Value least = ops::binding_least(low, y.dtype()), most = ops::binding_greatest(high, y.dtype());
  dispatch_class(Numbers{}, y.dtype(),
                 [&]<class T>(Type<T>) { elementwise<T, T, T, T>(y, y.dtype(), ops::ClampFunctor(), x, least, most); });
}
const Kernel<clamp> clamp_;

}  // namespace
}  // namespace luth::cuda
