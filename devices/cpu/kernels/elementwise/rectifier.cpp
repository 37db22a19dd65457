// Rectifying activations on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/rectifier.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::Rectifiers> kernels_;
const BinaryKernels<ops::BackwardsOf<ops::Rectifiers>> backwards_;
const BinaryKernels<ops::RectifierPairs> pairs_;
}  // namespace
}  // namespace luth::cpu
