// Sequences of numbers on the CPU.
#include "core/ops/create/factory.h"

#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/loops.h"

namespace luth::cpu {
namespace {

template <class F>
void generate(Tensor& y, F&& number) {
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T> type) {
    T* out = y.data<T>();
    parallel_for(y.numel(), grain_elements, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) out[i] = number(i, type);
    });
  });
}

void arange(const ops::ArangeStart& op, Tensor& y) {
  double a = op.start.value(), s = op.step.value();
  int64_t ia = op.start.integer(), is = op.step.integer();
  generate(y, [&]<class T>(int64_t i, Type<T>) {
    return is_float<T> ? cast<T>(a + double(i) * s) : cast<T>(ia + i * is);  // PyTorch: integers take whole steps
  });
}

// From both ends, as PyTorch does, so that the last number is exactly `end`.
void linspace(const ops::Linspace& op, Tensor& y) {
  double a = op.start.value(), b = op.end.value();
  int64_t n = op.steps;
  double step = n > 1 ? (b - a) / double(n - 1) : 0;
  generate(y, [&]<class T>(int64_t i, Type<T>) {
    return cast<T>(i < n / 2 || n == 1 ? a + step * double(i) : b - step * double(n - 1 - i));
  });
}

const Kernel<arange> arange_;
const Kernel<linspace> linspace_;

}  // namespace
}  // namespace luth::cpu
