// Orthogonal polynomials on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/polynomial.h"

#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {
const BinaryKernels<ops::Polynomials> kernels_;
}
}  // namespace luth::cpu
