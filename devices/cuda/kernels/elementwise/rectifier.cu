// Rectifying activations on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/rectifier.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::Rectifiers> kernels_;
const BinaryKernels<ops::BackwardsOf<ops::Rectifiers>> backwards_;
const BinaryKernels<ops::RectifierPairs> pairs_;
}  // namespace
}  // namespace luth::cuda
