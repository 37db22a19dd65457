// The gamma function's family on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/gamma.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::GammaOps> kernels_;
const BinaryKernels<ops::GammaPairs> pairs_;
}  // namespace
}  // namespace luth::cuda
