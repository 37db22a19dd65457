// Sequences of numbers on CUDA.
#include "core/ops/create/factory.h"

#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

/// Number i of n is first + i * step, in integers where `integers`; in the second half of linspace last - (n-1-i) *
/// step, so that the last one is exact.
struct Sequence {
  bool integers, from_both_ends;
  double first, step, last;
  int64_t first_integer, step_integer;
};

template <class T>
__global__ void sequence_kernel(T* y, int64_t n, Sequence s) {
  for (const int64_t i : grid_stride(n)) {
    if (s.integers && !is_float<T>)
      y[i] = cast<T>(s.first_integer + i * s.step_integer);
    else if (s.from_both_ends && i >= n / 2 && n > 1)
      y[i] = cast<T>(s.last - s.step * double(n - 1 - i));
    else
      y[i] = cast<T>(s.first + double(i) * s.step);
  }
}

void generate(Tensor& y, const Sequence& s) {
  const int64_t n = y.numel();
  if (n == 0) return;
  dispatch(AllTypes{}, y.dtype(),
           [&]<class T>(Type<T>) { start(y, sequence_kernel<T>, blocks_for(n, 256), 256, 0, y.data<T>(), n, s); });
}

void arange(const ops::ArangeStart& op, Tensor& y) {
  generate(y, {true, false, op.start.value(), op.step.value(), 0, op.start.integer(), op.step.integer()});
}

void linspace(const ops::Linspace& op, Tensor& y) {
  const double a = op.start.value(), b = op.end.value();
  generate(y, {false, true, a, op.steps > 1 ? (b - a) / double(op.steps - 1) : 0, b, 0, 0});
}

const Kernel<arange> arange_;
const Kernel<linspace> linspace_;

}  // namespace
}  // namespace luth::cuda
