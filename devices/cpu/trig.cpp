// Inverse trigonometric and hyperbolic functions on the CPU: from the operators' scalar functions.
#include "core/ops/trig.h"

#include "devices/cpu/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::TrigOps> kernels_;
}
}  // namespace luth::cpu
