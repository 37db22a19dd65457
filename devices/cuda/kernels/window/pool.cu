// Pooling on CUDA. Each result gathers its window, and each element of a gradient gathers the windows that cover it, so
// sums need no atomics and have one order. Results are NC… or NHWC, inputs have any layout.
#include "core/ops/window/pool.h"

#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/images.cuh"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

/// Windows along one dim in 32 bits; see ops::PoolDim.
struct Direction {
  int from, to, k, step, pad, dilation;

  __device__ int begin(int i) const { return k ? i * step - pad : int(int64_t(i) * from / to); }
  /// One past the last element inside the input.
  __device__ int end(int i) const {
    return k ? min(begin(i) + dilation * (k - 1) + 1, from) : int((int64_t(i + 1) * from + to - 1) / to);
  }
  /// The first element inside the input.
  __device__ int first(int i) const {
    const int b = begin(i);
    return b < 0 ? b + (dilation - 1 - b) / dilation * dilation : b;
  }
  /// The number of windows that may cover element h; candidate(h, r) is the r-th of them, or -1 if it does not.
  __device__ int candidates(int h) const { return k ? k : last_share(h) - first_share(h); }
  __device__ int candidate(int h, int r) const {
    if (!k) return first_share(h) + r;
    const int b = h + pad - (k - 1 - r) * dilation, i = b / step;
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

/// f(i, pixel) for each element i of the results, in a grid-stride loop.
template <class F>
__device__ void for_pixels(const Pixels& results, F f) {
  for (const int64_t i : grid_stride(results.numel)) f(i, results.at(i));
}
/// Starts a kernel whose loop is for_pixels over the elements of y.
template <class... P, class... A>
void start_pixels(const Tensor& y, int dims, void (*kernel)(Pixels, P...), const A&... args) {
  start_grid_stride(y, kernel, y.numel(), Pixels(y, dims), args...);
}
/// f(Type<T>()) for the class T of y's dtype, if y has elements.
template <class F>
void dispatch_numbers(const Tensor& y, F f) {
  if (y.numel()) dispatch_class(Numbers{}, y.dtype(), f);
}

/// The elements of images.
template <class T>
struct ImageElements {
  Images layout;
  Elements<T> elements;
  ImageElements(const Tensor& t, int dims) : layout(t, dims), elements(t) {}
  __device__ typename Elements<T>::Compute operator[](const Pixel& p) const { return elements[layout.at(p)]; }
};

// ---- Largest elements --------------------------------------------------------------------------------------------

/// The largest of a window and where it stands. A later element wins where it is larger or nan: PyTorch's order.
template <class T>
__global__ void max_windows(Pixels results, Directions w, ImageElements<T> x, Elements<T> y, int64_t* indices,
                            int base) {
  using C = typename Elements<T>::Compute;
  constexpr C lowest =
      std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
  for_pixels(results, [&](int64_t i, const Pixel& p) {
    const int first[3] = {w[0].first(p.at[0]), w[1].first(p.at[1]), w[2].first(p.at[2])};
    const int end[3] = {w[0].end(p.at[0]), w[1].end(p.at[1]), w[2].end(p.at[2])};
    const int64_t channel = x.layout.at({p.n, p.c, {0, 0, 0}});
    C best = lowest;
    int at = x.layout.position(first);  // stands for a window that has nothing above the lowest value
    for (int z = first[0]; z < end[0]; z += w[0].dilation)
      for (int h = first[1]; h < end[1]; h += w[1].dilation) {
        const int64_t row = channel + z * x.layout.step[0] + h * x.layout.step[1];
        for (int v = first[2]; v < end[2]; v += w[2].dilation) {
          const C e = x.elements[row + v * x.layout.step[2]];
          if (!(e > best) && e == e) continue;
          best = e;
          at = (z * x.layout.extent[1] + h) * x.layout.extent[2] + v;
        }
      }
    y.set(i, best);
    if (indices) indices[i] = int64_t(at) + base;
  });
}

void max_pool(const ops::MaxPool& op, Tensor& y, Tensor& indices, const Strided& x) {
  const int dims = op.windows.dims();
  dispatch_numbers(y, [&]<class T>(Type<T>) {
    start_pixels(y, dims, max_windows<T>, Directions(op.windows), ImageElements<T>(x, dims), Elements<T>(y),
                 op.positions ? indices.data<int64_t>() : nullptr, op.base);
  });
}

/// The indices that max pooling has returned: positions in a channel of its input, counted from `base`.
struct MaxIndices {
  Images layout;
  const int64_t* data;
  int base;
  MaxIndices(const Tensor& t, const ops::MaxPool& op)
      : layout(t, op.windows.dims()), data(t.data<int64_t>()), base(op.base) {}
  __device__ int64_t operator[](const Pixel& p) const { return data[layout.at(p)] - base; }
};

/// The elements at the indices; 0 where a window steps over the whole input, and where an index is outside of it.
template <class T>
__global__ void pick_elements(Pixels results, Directions w, ImageElements<T> x, MaxIndices indices, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for_pixels(results, [&](int64_t i, const Pixel& p) {
    const int64_t at = indices[p];
    bool inside = at >= 0 && at < int64_t(x.layout.extent[0]) * x.layout.extent[1] * x.layout.extent[2];
#pragma unroll
    for (int d = 0; d < 3; ++d) inside = inside && w[d].first(p.at[d]) < w[d].from;
    y.set(i, inside ? x[x.layout.pixel(p.n, p.c, at)] : C(0));
  });
}

void pick(const ops::MaxPoolPick& op, Tensor& y, const Strided& x, const Strided& indices) {
  const int dims = op.forward.windows.dims();
  dispatch_numbers(y, [&]<class T>(Type<T>) {
    start_pixels(y, dims, pick_elements<T>, Directions(op.forward.windows), ImageElements<T>(x, dims),
                 MaxIndices(indices, op.forward), Elements<T>(y));
  });
}

/// Each element adds the gradients of the windows whose maximum it is, in order of the windows.
template <class T>
__global__ void add_windows(Pixels results, Directions w, ImageElements<T> grad, MaxIndices indices, Images out,
                            Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for_pixels(results, [&](int64_t i, const Pixel& p) {
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
          if (indices[from] == here) sum += grad[from];
        }
      }
    }
    y.set(i, sum);
  });
}

void max_pool_grad(const ops::MaxPoolGrad& op, Tensor& dx, const Strided& grad, const Strided& indices) {
  const int dims = op.forward.windows.dims();
  dispatch_numbers(dx, [&]<class T>(Type<T>) {
    start_pixels(dx, dims, add_windows<T>, Directions(op.forward.windows), ImageElements<T>(grad, dims),
                 MaxIndices(indices, op.forward), Images(dx, dims), Elements<T>(dx));
  });
}

// ---- Means -------------------------------------------------------------------------------------------------------

/// Windows without dilation, and their divisors.
struct Means : Directions {
  int64_t divisor;  // 0: the size of the window
  bool count_pad;

  explicit Means(const ops::AvgPool& op)
      : Directions(op.windows), divisor(op.divisor_override.value_or(0)), count_pad(op.count_include_pad) {}
  /// Elements [begin, end) of window i of dim d; returns their number for the divisor.
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
__global__ void mean_windows(Pixels results, Means w, int lanes, ImageElements<T> x, Elements<T> y) {
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
          for (int v = begin[2]; v < end[2]; ++v) sum += x[{p.n, p.c, {z, h, v}}];
    } else {
      for (int k = lane; k < count; k += lanes) {
        const int row = k / wide, plane = row / high;
        sum += x[{p.n, p.c, {begin[0] + plane, begin[1] + row - plane * high, begin[2] + k - row * wide}}];
      }
      sum = warp_reduce(sum, Plus());
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
  dispatch_numbers(y, [&]<class T>(Type<T>) {
    start_grid_stride(y, mean_windows<T>, y.numel() * lanes, Pixels(y, dims), Means(op), lanes,
                      ImageElements<T>(x, dims), Elements<T>(y));
  });
}

/// The gradient of each element: the sum of its windows' gradients over their divisors.
template <class T>
__global__ void spread_windows(Pixels results, Means w, ImageElements<T> grad, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for_pixels(results, [&](int64_t i, const Pixel& p) {
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
          sum += divided(y, grad[{p.n, p.c, {a, r, q}}], w.divisor ? w.divisor : size);
        }
      }
    }
    y.set(i, sum);
  });
}

void avg_pool_grad(const ops::AvgPoolGrad& op, Tensor& dx, const Strided& grad) {
  const int dims = op.forward.windows.dims();
  dispatch_numbers(dx, [&]<class T>(Type<T>) {
    start_pixels(dx, dims, spread_windows<T>, Means(op.forward), ImageElements<T>(grad, dims), Elements<T>(dx));
  });
}

const Kernel<max_pool> max_pool_;
const Kernel<max_pool_grad> max_pool_grad_;
const Kernel<pick> pick_;
const Kernel<avg_pool> avg_pool_;
const Kernel<avg_pool_grad> avg_pool_grad_;

}  // namespace
}  // namespace luth::cuda
