// Elementwise functions of one tensor on the CPU: from their scalar functions.
#include "core/ops/elementwise/unary.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::UnaryOps> kernels_;
}
}  // namespace luth::cpu
