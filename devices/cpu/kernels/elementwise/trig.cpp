// Inverse trigonometric and hyperbolic functions on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/trig.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::TrigOps> kernels_;
}
}  // namespace luth::cpu
