// Activations and clamp on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/activation.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

const UnaryKernels<ops::ActivationOps> kernels_;
const BinaryKernels<ops::ActivationGrads> grads_;

// nan stays, and a bound that is nan makes nan; where the bounds cross, max wins.
struct Between {
  template <class T>
  LUTH_HD T operator()(T v, T low, T high) const {
    const T up = v < low || low != low ? low : v;
    return up > high || high != high ? high : up;
  }
};
void clamp(const ops::Clamp&, Tensor& y, const Value& x, const Value& low, const Value& high) {
  const Value least = ops::binding_least(low, y.dtype()), most = ops::binding_greatest(high, y.dtype());
  dispatch_class(Numbers{}, y.dtype(),
                 [&]<class T>(Type<T>) { elementwise<T, T, T, T>(y, y.dtype(), Between(), x, least, most); });
}
const Kernel<clamp> clamp_;

}  // namespace
}  // namespace luth::cuda
