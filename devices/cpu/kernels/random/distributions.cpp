// Poisson and binomial samples; multinomial samples by search in cumulative sums.
#include "core/ops/random/distributions.h"

#include "core/math/poisson.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

void poisson(const ops::Poisson& op, Tensor& y, const Dense& rates) {
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* rate = rates.data<T>();
    T* out = y.data<T>();
    for (int64_t i = 0; i < y.numel(); ++i)
      if (!(compute_t<T>(rate[i]) >= 0)) throw Error("input holds {}, which is no rate", double(compute_t<T>(rate[i])));
    parallel_each(y.numel(), 256, [&](int64_t i) {
      out[i] = T(compute_t<T>(
          draw::poisson(double(compute_t<T>(rate[i])), draw::Endless(op.philox.seed, op.philox.offset, i))));
    });
  });
}

void binomial(const ops::Binomial& op, Tensor& y, const Dense& count, const Dense& prob) {
  dispatch(Types<float, double>{}, y.dtype(), [&]<class T>(Type<T>) {
    const T *n = count.data<T>(), *p = prob.data<T>();
    T* out = y.data<T>();
    parallel_each(y.numel(), 256, [&](int64_t i) {
      out[i] = T(draw::binomial(double(n[i]), double(p[i]), draw::Endless(op.philox.seed, op.philox.offset, i)));
    });
  });
}

void multinomial_pick(const ops::MultinomialPick& op, Tensor& y, const Dense& sums, const Dense& at) {
  const int64_t classes = sums.shape()[1], each = y.shape()[1];
  int64_t* out = y.data<int64_t>();
  dispatch(Types<float, double>{}, sums.dtype(), [&]<class T>(Type<T>) {
    const T *from = sums.data<T>(), *v = at.data<T>();
    parallel_each(y.numel(), 1024,
                  [&](int64_t i) { out[i] = draw::first_above(from + i / each * classes, classes, v[i]) + op.base; });
  });
}

const Kernel<poisson> poisson_;
const Kernel<binomial> binomial_;
const Kernel<multinomial_pick> multinomial_pick_;

}  // namespace
}  // namespace luth::cpu
