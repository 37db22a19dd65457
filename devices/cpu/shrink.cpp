// Smooth, gated and shrinking activations on the CPU: from the operators' scalar functions.
#include "core/ops/shrink.h"

#include "devices/cpu/elementwise.h"

namespace luth::cpu {
namespace {
const UnaryKernels<ops::Shrinks> kernels_;
const BinaryKernels<ops::BackwardsOf<ops::Shrinks>> backwards_;
const BinaryKernels<ops::ShrinkPairs> pairs_;
}  // namespace
}  // namespace luth::cpu
