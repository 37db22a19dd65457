// The error function's family on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/error_function.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::NormalOps> kernels_;
}
}  // namespace luth::cpu
