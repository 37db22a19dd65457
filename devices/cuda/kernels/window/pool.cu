// Pooling on CUDA: each result looks at its window, and each element of a gradient at the windows that cover it, so
// that sums need no atomics and have one order. Results NCHW or NHWC, inputs of any layout.
#include "core/ops/window/pool.h"

#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/images.cuh"
#include "devices/cuda/kernels/common/kernels.h"
#include "devices/cuda/runtime/index_check.h"

namespace luth::cuda {
namespace {

constexpr int threads = 256;

// ---- Largest elements --------------------------------------------------------------------------------------------

/// One direction of a window: position i begins at i * step - pad and takes `k` elements, `spread` apart.
struct Direction {
  int k, step, pad, spread;
};

/// The largest of a window and where it stands. A later element wins where it is larger or nan: PyTorch's order.
template <class T>
__global__ void max_windows(Pixels results, Direction down, Direction across, Images in, Elements<T> x, Elements<T> y,
                            int64_t* indices, int base) {
  using C = typename Elements<T>::Compute;
  constexpr C lowest =
      std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < results.numel;
       i += int64_t(gridDim.x) * blockDim.x) {
    const Pixel p = results.at(i);
    const int top = p.y * down.step - down.pad, left = p.x * across.step - across.pad;
    const int r0 = top < 0 ? (down.spread - 1 - top) / down.spread : 0;
    const int q0 = left < 0 ? (across.spread - 1 - left) / across.spread : 0;
    const int64_t plane = in.at({p.n, p.c, 0, 0});
    C best = lowest;
    // the first element inside stands for a window that has nothing above the lowest value
    int at = (top + r0 * down.spread) * in.w + left + q0 * across.spread;
    for (int r = r0; r < down.k && top + r * down.spread < in.h; ++r)
      for (int q = q0; q < across.k && left + q * across.spread < in.w; ++q) {
        const int row = top + r * down.spread, column = left + q * across.spread;
        const C v = x[plane + row * in.row + column * in.column];
        if (!(v > best) && v == v) continue;
        best = v;
        at = row * in.w + column;
      }
    y.set(i, best);
    indices[i] = at + base;
  }
}

void max_pool(const ops::MaxPool2dWithIndices& op, Tensor& y, Tensor& indices, const Strided& x) {
  auto direction = [&](int d) {
    return Direction{int(at_or_all(op.kernel_size, d)), int(op.step(d)), int(at_or_all(op.padding, d)),
                     int(at_or_all(op.dilation, d))};
  };
  if (y.numel() == 0) return;
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, max_windows<T>, blocks_for(y.numel(), threads), threads, 0, Pixels(y), direction(0), direction(1),
          Images(x), Elements<T>(x), Elements<T>(y), indices.data<int64_t>(), op.base);
  });
}

template <class T>
__global__ void gather_planes(Pixels results, Images in, Images where, IndexCheck check, Elements<T> x,
                              const int64_t* indices, Elements<T> y) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < results.numel;
       i += int64_t(gridDim.x) * blockDim.x) {
    const Pixel p = results.at(i);
    const int64_t at = check(indices[where.at(p)], int64_t(in.h) * in.w, where.number(p));
    y.set(i, x[in.at({p.n, p.c, int(at / in.w), int(at % in.w)})]);
  }
}

void gather(const ops::PoolGather& op, Tensor& y, const Strided& x, const Strided& indices) {
  if (y.numel() == 0) return;
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, gather_planes<T>, blocks_for(y.numel(), threads), threads, 0, Pixels(y), Images(x), Images(indices),
          check_indices(indices, op.base), Elements<T>(x), indices.data<int64_t>(), Elements<T>(y));
  });
}

/// Each element of the planes adds what points to it, in the order of the results of the pooling. Of the window only
/// those results are asked that can point here; k = 0: all are, and their indices are checked.
template <class T>
__global__ void scatter_planes(Pixels results, int h, int w, Direction down, Direction across, Images grads,
                               Images where, IndexCheck check, int base, Elements<T> grad, const int64_t* indices,
                               Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < results.numel;
       i += int64_t(gridDim.x) * blockDim.x) {
    const Pixel p = results.at(i);
    const int64_t here = int64_t(p.y) * w + p.x;
    const int rows = down.k ? down.k : grads.h, columns = across.k ? across.k : grads.w;
    C sum = 0;
    for (int r = 0; r < rows; ++r) {
      // the last element of a window first, which is that of the first window
      const int from = down.k ? p.y + down.pad - (rows - 1 - r) * down.spread : r, row = from / down.step;
      if (from < 0 || row * down.step != from || row >= grads.h) continue;
      for (int q = 0; q < columns; ++q) {
        const int start = across.k ? p.x + across.pad - (columns - 1 - q) * across.spread : q;
        const int column = start / across.step;
        if (start < 0 || column * across.step != start || column >= grads.w) continue;
        const Pixel from_there = {p.n, p.c, row, column};
        const int64_t index = indices[where.at(from_there)];
        const int64_t to = down.k ? index - base : check(index, int64_t(h) * w, where.number(from_there));
        if (to == here) sum += grad[grads.at(from_there)];
      }
    }
    y.set(i, sum);
  }
}

void scatter(const ops::PoolScatter& op, Tensor& y, const Strided& grad, const Strided& indices) {
  if (y.numel() == 0) return;
  auto direction = [&](int d) {
    const Ints& v = op.window;
    return v.size() == 8 ? Direction{int(v[d]), int(v[2 + d]), int(v[4 + d]), int(v[6 + d])} : Direction{0, 1, 0, 1};
  };
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, scatter_planes<T>, blocks_for(y.numel(), threads), threads, 0, Pixels(y), int(op.size[0]), int(op.size[1]),
          direction(0), direction(1), Images(grad), Images(indices), check_indices(indices, op.base), op.base,
          Elements<T>(grad), indices.data<int64_t>(), Elements<T>(y));
  });
}

// ---- Means -------------------------------------------------------------------------------------------------------

/// Windows of one direction over m elements, n of them: of a fixed size, or (k = 0) of equal share.
struct Windows {
  int64_t m, n, k, step, pad;
  bool count_pad;

  /// Elements [begin, end) of window i, and what they count as in the divisor.
  __device__ void span(int64_t i, int64_t& begin, int64_t& end, int64_t& size) const {
    begin = k ? i * step - pad : i * m / n;
    end = k ? min(begin + k, m + pad) : ((i + 1) * m + n - 1) / n;
    size = end - begin;
    begin = max(begin, int64_t(0));
    end = max(begin, min(end, m));
    if (!count_pad) size = end - begin;
  }
  /// Windows [first, last) that element h lies in.
  __device__ void covering(int64_t h, int64_t& first, int64_t& last) const {
    first = k ? (h + pad < k ? 0 : (h + pad - k) / step + 1) : h * n / m;
    last = min(n, k ? (h + pad) / step + 1 : ((h + 1) * n + m - 1) / m);
  }
};
Windows windows(const ops::AvgPool& op, int d, int64_t m, int64_t n) {
  return {m, n, at_or_all(op.kernel_size, d), op.step(d), at_or_all(op.padding, d), op.count_include_pad};
}

/// `sum` over the divisor of a window; integers as their dtype divides them.
template <class T>
__device__ typename Elements<T>::Compute divided(const Elements<T>& e, typename Elements<T>::Compute sum, int64_t by) {
  using C = typename Elements<T>::Compute;
  const C d = e.wrap(C(by));
  return d == C(0) ? C(0) : e.wrap(sum) / d;
}

/// The mean of each window, by a thread, or by the 32 of a warp where `lanes` says so.
template <class T>
__global__ void mean_windows(Pixels results, Windows down, Windows across, int64_t divisor, int lanes, Images in,
                             Elements<T> x, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, all = int64_t(gridDim.x) * blockDim.x;
  const int lane = int(threadIdx.x) % lanes;
  for (int64_t i = thread / lanes; i < results.numel; i += all / lanes) {
    const Pixel p = results.at(i);
    int64_t top, bottom, left, right, height, width;
    down.span(p.y, top, bottom, height);
    across.span(p.x, left, right, width);
    const int64_t wide = right - left, count = (bottom - top) * wide;
    C sum = 0;
    if (lanes == 1) {
      for (int64_t h = top; h < bottom; ++h)
        for (int64_t w = left; w < right; ++w) sum += x[in.at({p.n, p.c, int(h), int(w)})];
    } else {
      for (int64_t k = lane; k < count; k += lanes)
        sum += x[in.at({p.n, p.c, int(top + k / wide), int(left + k % wide)})];
      sum = warp_reduce(sum, [](C a, C b) { return a + b; });
    }
    if (lane == 0) y.set(i, divided(y, sum, divisor ? divisor : height * width));
  }
}

void means(Tensor& y, const Tensor& x, const Windows& down, const Windows& across, int64_t divisor) {
  if (y.numel() == 0) return;
  const Images in(x);
  const int64_t window = (down.k ? down.k : down.m / down.n) * (across.k ? across.k : across.m / across.n);
  const int lanes = window >= 64 && in.c > in.column ? 32 : 1;
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, mean_windows<T>, blocks_for(y.numel() * lanes, threads), threads, 0, Pixels(y), down, across, divisor,
          lanes, in, Elements<T>(x), Elements<T>(y));
  });
}

/// What each element passes on: its windows' gradients over their divisors.
template <class T>
__global__ void spread_windows(Pixels results, Windows down, Windows across, int64_t divisor, Images grads,
                               Elements<T> grad, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < results.numel;
       i += int64_t(gridDim.x) * blockDim.x) {
    const Pixel p = results.at(i);
    int64_t i0, i1, j0, j1, begin, end, height, width;
    down.covering(p.y, i0, i1);
    across.covering(p.x, j0, j1);
    C sum = 0;
    for (int64_t r = i0; r < i1; ++r) {
      down.span(r, begin, end, height);
      for (int64_t q = j0; q < j1; ++q) {
        across.span(q, begin, end, width);
        sum += divided(y, grad[grads.at({p.n, p.c, int(r), int(q)})], divisor ? divisor : height * width);
      }
    }
    y.set(i, sum);
  }
}

void spread(Tensor& y, const Tensor& grad, const Windows& down, const Windows& across, int64_t divisor) {
  if (y.numel() == 0) return;
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, spread_windows<T>, blocks_for(y.numel(), threads), threads, 0, Pixels(y), down, across, divisor,
          Images(grad), Elements<T>(grad), Elements<T>(y));
  });
}

int64_t extent(const Tensor& t, int d) { return t.shape()[t.dim() - 2 + d]; }
Windows shares(const Tensor& large, const Tensor& small, int d) {
  return {extent(large, d), extent(small, d), 0, 1, 0, true};
}

void avg_pool(const ops::AvgPool2d& op, Tensor& y, const Strided& x) {
  means(y, x, windows(op, 0, extent(x, 0), extent(y, 0)), windows(op, 1, extent(x, 1), extent(y, 1)),
        op.divisor_override.value_or(0));
}
void avg_pool_grad(const ops::AvgPool2dGrad& op, Tensor& dx, const Strided& dy) {
  spread(dx, dy, windows(op, 0, extent(dx, 0), extent(dy, 0)), windows(op, 1, extent(dx, 1), extent(dy, 1)),
         op.divisor_override.value_or(0));
}
void adaptive(const ops::AdaptiveAvgPool2d&, Tensor& y, const Strided& x) {
  means(y, x, shares(x, y, 0), shares(x, y, 1), 0);
}
void adaptive_grad(const ops::AdaptiveAvgPool2dGrad&, Tensor& dx, const Strided& dy) {
  spread(dx, dy, shares(dx, dy, 0), shares(dx, dy, 1), 0);
}

const Kernel<max_pool> max_pool_;
const Kernel<gather> gather_;
const Kernel<scatter> scatter_;
const Kernel<avg_pool> avg_pool_;
const Kernel<avg_pool_grad> avg_pool_grad_;
const Kernel<adaptive> adaptive_;
const Kernel<adaptive_grad> adaptive_grad_;

}  // namespace
}  // namespace luth::cuda
