// Elementwise arithmetic and logic on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/arith.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

const BinaryKernels<ops::ArithOps> kernels_;

struct Choose {
  template <class T>
  LUTH_HD T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};
void where(const ops::Where&, Tensor& y, const Value& condition, const Value& a, const Value& b) {
  dispatch_class(AllTypes{}, y.dtype(),
                 [&]<class T>(Type<T>) { elementwise<T, bool, T, T>(y, y.dtype(), Choose(), condition, a, b); });
}
const Kernel<where> where_;

}  // namespace
}  // namespace luth::cuda
