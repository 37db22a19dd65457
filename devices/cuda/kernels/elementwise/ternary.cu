// Elementwise functions of three tensors on CUDA: from the operators' scalar functions.
#include "core/ops/elementwise/ternary.h"

#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

template <class Op>
void ternary(const Op& op, Tensor& y, const Value& a, const Value& b, const Value& c) {
  apply_elementwise(op, y, a, b, c);
}
struct Kernels {
  Kernels() {
    for_each(ops::TernaryOps{}, []<class Op>(Type<Op>) { Kernel<ternary<Op>>(); });
  }
};
const Kernels kernels_;

}  // namespace
}  // namespace luth::cuda
