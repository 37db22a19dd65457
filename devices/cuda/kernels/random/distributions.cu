// Poisson, binomial and multinomial samples on CUDA, by the functions that the CPU uses (core/math/poisson.h).
#include "core/ops/random/distributions.h"

#include "core/math/poisson.h"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

template <class T>
struct Poisson {
  PhiloxState philox;
  const T* rates;
  T* out;
  __device__ void operator()(int64_t i) const {
    const draw::Endless words(philox.seed, philox.offset, i);
    out[i] = T(compute_t<T>(draw::poisson(double(compute_t<T>(rates[i])), words)));
  }
};
// A rate that is no number gives nan; the host does not look, since it would have to wait.
void poisson(const ops::Poisson& op, Tensor& y, const Dense& rates) {
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    start_for_each(y, y.numel(), Poisson<T>{op.philox, rates.data<T>(), y.data<T>()});
  });
}

template <class T>
struct Binomial {
  PhiloxState philox;
  const T *count, *prob;
  T* out;
  __device__ void operator()(int64_t i) const {
    const draw::Endless words(philox.seed, philox.offset, i);
    out[i] = T(draw::binomial(double(count[i]), double(prob[i]), words));
  }
};
void binomial(const ops::Binomial& op, Tensor& y, const Dense& count, const Dense& prob) {
  dispatch(Types<float, double>{}, y.dtype(), [&]<class T>(Type<T>) {
    start_for_each(y, y.numel(), Binomial<T>{op.philox, count.data<T>(), prob.data<T>(), y.data<T>()});
  });
}

/// The class of each sample: the first whose cumulative weight is above the sample's number.
template <class T>
struct MultinomialPick {
  int64_t samples, classes, base;  // samples: per row
  const T *sums, *at;
  int64_t* out;
  __device__ void operator()(int64_t i) const {
    out[i] = draw::first_above(sums + i / samples * classes, classes, at[i]) + base;
  }
};
void multinomial_pick(const ops::MultinomialPick& op, Tensor& y, const Dense& sums, const Dense& at) {
  if (y.numel() == 0) return;
  dispatch(Types<float, double>{}, sums.dtype(), [&]<class T>(Type<T>) {
    start_for_each(
        y, y.numel(),
        MultinomialPick<T>{y.shape()[1], sums.shape()[1], op.base, sums.data<T>(), at.data<T>(), y.data<int64_t>()});
  });
}

const Kernel<poisson> poisson_;
const Kernel<binomial> binomial_;
const Kernel<multinomial_pick> multinomial_pick_;

}  // namespace
}  // namespace luth::cuda
