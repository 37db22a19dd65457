// Softmax, log_softmax, their gradients, and logsumexp on CUDA. What of a row fits registers is read once.
#include "core/ops/nn/softmax.h"

#include "core/op/axis.h"
#include "devices/cuda/kernels/common/exponentials.cuh"
#include "devices/cuda/kernels/common/rows.cuh"

namespace luth::cuda {
namespace {

enum class Wanted { softmax, log_softmax, logsumexp };

/// The result for an element, from its distance to the anchor. `sum` of exponentials: by = 1 / sum, log_sum = log(sum).
template <class A>
__device__ A result(Wanted wanted, A distance, A by, A log_sum) {
  return wanted == Wanted::softmax ? std::exp(distance) * by : distance - log_sum;
}

template <class T>
__global__ void __launch_bounds__(max_tile) softmax_rows(TiledRows rows, const T* x, T* y, Wanted wanted) {
  using A = compute_t<T>;
  constexpr int size = vector_size<T>;
  constexpr A lowest = -std::numeric_limits<A>::infinity();
  for_rows(rows, x, [&](int64_t row, const RowVectors<T>& r) {
    const T* p = x + row * rows.n;
    ThreadVectors<T> loaded;
    loaded.load(p, r, r.tile.thread_rank, T(lowest));
    A v[vectors_per_thread][size], top = lowest;
    for_items<T>([&](int k, int j) { top = std::fmax(top, v[k][j] = loaded.at(k, j)); });

    auto rest = Exponentials<A>::none();  // of the elements that the registers do not hold
    auto add_rest = [&](int64_t i) {
      loaded.load(p, r, i, T(lowest));
#pragma unroll
      for (int k = 0; k < vectors_per_thread; ++k) {
        A w[size];
        for (int j = 0; j < size; ++j) w[j] = loaded.at(k, j);
        rest.add(w);
      }
    };
    r.for_loads(add_rest, r.step());
    top = tile_reduce(r.tile, std::fmax(top, rest.top), Maximum(), lowest);
    const A from = anchor(top);
    A sum = rest.relative_to(top);
    for_items<T>([&](int k, int j) {
      const A e = std::exp(v[k][j] - from);
      sum += e;
      v[k][j] = wanted == Wanted::softmax ? e : v[k][j] - from;
    });
    sum = tile_reduce(r.tile, sum, Plus(), A(0));
    if (wanted == Wanted::logsumexp) {
      if (r.tile.thread_rank == 0 && row < rows.rows) y[row] = narrow<T>(std::log(sum) + from);
      return;
    }
    sum += top - top;  // nan for inf
    const A by = A(1) / sum, log_sum = std::log(sum);
    T* q = y + row * rows.n;
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
#pragma unroll
      for (int j = 0; j < size; ++j) v[k][j] = wanted == Wanted::softmax ? v[k][j] * by : v[k][j] - log_sum;
      store_vector(q, r, r.first(r.tile.thread_rank + k * r.tile.num_threads), v[k]);
    }
    auto store_rest = [&](int64_t i) {
      loaded.load(p, r, i, T(lowest));
#pragma unroll
      for (int k = 0; k < vectors_per_thread; ++k) {
        A w[size];
        for (int j = 0; j < size; ++j) w[j] = result(wanted, loaded.at(k, j) - from, by, log_sum);
        store_vector(q, r, r.first(i + k * r.tile.num_threads), w);
      }
    };
    r.for_loads(store_rest, r.step());
  });
}

template <class T>
__global__ void softmax_strided(StridedRows rows, const T* x, T* y, Wanted wanted) {
  using A = compute_t<T>;
  const Axis& a = rows.axis;
  for_rows(rows, [&](const StridedRow& row) {
    const int64_t start = row.start(a);
    auto all = Exponentials<A>::none();
    if (row.exists) all.add_strided(x, start, a, [](int64_t, A) {});
    all = column_reduce(all, Plus());
    const A from = anchor(all.top);
    if (!row.exists) return;
    if (wanted == Wanted::logsumexp) {
      if (threadIdx.y == 0) y[row.index(a)] = narrow<T>(std::log(all.sum) + from);
      return;
    }
    all.sum += all.top - all.top;  // nan for inf
    const A by = A(1) / all.sum, log_sum = std::log(all.sum);
#pragma unroll 4
    for (int64_t i = threadIdx.y; i < a.n; i += blockDim.y) {
      const int64_t e = start + i * a.inner;
      y[e] = narrow<T>(result(wanted, widen(x[e]) - from, by, log_sum));
    }
  });
}

void forward(const Axis& a, const Tensor& x, Tensor& y, Wanted wanted) {
  if (!y.numel()) return;  // of any dtype
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    start_along(y, a, vector_size<T>, softmax_rows<T>, softmax_strided<T>, x.data<T>(), y.data<T>(), wanted);
  });
}

/// An element's term of the sum that the gradients of its row share.
template <class A>
__device__ A term(bool logarithm, A grad, A y) {
  return logarithm ? grad : grad * y;
}
template <class A>
__device__ A gradient(bool logarithm, A grad, A y, A sum) {
  return logarithm ? grad - std::exp(y) * sum : y * (grad - sum);
}

template <class T>
__global__ void __launch_bounds__(max_tile)
    gradient_rows(TiledRows rows, const T* grad, const T* y, T* dx, bool logarithm) {
  using A = compute_t<T>;
  for_rows(rows, y, [&](int64_t row, const RowVectors<T>& r) {
    const int64_t start = row * rows.n;
    ThreadVectors<T> g, p;
    auto load = [&](int64_t i) {
      p.load(y + start, r, i, T(0));
      g.load(grad + start, r, i, T(0));
    };
    A sum = 0;
    r.for_loads([&](int64_t i) {
      load(i);
      for_items<T>([&](int k, int j) { sum += term(logarithm, g.at(k, j), p.at(k, j)); });
    });
    sum = tile_reduce(r.tile, sum, Plus(), A(0));
    r.for_loads([&](int64_t i) {
      if (r.count > r.step()) load(i);  // else the registers still hold the row
#pragma unroll
      for (int k = 0; k < vectors_per_thread; ++k) {
        A w[vector_size<T>];
#pragma unroll
        for (int j = 0; j < vector_size<T>; ++j) w[j] = gradient(logarithm, g.at(k, j), p.at(k, j), sum);
        store_vector(dx + start, r, r.first(i + k * r.tile.num_threads), w);
      }
    });
  });
}

template <class T>
__global__ void gradient_strided(StridedRows rows, const T* grad, const T* y, T* dx, bool logarithm) {
  using A = compute_t<T>;
  const Axis& a = rows.axis;
  for_rows(rows, [&](const StridedRow& row) {
    const int64_t start = row.start(a);
    A sum = 0;
    if (row.exists)
#pragma unroll 4
      for (int64_t i = threadIdx.y; i < a.n; i += blockDim.y)
        sum += term(logarithm, widen(grad[start + i * a.inner]), widen(y[start + i * a.inner]));
    sum = column_reduce(sum, Plus());
    if (row.exists)
#pragma unroll 4
      for (int64_t i = threadIdx.y; i < a.n; i += blockDim.y) {
        const int64_t e = start + i * a.inner;
        dx[e] = narrow<T>(gradient(logarithm, widen(grad[e]), widen(y[e]), sum));
      }
  });
}

template <class Op, Wanted wanted>
void softmax(const Op& op, Tensor& y, const Dense& input) {
  const Tensor x = in_dtype(input, y.dtype());
  forward(axis_of(x.shape(), wrap_dim(op.dim, x.dim())), x, y, wanted);
}
void logsumexp(const ops::LogSumExp& op, Tensor& y, const Dense& input) {
  Tensor x = input;
  const Axis a = reduced_axis(x, dim_mask(op.dim, x.dim()));
  forward(a, x, y, Wanted::logsumexp);
}
template <class Op, bool logarithm>
void softmax_backward(const Op& op, Tensor& dx, const Dense& grad, const Dense& y) {
  const Axis a = axis_of(y.shape(), wrap_dim(op.dim, y.dim()));
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    start_along(dx, a, vector_size<T>, gradient_rows<T>, gradient_strided<T>, grad.data<T>(), y.data<T>(), dx.data<T>(),
                logarithm);
  });
}

const Kernel<softmax<ops::Softmax, Wanted::softmax>> softmax_;
const Kernel<softmax<ops::LogSoftmax, Wanted::log_softmax>> log_softmax_;
const Kernel<logsumexp> logsumexp_;
const Kernel<softmax_backward<ops::SoftmaxBackward, false>> softmax_backward_;
const Kernel<softmax_backward<ops::LogSoftmaxBackward, true>> log_softmax_backward_;

}  // namespace
}  // namespace luth::cuda
