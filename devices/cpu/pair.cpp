// The less common functions of two tensors on the CPU: from the operators' scalar functions.
#include "core/ops/pair.h"

#include "devices/cpu/elementwise.h"

namespace luth::cpu {
namespace {

const BinaryKernels<ops::PairOps> kernels_;

void nextafter(const ops::Nextafter&, Tensor& y, const Value& x, const Value& to) {
  dispatch(Floats{}, y.dtype(),
           [&]<class T>(Type<T>) { elementwise_loop<T, T, T>(y, ops::NextNumber{y.dtype()}, x, to); });
}
const Kernel<nextafter> nextafter_;

}  // namespace
}  // namespace luth::cpu
