// The less common functions of two tensors on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/binary_special.h"

#include "core/ops/elementwise/activation.h"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

const BinaryKernels<ops::BinarySpecialOps> kernels_;

void clamp_min(const ops::ClampMin& op, Tensor& y, const Value& x, const Value& min) {
  binary(op, y, x, ops::binding_least(min, y.dtype()));
}
void clamp_max(const ops::ClampMax& op, Tensor& y, const Value& x, const Value& max) {
  binary(op, y, x, ops::binding_greatest(max, y.dtype()));
}
const Kernel<clamp_min> clamp_min_;
const Kernel<clamp_max> clamp_max_;

void nextafter(const ops::Nextafter&, Tensor& y, const Value& x, const Value& to) {
  dispatch_class(Floats{}, y.dtype(),
                 [&]<class T>(Type<T>) { elementwise<T, T, T>(y, y.dtype(), ops::next_number<T>(y.dtype()), x, to); });
}
const Kernel<nextafter> nextafter_;

}  // namespace
}  // namespace luth::cuda
