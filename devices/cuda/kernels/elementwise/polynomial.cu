// Orthogonal polynomials on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/polynomial.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {
const BinaryKernels<ops::Polynomials> kernels_;
}
}  // namespace luth::cuda
