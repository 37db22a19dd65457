// Poisson and binomial numbers, and positions picked by running sums, on CUDA: by the functions that the CPU uses
// (core/math/poisson.h).
#include "core/ops/random/distributions.h"

#include "core/math/poisson.h"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

template <class T>
__global__ void poisson_kernel(int64_t n, int64_t seed, int64_t offset, const T* rates, T* out) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = T(compute_t<T>(draw::poisson(double(compute_t<T>(rates[i])), draw::Endless(seed, offset, i))));
}
// A rate that is none gives nan; the host does not look, since it would have to wait.
void poisson(const ops::Poisson& op, Tensor& y, const Dense& rates) {
  if (y.numel() == 0) return;
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, poisson_kernel<T>, blocks_for(y.numel(), threads), threads, 0, y.numel(), op.philox.seed, op.philox.offset,
          static_cast<const T*>(rates.raw()), static_cast<T*>(y.raw()));
  });
}

template <class T>
__global__ void binomial_kernel(int64_t n, int64_t seed, int64_t offset, const T* count, const T* prob, T* out) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = T(draw::binomial(double(count[i]), double(prob[i]), draw::Endless(seed, offset, i)));
}
void binomial(const ops::Binomial& op, Tensor& y, const Dense& count, const Dense& prob) {
  if (y.numel() == 0) return;
  dispatch(Types<float, double>{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, binomial_kernel<T>, blocks_for(y.numel(), threads), threads, 0, y.numel(), op.philox.seed,
          op.philox.offset, static_cast<const T*>(count.raw()), static_cast<const T*>(prob.raw()),
          static_cast<T*>(y.raw()));
  });
}

template <class T>
__global__ void pick_kernel(int64_t n, int64_t each, int64_t classes, const T* sums, const T* at, int64_t base,
                            int64_t* out) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = draw::first_above(sums + i / each * classes, classes, at[i]) + base;
}
void multinomial_pick(const ops::MultinomialPick& op, Tensor& y, const Dense& sums, const Dense& at) {
  if (y.numel() == 0) return;
  dispatch(Types<float, double>{}, sums.dtype(), [&]<class T>(Type<T>) {
    start(y, pick_kernel<T>, blocks_for(y.numel(), threads), threads, 0, y.numel(), y.shape()[1], sums.shape()[1],
          static_cast<const T*>(sums.raw()), static_cast<const T*>(at.raw()), int64_t(op.base),
          static_cast<int64_t*>(y.raw()));
  });
}

const Kernel<poisson> poisson_;
const Kernel<binomial> binomial_;
const Kernel<multinomial_pick> multinomial_pick_;

}  // namespace
}  // namespace luth::cuda
