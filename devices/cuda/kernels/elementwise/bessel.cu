// Bessel functions on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/bessel.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const UnaryKernels<ops::BesselOps> kernels_;
}
}  // namespace luth::cuda
