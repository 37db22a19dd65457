// Signs and the parts of floats on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/sign.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::SignOps> kernels_;
}
}  // namespace luth::cuda
