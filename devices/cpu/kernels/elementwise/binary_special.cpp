// The less common functions of two tensors on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/binary_special.h"

#include "core/ops/elementwise/activation.h"
#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
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
  dispatch(Floats{}, y.dtype(),
           [&]<class T>(Type<T>) { elementwise_loop<T, T, T>(y, ops::next_number<T>(y.dtype()), x, to); });
}
const Kernel<nextafter> nextafter_;

}  // namespace
}  // namespace luth::cpu
