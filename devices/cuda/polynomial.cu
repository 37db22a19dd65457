// Orthogonal polynomials on CUDA: from the operators' scalar functions.
#include "core/ops/polynomial.h"

#include "devices/cuda/elementwise.cuh"

namespace luth::cuda {
namespace {
const BinaryKernels<ops::Polynomials> kernels_;
}
}  // namespace luth::cuda
