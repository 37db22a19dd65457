// Inverse trigonometric and hyperbolic functions on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/trig.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::TrigOps> kernels_;
}
}  // namespace luth::cuda
