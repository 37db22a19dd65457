// Signs and the parts of floats on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/sign.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::SignOps> kernels_;
}
}  // namespace luth::cpu
