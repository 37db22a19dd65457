// layer_norm, group_norm and rms_norm (whose mean counts as 0) on CUDA. What of a row fits registers is read once; the
// variance comes from distances to the mean.
#include "core/ops/nn/group_norm.h"
#include "core/ops/nn/norm.h"

#include "core/ops/create/factory.h"
#include "devices/cuda/kernels/common/columns.cuh"
#include "devices/cuda/kernels/common/divisor.h"

namespace luth::cuda {
namespace {

/// Rows that are groups of channels: row r has `each` channels from r % groups * each on, of `inner` neighbours. A
/// channel has one weight and one bias. groups of 0: each element of a row has its own.
struct Groups {
  int64_t groups = 0, each = 1, inner = 1;
  Divisor by_inner;
  bool narrow = true;  // rows have fewer than 2^31 elements

  Groups() = default;
  Groups(int64_t g, int64_t channels, int64_t n)
      : groups(g), each(channels / g), inner(n / each), narrow(n < (int64_t(1) << 31)) {
    if (narrow && inner > 0) by_inner = Divisor(inner);
  }
  __device__ int64_t channel(int64_t row, int64_t i) const {
    return row % groups * each + (narrow ? int64_t(by_inner.divide(uint32_t(i))) : i / inner);
  }
  /// The numbers of p for the vector of `row` that begins at element f; 0 outside the row of channels.
  template <class T>
  __device__ void load(const Parameter<T>& p, int64_t row, const RowVectors<T>& r, int64_t f,
                       compute_t<T> (&w)[vector_size<T>]) const {
    if (groups == 0) return p.load(r, f, w);
#pragma unroll
    for (int j = 0; j < vector_size<T>; ++j) w[j] = r.contains(f + j) ? p.at(channel(row, f + j)) : compute_t<T>(0);
  }
};

template <class T>
__global__ void __launch_bounds__(max_tile)
    layer_norm_rows(TiledRows rows, const T* x, Parameter<T> weight, Parameter<T> bias, compute_t<T> eps, T* y,
                    compute_t<T>* mean, compute_t<T>* rstd, bool centred, Groups groups) {
  using A = compute_t<T>;
  constexpr int size = vector_size<T>;
  const int64_t n = rows.n;
  for_rows(rows, x, [&](int64_t row, const RowVectors<T>& r) {
    const int64_t start = row * n;
    const bool again = r.count > r.step();  // the registers do not hold the whole row
    ThreadVectors<T> p;
    A sum = 0;
    r.for_loads([&](int64_t i) {
      p.load(x + start, r, i, T(0));
      for_items<T>([&](int k, int j) { sum += p.at(k, j); });
    });
    const A m = centred ? tile_reduce(r.tile, sum, Plus(), A(0)) / A(n) : A(0);
    A square = 0;
    r.for_loads([&](int64_t i) {
      if (again) p.load(x + start, r, i, T(0));
      for_items<T>([&](int k, int j) {
        const A d = p.at(k, j) - m;
        square += r.contains(r.first(i + k * r.tile.num_threads) + j) ? d * d : A(0);
      });
    });
    const A s = A(1) / std::sqrt(tile_reduce(r.tile, square, Plus(), A(0)) / A(n) + eps);
    if (r.tile.thread_rank == 0 && row < rows.rows) mean[row] = m, rstd[row] = s;
    r.for_loads([&](int64_t i) {
      if (again) p.load(x + start, r, i, T(0));
      r.for_vectors(i, [&](int k, int64_t f) {
        A w[size], b[size];
        groups.load(weight, row, r, f, w);
        groups.load(bias, row, r, f, b);
#pragma unroll
        for (int j = 0; j < size; ++j) w[j] = (p.at(k, j) - m) * s * w[j] + b[j];
        store_vector(y + start, r, f, w);
      });
    });
  });
}

template <class Op>
void normalise_rows(const Op& op, Tensor& y, Tensor& mean, Tensor& rstd, const Tensor& x, const Tensor& weight,
                    const Tensor& bias, bool centred, const Groups& groups) {
  const int64_t rows = mean.numel(), n = rows ? x.numel() / rows : 0;
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    Tensor keep[2];
    const Parameter<T> w(weight, A(1), keep[0]), b(bias, A(0), keep[1]);
    start_tiled(x, layer_norm_rows<T>, TiledRows(rows, n, vector_size<T>), x.data<T>(), w, b, A(op.eps), y.data<T>(),
                mean.data<A>(), rstd.data<A>(), centred, groups);
  });
}
void layer_norm(const ops::NativeLayerNorm& op, Tensor& y, Tensor& mean, Tensor& rstd, const Dense& x,
                const Dense& weight, const Dense& bias) {
  normalise_rows(op, y, mean, rstd, x, weight, bias, op.centred, {});
}
void group_norm(const ops::NativeGroupNorm& op, Tensor& y, Tensor& mean, Tensor& rstd, const Dense& x,
                const Dense& weight, const Dense& bias) {
  if (x.numel() == 0) return;
  normalise_rows(op, y, mean, rstd, x, weight, bias, true,
                 Groups(op.num_groups, x.shape()[1], x.numel() / mean.numel()));
}

/// What a thread holds of a row of grad and of the same row of x.
template <class T>
struct GradientRow {
  const T *grad, *x;
  ThreadVectors<T> g, p;
  __device__ void load(const RowVectors<T>& r, int64_t i) {
    g.load(grad, r, i, T(0));
    p.load(x, r, i, T(0));
  }
};
/// The sums over a row of u = grad * weight and of u * (x - mean), for all threads of its tile.
template <class T>
struct GradientSums {
  compute_t<T> sum = 0, dot = 0;
  __device__ GradientSums(GradientRow<T>& held, const RowVectors<T>& r, int64_t row, compute_t<T> mean,
                          const Parameter<T>& weight, const Groups& groups) {
    r.for_loads([&](int64_t i) {
      held.load(r, i);
      r.for_vectors(i, [&](int k, int64_t f) {
        compute_t<T> w[vector_size<T>];
        groups.load(weight, row, r, f, w);
#pragma unroll
        for (int j = 0; j < vector_size<T>; ++j) {
          const compute_t<T> u = held.g.at(k, j) * w[j];  // 0 outside the row
          sum += u;
          dot += u * (held.p.at(k, j) - mean);
        }
      });
    });
    sum = tile_reduce(r.tile, sum, Plus(), compute_t<T>(0));
    dot = tile_reduce(r.tile, dot, Plus(), compute_t<T>(0));
  }
};

// With xh = (x - mean) rstd, g = grad * weight and M the mean over a row: dx = rstd (g - M(g) - xh M(g xh)).
template <class T>
__global__ void __launch_bounds__(max_tile)
    layer_norm_gradient_rows(TiledRows rows, const T* grad, const T* x, Parameter<T> weight, const compute_t<T>* mean,
                             const compute_t<T>* rstd, T* dx, bool centred, Groups groups) {
  using A = compute_t<T>;
  const int64_t n = rows.n;
  for_rows(rows, x, [&](int64_t row, const RowVectors<T>& r) {
    const int64_t start = row * n;
    const A m = row < rows.rows ? mean[row] : A(0), s = row < rows.rows ? rstd[row] : A(0);
    GradientRow<T> held{grad + start, x + start, {}, {}};
    const GradientSums<T> of_row(held, r, row, m, weight, groups);
    const A middle = centred ? of_row.sum / A(n) : A(0), slope = of_row.dot * s * s / A(n);
    r.for_loads([&](int64_t i) {
      if (r.count > r.step()) held.load(r, i);  // else the registers still hold the row
      r.for_vectors(i, [&](int k, int64_t f) {
        A w[vector_size<T>];
        groups.load(weight, row, r, f, w);
#pragma unroll
        for (int j = 0; j < vector_size<T>; ++j)
          w[j] = s * (held.g.at(k, j) * w[j] - middle - (held.p.at(k, j) - m) * slope);
        store_vector(dx + start, r, f, w);
      });
    });
  });
}

/// For each channel of each sample, the sums of grad * (x - mean) * rstd and of grad; `each` channels share a mean.
template <class T>
__global__ void __launch_bounds__(max_tile)
    channel_sums(TiledRows rows, int64_t each, const T* grad, const T* x, const compute_t<T>* mean,
                 const compute_t<T>* rstd, Parameter<T> one, compute_t<T>* dots, compute_t<T>* totals) {
  for_rows(rows, x, [&](int64_t row, const RowVectors<T>& r) {
    const int64_t group = row < rows.rows ? row / each : 0;
    GradientRow<T> held{grad + row * rows.n, x + row * rows.n, {}, {}};
    const GradientSums<T> of_row(held, r, row, mean[group], one, Groups());
    if (r.tile.thread_rank == 0 && row < rows.rows) dots[row] = rstd[group] * of_row.dot, totals[row] = of_row.sum;
  });
}

/// Starts the kernel of dx, and then others: then(Type<T>, means, rstds).
template <class F>
void start_gradient(Tensor& dx, const Tensor& grad, const Tensor& x, const Tensor& weight, const Tensor& mean,
                    const Tensor& rstd, int64_t n, bool centred, const Groups& groups, F then) {
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T> type) {
    using A = compute_t<T>;
    Tensor keep;
    const Parameter<T> w(weight, A(1), keep);
    const Tensor means = mean ? in_dtype(mean, dtype_of<A>) : zeros(rstd.shape(), dtype_of<A>, x.device()),
                 rstds = in_dtype(rstd, dtype_of<A>);
    const A *m = means.data<A>(), *s = rstds.data<A>();
    start_tiled(x, layer_norm_gradient_rows<T>, TiledRows(rstd.numel(), n, vector_size<T>), grad.data<T>(), x.data<T>(),
                w, m, s, dx.data<T>(), centred, groups);
    then(type, m, s);
  });
}

void layer_norm_backward(const ops::LayerNormBackward& op, Tensor& dx, Tensor& dweight, Tensor& dbias,
                         const Dense& grad, const Dense& x, const Dense& weight, const Dense& mean, const Dense& rstd) {
  const int64_t rows = rstd.numel(), n = rows ? x.numel() / rows : dweight.numel();
  start_gradient(
      dx, grad, x, weight, mean, rstd, n, op.centred, {}, [&]<class T, class A>(Type<T>, const A* m, const A* s) {
        if (op.affine)
          sum_columns<T, A>(rows, n, grad, x, m, s, true, {nullptr, dweight.data<A>(), dbias.data<A>(), nullptr, 0});
      });
}
void group_norm_backward(const ops::GroupNormBackward& op, Tensor& dx, Tensor& dots, Tensor& totals, const Dense& grad,
                         const Dense& x, const Dense& weight, const Dense& mean, const Dense& rstd) {
  if (x.numel() == 0) return;
  const int64_t n = x.numel() / rstd.numel(), channels = x.shape()[0] * x.shape()[1];
  start_gradient(dx, grad, x, weight, mean, rstd, n, true, Groups(op.num_groups, x.shape()[1], n),
                 [&]<class T, class A>(Type<T>, const A* m, const A* s) {
                   if (!op.affine) return;
                   Tensor none;
                   start_tiled(x, channel_sums<T>, TiledRows(channels, x.numel() / channels, vector_size<T>),
                               channels / rstd.numel(), grad.data<T>(), x.data<T>(), m, s,
                               Parameter<T>(none, A(1), none), dots.data<A>(), totals.data<A>());
                 });
}

const Kernel<layer_norm> layer_norm_;
const Kernel<group_norm> group_norm_;
const Kernel<group_norm_backward> group_norm_backward_;
const Kernel<layer_norm_backward> layer_norm_backward_;

}  // namespace
}  // namespace luth::cuda
