// The error function's family on CUDA: from the operators' scalar functions.
#include "core/ops/normal.h"

#include "devices/cuda/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::NormalOps> kernels_;
}
}  // namespace luth::cuda
