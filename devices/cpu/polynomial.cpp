// Orthogonal polynomials on the CPU: from the operators' scalar functions.
#include "core/ops/polynomial.h"

#include "devices/cpu/elementwise.h"

namespace luth::cpu {
namespace {
const BinaryKernels<ops::Polynomials> kernels_;
}
}  // namespace luth::cpu
