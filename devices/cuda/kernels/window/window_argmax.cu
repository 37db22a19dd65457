// Where the largest elements of windows along one dim stand: a thread for each window.
#include "core/ops/window/pool_more.h"
#include "devices/cuda/kernels/common/classes.cuh"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

/// Windows along a dim of n elements: `kernel` 0: of equal share.
struct Windows {
  int64_t n, size, kernel, stride, padding, dilation;
};

template <class T>
__global__ void argmax_of_windows(Windows w, int64_t inner, int64_t numel, Elements<T> x, int64_t* y) {
  using C = typename Elements<T>::Compute;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < numel; i += int64_t(gridDim.x) * blockDim.x) {
    const int64_t rest = i / inner, outer = rest / w.size, at = rest - outer * w.size;
    int64_t begin = at * w.n / w.size, end = ((at + 1) * w.n + w.size - 1) / w.size;
    if (w.kernel) {
      begin = at * w.stride - w.padding;
      end = min(w.n, begin + (w.kernel - 1) * w.dilation + 1);
      if (begin < 0) begin += (w.dilation - 1 - begin) / w.dilation * w.dilation;
    }
    if (begin >= w.n) {  // steps over the whole input: nothing to read
      y[i] = begin;
      continue;
    }
    const int64_t from = outer * w.n * inner + (i - rest * inner), step = w.kernel ? w.dilation : 1;
    C best = x[from + begin * inner];
    int64_t where = begin;
    for (int64_t k = begin + step; k < end; k += step) {
      const C v = x[from + k * inner];
      if (!(v > best) && v == v) continue;
      best = v;
      where = k;
    }
    y[i] = where;
  }
}

void window_argmax(const ops::WindowArgmax& op, Tensor& y, const Dense& x) {
  if (y.numel() == 0) return;
  const Axis a = axis_of(x.shape(), wrap_dim(op.dim, x.dim()));
  const Windows w{a.n, op.size, op.kernel, op.stride, op.padding, op.dilation};
  dispatch_class(Numbers{}, x.dtype(), [&]<class T>(Type<T>) {
    start(y, argmax_of_windows<T>, blocks_for(y.numel(), 256), 256, 0, w, a.inner, y.numel(), Elements<T>(x),
          y.data<int64_t>());
  });
}

const Kernel<window_argmax> window_argmax_;

}  // namespace
}  // namespace luth::cuda
