// Bessel functions on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/bessel.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::BesselOps> kernels_;
}
}  // namespace luth::cpu
