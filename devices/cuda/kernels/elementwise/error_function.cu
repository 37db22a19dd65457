// The error function's family on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/error_function.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::NormalOps> kernels_;
}
}  // namespace luth::cuda
