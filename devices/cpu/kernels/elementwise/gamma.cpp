// The gamma function's family on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/gamma.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::GammaOps> kernels_;
const BinaryKernels<ops::GammaPairs> pairs_;
}  // namespace
}  // namespace luth::cpu
