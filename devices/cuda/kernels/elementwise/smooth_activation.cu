// Smooth, gated and shrinking activations on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/smooth_activation.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::Shrinks> kernels_;
const BinaryKernels<ops::BackwardsOf<ops::Shrinks>> backwards_;
const BinaryKernels<ops::ShrinkPairs> pairs_;
}  // namespace
}  // namespace luth::cuda
