// Elementwise arithmetic and logic on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/arith.h"

#include "core/ops/elementwise/select.h"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

const BinaryKernels<ops::ArithOps> kernels_;

void where(const ops::Where&, Tensor& y, const Value& condition, const Value& a, const Value& b) {
  dispatch_class(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    elementwise<T, bool, T, T>(y, y.dtype(), ops::WhereFunctor(), condition, a, b);
  });
}
const Kernel<where> where_;

}  // namespace
}  // namespace luth::cuda
