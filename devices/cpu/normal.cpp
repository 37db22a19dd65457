// The error function's family on the CPU: from the operators' scalar functions.
#include "core/ops/normal.h"

#include "devices/cpu/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::NormalOps> kernels_;
}
}  // namespace luth::cpu
