// Activations and clamp on CUDA: from the operators' scalar functions.
#include "core/ops/activation.h"

#include "devices/cuda/elementwise.cuh"

namespace luth::cuda {
namespace {

const UnaryKernels<ops::ActivationOps> kernels_;
const BinaryKernels<ops::ActivationGrads> grads_;

// nan stays; where the bounds cross, max wins.
struct Between {
  template <class T>
  LUTH_HD T operator()(T v, T low, T high) const {
    const T up = v < low ? low : v;
    return up > high ? high : up;
  }
};
void clamp(const ops::Clamp&, Tensor& y, const Value& x, const Value& low, const Value& high) {
  Value least = low, most = high;
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    if (!low) least = ops::lowest_of<T>();
    if (!high) most = ops::highest_of<T>();
  });
  dispatch_class(Numbers{}, y.dtype(),
                 [&]<class T>(Type<T>) { elementwise<T, T, T, T>(y, y.dtype(), Between(), x, least, most); });
}
const Kernel<clamp> clamp_;

}  // namespace
}  // namespace luth::cuda
