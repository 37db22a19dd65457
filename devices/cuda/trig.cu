// Inverse trigonometric and hyperbolic functions on CUDA: from the operators' scalar functions.
#include "core/ops/trig.h"

#include "devices/cuda/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::TrigOps> kernels_;
}
}  // namespace luth::cuda
