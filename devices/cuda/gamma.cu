// The gamma function's family on CUDA: from the operators' scalar functions.
#include "core/ops/gamma.h"

#include "devices/cuda/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::GammaOps> kernels_;
const BinaryKernels<ops::GammaPairs> pairs_;
}  // namespace
}  // namespace luth::cuda
