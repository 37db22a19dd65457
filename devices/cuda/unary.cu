// Elementwise functions of one tensor on CUDA: from their scalar functions.
#include "core/ops/unary.h"

#include "devices/cuda/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::UnaryOps> kernels_;
}
}  // namespace luth::cuda
