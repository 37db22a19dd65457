// Pooling on CUDA: each result looks at its window, and each element of a gradient at the windows that cover it, so
// that sums need no atomics and have one order. Results NC… or NHWC, inputs of any layout.
#include "core/ops/window/pool.h"

#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/images.cuh"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

/// Windows along one dim in 32 bits; see ops::PoolDim.
struct Direction {
  int from, to, k, step, pad, spread;

  __device__ int begin(int i) const { return k ? i * step - pad : int(int64_t(i) * from / to); }
  /// Behind the last element inside.
  __device__ int end(int i) const {
    return k ? min(begin(i) + spread * (k - 1) + 1, from) : int((int64_t(i + 1) * from + to - 1) / to);
  }
  /// The first element that is not before the input.
  __device__ int first(int i) const {
    const int b = begin(i);
    return b < 0 ? b + (spread - 1 - b) / spread * spread : b;
  }
  /// Windows that may cover element h, of which the r-th is candidate(h, r), in order, or -1 where it does not.
  __device__ int candidates(int h) const { return k ? k : last_share(h) - first_share(h); }
  __device__ int candidate(int h, int r) const {
    if (!k) return first_share(h) + r;
    const int b = h + pad - (k - 1 - r) * spread, i = b / step;
    return b < 0 || i * step != b || i >= to ? -1 : i;
  }

 private:
  __device__ int first_share(int h) const { return int(int64_t(h) * to / from); }
  __device__ int last_share(int h) const { return int((int64_t(h + 1) * to + from - 1) / from); }
};
struct Directions {
  Direction dim[3];
  explicit Directions(const ops::PoolWindows& w) {
    for (int d = 0; d < 3; ++d) {
      const ops::PoolDim p = w.dim(d);
      dim[d] = {int(p.from), int(p.to), int(p.kernel), int(p.stride), int(p.padding), int(p.dilation)};
    }
  }
  __device__ const Direction& operator[](int d) const { return dim[d]; }
};

// ---- Largest elements --------------------------------------------------------------------------------------------

/// The largest of a window and where it stands. A later element wins where it is larger or nan: PyTorch's order.
template <class T>
__global__ void max_windows(Pixels results, Directions w, Images in, Elements<T> x, Elements<T> y, int64_t* indices,
                            int base) {
  using C = typename Elements<T>::Compute;
  constexpr C lowest =
      std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < results.numel;
       i += int64_t(gridDim.x) * blockDim.x) {
    const Pixel p = results.at(i);
    const int first[3] = {w[0].first(p.at[0]), w[1].first(p.at[1]), w[2].first(p.at[2])};
    const int end[3] = {w[0].end(p.at[0]), w[1].end(p.at[1]), w[2].end(p.at[2])};
    const int64_t channel = in.at({p.n, p.c, {0, 0, 0}});
    C best = lowest;
    int at = in.position(first);  // stands for a window that has nothing above the lowest value
    for (int z = first[0]; z < end[0]; z += w[0].spread)
      for (int h = first[1]; h < end[1]; h += w[1].spread) {
        const int64_t row = channel + z * in.step[0] + h * in.step[1];
        for (int v = first[2]; v < end[2]; v += w[2].spread) {
          const C e = x[row + v * in.step[2]];
          if (!(e > best) && e == e) continue;
          best = e;
          at = (z * in.extent[1] + h) * in.extent[2] + v;
        }
      }
    y.set(i, best);
    indices[i] = int64_t(at) + base;
  }
}

void max_pool(const ops::MaxPool& op, Tensor& y, Tensor& indices, const Strided& x) {
  if (y.numel() == 0) return;
  const int dims = op.windows.dims();
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, max_windows<T>, blocks_for(y.numel(), threads), threads, 0, Pixels(y, dims), Directions(op.windows),
          Images(x, dims), Elements<T>(x), Elements<T>(y), indices.data<int64_t>(), op.base);
  });
}

/// The elements at the indices; 0 where a window steps over the whole input, and where an index is outside of it.
template <class T>
__global__ void pick_elements(Pixels results, Directions w, Images in, Images where, int base, Elements<T> x,
                              const int64_t* indices, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < results.numel;
       i += int64_t(gridDim.x) * blockDim.x) {
    const Pixel p = results.at(i);
    const int64_t at = indices[where.at(p)] - base;
    bool inside = at >= 0 && at < int64_t(in.extent[0]) * in.extent[1] * in.extent[2];
#pragma unroll
    for (int d = 0; d < 3; ++d) inside = inside && w[d].first(p.at[d]) < w[d].from;
    y.set(i, inside ? x[in.at(in.pixel(p.n, p.c, at))] : C(0));
  }
}

void pick(const ops::MaxPoolPick& op, Tensor& y, const Strided& x, const Strided& indices) {
  if (y.numel() == 0) return;
  const int dims = op.forward.windows.dims();
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, pick_elements<T>, blocks_for(y.numel(), threads), threads, 0, Pixels(y, dims),
          Directions(op.forward.windows), Images(x, dims), Images(indices, dims), op.forward.base, Elements<T>(x),
          indices.data<int64_t>(), Elements<T>(y));
  });
}

/// Each element adds the gradients of the windows that have found it, in the order of the results of the pooling.
template <class T>
__global__ void add_windows(Pixels results, Directions w, Images grads, Images where, Images out, int base,
                            Elements<T> grad, const int64_t* indices, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < results.numel;
       i += int64_t(gridDim.x) * blockDim.x) {
    const Pixel p = results.at(i);
    const int64_t here = out.position(p.at);
    const int planes = w[0].candidates(p.at[0]), rows = w[1].candidates(p.at[1]), columns = w[2].candidates(p.at[2]);
    C sum = 0;
    for (int a = 0; a < planes; ++a) {
      const int plane = w[0].candidate(p.at[0], a);
      if (plane < 0) continue;
      for (int b = 0; b < rows; ++b) {
        const int row = w[1].candidate(p.at[1], b);
        if (row < 0) continue;
        for (int c = 0; c < columns; ++c) {
          const int column = w[2].candidate(p.at[2], c);
          if (column < 0) continue;
          const Pixel from = {p.n, p.c, {plane, row, column}};
          if (indices[where.at(from)] - base == here) sum += grad[grads.at(from)];
        }
      }
    }
    y.set(i, sum);
  }
}

void max_pool_grad(const ops::MaxPoolGrad& op, Tensor& dx, const Strided& grad, const Strided& indices) {
  if (dx.numel() == 0) return;
  const int dims = op.forward.windows.dims();
  dispatch_class(Numbers{}, dx.dtype(), [&]<class T>(Type<T>) {
    start(dx, add_windows<T>, blocks_for(dx.numel(), threads), threads, 0, Pixels(dx, dims),
          Directions(op.forward.windows), Images(grad, dims), Images(indices, dims), Images(dx, dims), op.forward.base,
          Elements<T>(grad), indices.data<int64_t>(), Elements<T>(dx));
  });
}

// ---- Means -------------------------------------------------------------------------------------------------------

/// Windows without dilation, and what they are divided by.
struct Means : Directions {
  int64_t divisor;  // 0: the size of the window
  bool count_pad;

  explicit Means(const ops::AvgPool& op)
      : Directions(op.windows), divisor(op.divisor_override.value_or(0)), count_pad(op.count_include_pad) {}
  /// Elements [begin, end) of window i of dim d, and what they count as in the divisor.
  __device__ int span(int d, int i, int& begin, int& end) const {
    const Direction& w = dim[d];
    const int b = w.begin(i), size = (w.k ? min(b + w.k, w.from + w.pad) : w.end(i)) - b;
    begin = max(b, 0), end = max(begin, w.end(i));
    return count_pad ? size : end - begin;
  }
  /// Windows [first, last) of dim d that element h lies in.
  __device__ void covering(int d, int h, int& first, int& last) const {
    const Direction& w = dim[d];
    const int at = h + w.pad;
    first = w.k ? (at < w.k ? 0 : (at - w.k) / w.step + 1) : w.candidate(h, 0);
    last = w.k ? min(w.to, at / w.step + 1) : first + w.candidates(h);
  }
};

/// `sum` over the divisor of a window; integers as their dtype divides them.
template <class T>
__device__ typename Elements<T>::Compute divided(const Elements<T>& e, typename Elements<T>::Compute sum, int64_t by) {
  using C = typename Elements<T>::Compute;
  const C d = e.wrap(C(by));
  return d == C(0) ? C(0) : e.wrap(sum) / d;
}

/// The mean of each window, by a thread, or by the 32 of a warp where `lanes` says so.
template <class T>
__global__ void mean_windows(Pixels results, Means w, int lanes, Images in, Elements<T> x, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, all = int64_t(gridDim.x) * blockDim.x;
  const int lane = int(threadIdx.x) % lanes;
  for (int64_t i = thread / lanes; i < results.numel; i += all / lanes) {
    const Pixel p = results.at(i);
    int begin[3], end[3];
    int64_t size = 1;
#pragma unroll
    for (int d = 0; d < 3; ++d) size *= w.span(d, p.at[d], begin[d], end[d]);
    const int high = end[1] - begin[1], wide = end[2] - begin[2], count = (end[0] - begin[0]) * high * wide;
    C sum = 0;
    if (lanes == 1) {
      for (int z = begin[0]; z < end[0]; ++z)
        for (int h = begin[1]; h < end[1]; ++h)
          for (int v = begin[2]; v < end[2]; ++v) sum += x[in.at({p.n, p.c, {z, h, v}})];
    } else {
      for (int k = lane; k < count; k += lanes) {
        const int row = k / wide, plane = row / high;
        sum += x[in.at({p.n, p.c, {begin[0] + plane, begin[1] + row - plane * high, begin[2] + k - row * wide}})];
      }
      sum = warp_reduce(sum, [](C a, C b) { return a + b; });
    }
    if (lane == 0) y.set(i, divided(y, sum, w.divisor ? w.divisor : size));
  }
}

void avg_pool(const ops::AvgPool& op, Tensor& y, const Strided& x) {
  if (y.numel() == 0) return;
  const int dims = op.windows.dims();
  const Images in(x, dims);
  int64_t window = 1;
  for (int d = 0; d < 3; ++d) {
    const ops::PoolDim w = op.windows.dim(d);
    window *= w.kernel ? w.kernel : w.from / w.to;
  }
  const int lanes = window >= 64 && in.c > in.step[2] ? 32 : 1;
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    start(y, mean_windows<T>, blocks_for(y.numel() * lanes, threads), threads, 0, Pixels(y, dims), Means(op), lanes, in,
          Elements<T>(x), Elements<T>(y));
  });
}

/// What each element passes on: its windows' gradients over their divisors.
template <class T>
__global__ void spread_windows(Pixels results, Means w, Images grads, Elements<T> grad, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < results.numel;
       i += int64_t(gridDim.x) * blockDim.x) {
    const Pixel p = results.at(i);
    int first[3], last[3], begin, end;
#pragma unroll
    for (int d = 0; d < 3; ++d) w.covering(d, p.at[d], first[d], last[d]);
    C sum = 0;
    for (int a = first[0]; a < last[0]; ++a) {
      const int64_t planes = w.span(0, a, begin, end);
      for (int r = first[1]; r < last[1]; ++r) {
        const int64_t rows = planes * w.span(1, r, begin, end);
        for (int q = first[2]; q < last[2]; ++q) {
          const int64_t size = rows * w.span(2, q, begin, end);
          sum += divided(y, grad[grads.at({p.n, p.c, {a, r, q}})], w.divisor ? w.divisor : size);
        }
      }
    }
    y.set(i, sum);
  }
}

void avg_pool_grad(const ops::AvgPoolGrad& op, Tensor& dx, const Strided& grad) {
  if (dx.numel() == 0) return;
  const int dims = op.forward.windows.dims();
  dispatch_class(Numbers{}, dx.dtype(), [&]<class T>(Type<T>) {
    start(dx, spread_windows<T>, blocks_for(dx.numel(), threads), threads, 0, Pixels(dx, dims), Means(op.forward),
          Images(grad, dims), Elements<T>(grad), Elements<T>(dx));
  });
}

const Kernel<max_pool> max_pool_;
const Kernel<max_pool_grad> max_pool_grad_;
const Kernel<pick> pick_;
const Kernel<avg_pool> avg_pool_;
const Kernel<avg_pool_grad> avg_pool_grad_;

}  // namespace
}  // namespace luth::cuda
