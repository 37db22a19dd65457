// Cross products on CUDA: a thread to a vector.
#include "core/ops/linalg/cross_product.h"

#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

template <class T>
struct CrossProductAt {
  using C = compute_t<T>;
  const T *a, *b;
  T* y;
  int64_t inner;
  __device__ C component(int64_t j, int64_t k) const {
    return ops::difference_of_products<C>(cast<C>(a[j]), cast<C>(b[k]), cast<C>(a[k]), cast<C>(b[j]));
  }
  __device__ void operator()(int64_t at) const {
    const int64_t i = at / inner * 3 * inner + at % inner, j = i + inner, k = j + inner;
    y[i] = cast<T>(component(j, k));
    y[j] = cast<T>(component(k, i));
    y[k] = cast<T>(component(i, j));
  }
};
void cross_product(const ops::CrossProduct& op, Tensor& y, const Dense& x1, const Dense& x2) {
  const int64_t inner = x1.strides()[wrap_dim(op.dim, x1.dim())];
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start_for_each(y, y.numel() / 3, CrossProductAt<T>{x1.data<T>(), x2.data<T>(), y.data<T>(), inner});
  });
}
const Kernel<cross_product> cross_product_;

}  // namespace
}  // namespace luth::cuda
