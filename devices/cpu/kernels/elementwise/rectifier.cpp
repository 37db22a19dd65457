// Rectifying activations on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/rectifier.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::Rectifiers> rectifier_kernels_;
const BinaryKernels<ops::BackwardsOf<ops::Rectifiers>> rectifier_backwards_;
const BinaryKernels<ops::RectifierPairs> rectifier_pairs_;
}  // namespace
}  // namespace luth::cpu
