// Elementwise functions of one tensor on CUDA: from their scalar functions.
#include "core/ops/elementwise/unary.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::UnaryOps> kernels_;
}
}  // namespace luth::cuda
