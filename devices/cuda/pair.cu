// The less common functions of two tensors on CUDA: from the operators' scalar functions.
#include "core/ops/pair.h"

#include "devices/cuda/elementwise.cuh"

namespace luth::cuda {
namespace {

const BinaryKernels<ops::PairOps> kernels_;

void nextafter(const ops::Nextafter&, Tensor& y, const Value& x, const Value& to) {
  dispatch_class(Floats{}, y.dtype(),
                 [&]<class T>(Type<T>) { elementwise<T, T, T>(y, y.dtype(), ops::NextNumber{y.dtype()}, x, to); });
}
const Kernel<nextafter> nextafter_;

}  // namespace
}  // namespace luth::cuda
