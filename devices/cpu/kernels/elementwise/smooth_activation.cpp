// Smooth, gated and shrinking activations on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/smooth_activation.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::Shrinks> kernels_;
const BinaryKernels<ops::BackwardsOf<ops::Shrinks>> backwards_;
const BinaryKernels<ops::ShrinkPairs> pairs_;
}  // namespace
}  // namespace luth::cpu
