// Softmax, log_softmax, their gradients, and logsumexp on CUDA: one read of what fits a block's registers.
#include "core/ops/nn/softmax.h"

#include "core/op/axis.h"
#include "devices/cuda/kernels/common/exponentials.cuh"
#include "devices/cuda/kernels/common/rows.cuh"

namespace luth::cuda {
namespace {

enum class Wanted { softmax, log_softmax, logsumexp };

/// The value of one element, from its distance to the anchor: by = 1 / sum, log_sum = log(sum).
template <class A>
__device__ A result(Wanted wanted, A distance, A by, A log_sum) {
  return wanted == Wanted::softmax ? std::exp(distance) * by : distance - log_sum;
}

template <class T>
__global__ void __launch_bounds__(most_row_threads)
    softmax_rows(int64_t rows, int64_t n, int size, const T* x, T* y, bool aligned, Wanted wanted) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const T none = T(-std::numeric_limits<A>::infinity());
  const RowThread me(size);
  for (int64_t at = me.first(); at < rows; at += me.step()) {
    const int64_t row = at + me.slot;
    const T* p = x + row * n;
    const RowPacks<T> r(p, row < rows ? n : 0);
    A v[held][per];
    Held<T> loaded;
    loaded.load(p, r, me.rank, size, true, none);
    A top = -std::numeric_limits<A>::infinity();
#pragma unroll
    for (int k = 0; k < held; ++k)
#pragma unroll
      for (int j = 0; j < per; ++j) top = std::fmax(top, v[k][j] = loaded.at(k, j));

    auto rest = Exponentials<A>::none();  // of what the registers do not hold
    for (int64_t i = me.rank + int64_t(held) * size; i < r.count; i += int64_t(held) * size) {
      loaded.load(p, r, i, size, true, none);
#pragma unroll
      for (int k = 0; k < held; ++k) {
        A w[per];
        for (int j = 0; j < per; ++j) w[j] = loaded.at(k, j);
        rest.add(w);
      }
    }
    top = group_reduce(
        std::fmax(top, rest.top), size, [](A a, A b) { return std::fmax(a, b); }, -std::numeric_limits<A>::infinity());
    const A from = anchor(top);
    A sum = rest.relative_to(top);
#pragma unroll
    for (int k = 0; k < held; ++k)
#pragma unroll
      for (int j = 0; j < per; ++j) {
        const A e = std::exp(v[k][j] - from);
        sum += e;
        v[k][j] = wanted == Wanted::softmax ? e : v[k][j] - from;
      }
    sum = group_reduce(
        sum, size, [](A a, A b) { return a + b; }, A(0));
    if (wanted == Wanted::logsumexp) {
      if (me.rank == 0 && row < rows) y[row] = narrow<T>(std::log(sum) + from);
      continue;
    }
    sum += top - top;  // nan for inf
    const A by = A(1) / sum, log_sum = std::log(sum);
    T* q = y + row * n;
#pragma unroll
    for (int k = 0; k < held; ++k) {
#pragma unroll
      for (int j = 0; j < per; ++j) v[k][j] = wanted == Wanted::softmax ? v[k][j] * by : v[k][j] - log_sum;
      store_pack(q, r, r.first(me.rank + k * size), aligned, v[k]);
    }
    for (int64_t i = me.rank + int64_t(held) * size; i < r.count; i += int64_t(held) * size) {
      loaded.load(p, r, i, size, true, none);
#pragma unroll
      for (int k = 0; k < held; ++k) {
        A w[per];
        for (int j = 0; j < per; ++j) w[j] = result(wanted, loaded.at(k, j) - from, by, log_sum);
        store_pack(q, r, r.first(i + k * size), aligned, w);
      }
    }
  }
}

template <class T>
__global__ void softmax_columns(Axis a, int64_t tiles, const T* x, T* y, Wanted wanted) {
  using A = compute_t<T>;
  for (int64_t tile = blockIdx.x; tile < a.outer * tiles; tile += gridDim.x) {
    const int64_t outer = tile / tiles, column = (tile - outer * tiles) * blockDim.x + threadIdx.x;
    const bool mine = column < a.inner;
    const int64_t start = outer * a.n * a.inner + column;
    auto all = Exponentials<A>::none();
    if (mine)
      for (int64_t i = threadIdx.y; i < a.n; i += 4 * blockDim.y) {
        A w[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int64_t j = i + k * int64_t(blockDim.y);
          w[k] = j < a.n ? widen(x[start + j * a.inner]) : -std::numeric_limits<A>::infinity();
        }
        all.add(w);
      }
    all = column_reduce(all, [](const auto& p, const auto& q) { return p.joined(q); });
    const A from = anchor(all.top);
    if (!mine) continue;
    if (wanted == Wanted::logsumexp) {
      if (threadIdx.y == 0) y[outer * a.inner + column] = narrow<T>(std::log(all.sum) + from);
      continue;
    }
    all.sum += all.top - all.top;  // nan for inf
    const A by = A(1) / all.sum, log_sum = std::log(all.sum);
#pragma unroll 4
    for (int64_t i = threadIdx.y; i < a.n; i += blockDim.y) {
      const int64_t e = start + i * a.inner;
      y[e] = narrow<T>(result(wanted, widen(x[e]) - from, by, log_sum));
    }
  }
}

void forward(const Axis& a, const Tensor& x, Tensor& y, Wanted wanted) {
  if (!y.numel()) return;  // of any dtype
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data<T>();
    T* to = y.data<T>();
    if (a.inner == 1) {
      const RowShare share(a.outer, a.n, per_pack<T>);
      start(y, softmax_rows<T>, share.grid, unsigned(share.block), share.shared, a.outer, a.n, share.size, from, to,
            same_phase(from, to), wanted);
    } else {
      const ColumnShare share(a);
      start(y, softmax_columns<T>, share.grid, share.block, share.shared, a, share.tiles, from, to, wanted);
    }
  });
}

/// The term of the sum that every element's gradient needs, and the gradient.
template <class A>
__device__ A term(bool logarithm, A grad, A y) {
  return logarithm ? grad : grad * y;
}
template <class A>
__device__ A gradient(bool logarithm, A grad, A y, A sum) {
  return logarithm ? grad - std::exp(y) * sum : y * (grad - sum);
}

template <class T>
__global__ void __launch_bounds__(most_row_threads)
    gradient_rows(int64_t rows, int64_t n, int size, const T* grad, const T* y, T* dx, bool aligned_grad,
                  bool aligned_dx, bool logarithm) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const RowThread me(size);
  for (int64_t at = me.first(); at < rows; at += me.step()) {
    const int64_t row = at + me.slot, start = row * n, step = int64_t(held) * size;
    const RowPacks<T> r(y + start, row < rows ? n : 0);
    Held<T> g, p;
    A sum = 0;
    for (int64_t i = me.rank; i < r.count; i += step) {
      p.load(y + start, r, i, size, true, T(0));
      g.load(grad + start, r, i, size, aligned_grad, T(0));
#pragma unroll
      for (int k = 0; k < held; ++k)
#pragma unroll
        for (int j = 0; j < per; ++j) sum += term(logarithm, g.at(k, j), p.at(k, j));
    }
    sum = group_reduce(
        sum, size, [](A a, A b) { return a + b; }, A(0));
    for (int64_t i = me.rank; i < r.count; i += step) {
      if (r.count > step) {  // else the registers still have all
        p.load(y + start, r, i, size, true, T(0));
        g.load(grad + start, r, i, size, aligned_grad, T(0));
      }
#pragma unroll
      for (int k = 0; k < held; ++k) {
        A w[per];
#pragma unroll
        for (int j = 0; j < per; ++j) w[j] = gradient(logarithm, g.at(k, j), p.at(k, j), sum);
        store_pack(dx + start, r, r.first(i + k * size), aligned_dx, w);
      }
    }
  }
}

template <class T>
__global__ void gradient_columns(Axis a, int64_t tiles, const T* grad, const T* y, T* dx, bool logarithm) {
  using A = compute_t<T>;
  for (int64_t tile = blockIdx.x; tile < a.outer * tiles; tile += gridDim.x) {
    const int64_t outer = tile / tiles, column = (tile - outer * tiles) * blockDim.x + threadIdx.x;
    const bool mine = column < a.inner;
    const int64_t start = outer * a.n * a.inner + column;
    A sum = 0;
    if (mine)
#pragma unroll 4
      for (int64_t i = threadIdx.y; i < a.n; i += blockDim.y)
        sum += term(logarithm, widen(grad[start + i * a.inner]), widen(y[start + i * a.inner]));
    sum = column_reduce(sum, [](A p, A q) { return p + q; });
    if (mine)
#pragma unroll 4
      for (int64_t i = threadIdx.y; i < a.n; i += blockDim.y) {
        const int64_t e = start + i * a.inner;
        dx[e] = narrow<T>(gradient(logarithm, widen(grad[e]), widen(y[e]), sum));
      }
  }
}

void backward(int64_t dim, const Tensor& grad, const Tensor& y, Tensor& dx, bool logarithm) {
  const Axis a = axis_of(y.shape(), wrap_dim(dim, y.dim()));
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    const T *g = grad.data<T>(), *p = y.data<T>();
    T* to = dx.data<T>();
    if (a.inner == 1) {
      const RowShare share(a.outer, a.n, per_pack<T>);
      start(dx, gradient_rows<T>, share.grid, unsigned(share.block), share.shared, a.outer, a.n, share.size, g, p, to,
            same_phase(p, g), same_phase(p, to), logarithm);
    } else {
      const ColumnShare share(a);
      start(dx, gradient_columns<T>, share.grid, share.block, share.shared, a, share.tiles, g, p, to, logarithm);
    }
  });
}

void softmax(const ops::Softmax& op, Tensor& y, const Dense& input) {
  const Tensor x = in_dtype(input, y.dtype());
  forward(axis_of(x.shape(), wrap_dim(op.dim, x.dim())), x, y, Wanted::softmax);
}
void log_softmax(const ops::LogSoftmax& op, Tensor& y, const Dense& input) {
  const Tensor x = in_dtype(input, y.dtype());
  forward(axis_of(x.shape(), wrap_dim(op.dim, x.dim())), x, y, Wanted::log_softmax);
}
void logsumexp(const ops::LogSumExp& op, Tensor& y, const Dense& input) {
  Tensor x = input;
  const Axis a = reduced_axis(x, dim_mask(op.dim, x.dim()));
  forward(a, x, y, Wanted::logsumexp);
}
void softmax_backward(const ops::SoftmaxBackward& op, Tensor& dx, const Dense& grad, const Dense& y) {
  backward(op.dim, grad, y, dx, false);
}
void log_softmax_backward(const ops::LogSoftmaxBackward& op, Tensor& dx, const Dense& grad, const Dense& y) {
  backward(op.dim, grad, y, dx, true);
}

const Kernel<softmax> softmax_;
const Kernel<log_softmax> log_softmax_;
const Kernel<logsumexp> logsumexp_;
const Kernel<softmax_backward> softmax_backward_;
const Kernel<log_softmax_backward> log_softmax_backward_;

}  // namespace
}  // namespace luth::cuda
