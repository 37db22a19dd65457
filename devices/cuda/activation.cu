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
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    elementwise<T, T, T, T>(y, Between(), x, low ? low : Value(ops::lowest_of<T>()),
                            high ? high : Value(ops::highest_of<T>()));
  });
}
const Kernel<clamp> clamp_;

}  // namespace
}  // namespace luth::cuda
