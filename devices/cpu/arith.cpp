// Elementwise arithmetic and logic on the CPU: from the operators' scalar functions.
#include "core/ops/arith.h"

#include "devices/cpu/elementwise.h"

namespace luth::cpu {
namespace {

const BinaryKernels<ops::BinaryOps> kernels_;

void where(const ops::Where&, Tensor& y, const Value& condition, const Value& a, const Value& b) {
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    elementwise_loop<T, bool, T, T>(
        y, [](bool c, auto x, auto z) { return c ? x : z; }, condition, a, b);
  });
}
const Kernel<where> where_;

}  // namespace
}  // namespace luth::cpu
