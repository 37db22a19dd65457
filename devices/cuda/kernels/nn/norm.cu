// layer_norm on CUDA, and rms_norm, whose mean counts as 0: rows in registers, variance from distances to the mean.
#include "core/ops/nn/group_norm.h"
#include "core/ops/nn/norm.h"

#include "core/ops/create/factory.h"
#include "devices/cuda/kernels/common/columns.cuh"
#include "devices/cuda/kernels/common/divisor.h"

namespace luth::cuda {
namespace {

/// Rows that are groups of channels: `inner` neighbours have one weight and one bias, and row r those from
/// r % groups * each on. groups of 0: each element of a row has its own.
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
};

template <class T>
__global__ void __launch_bounds__(most_row_threads)
    layer_norm_rows(int64_t rows, int64_t n, int size, const T* x, Numbers<T> weight, Numbers<T> bias, compute_t<T> eps,
                    T* y, compute_t<T>* mean, compute_t<T>* rstd, bool aligned, bool centred, Groups groups) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const RowThread me(size);
  auto plus = [](A a, A b) { return a + b; };
  for (int64_t at = me.first(); at < rows; at += me.step()) {
    const int64_t row = at + me.slot, start = row * n, step = int64_t(held) * size;
    const RowPacks<T> r(x + start, row < rows ? n : 0);
    const bool again = r.count > step;  // the registers do not hold all
    Held<T> p;
    A sum = 0;
    for (int64_t i = me.rank; i < r.count; i += step) {
      p.load(x + start, r, i, size, true, T(0));
#pragma unroll
      for (int k = 0; k < held; ++k)
#pragma unroll
        for (int j = 0; j < per; ++j) sum += p.at(k, j);
    }
    const A m = centred ? group_reduce(sum, size, plus, A(0)) / A(n) : A(0);
    A square = 0;
    for (int64_t i = me.rank; i < r.count; i += step) {
      if (again) p.load(x + start, r, i, size, true, T(0));
#pragma unroll
      for (int k = 0; k < held; ++k)
#pragma unroll
        for (int j = 0; j < per; ++j) {
          const A d = p.at(k, j) - m;
          square += r.holds(r.first(i + k * size) + j) ? d * d : A(0);
        }
    }
    const A s = A(1) / std::sqrt(group_reduce(square, size, plus, A(0)) / A(n) + eps);
    if (me.rank == 0 && row < rows) mean[row] = m, rstd[row] = s;
    for (int64_t i = me.rank; i < r.count; i += step) {
      if (again) p.load(x + start, r, i, size, true, T(0));
#pragma unroll
      for (int k = 0; k < held; ++k) {
        const int64_t f = r.first(i + k * size);
        if (f >= n) break;
        A w[per], b[per];
        if (groups.groups == 0) {
          weight.load(f, n, r.lead == 0 && r.whole(f), w);
          bias.load(f, n, r.lead == 0 && r.whole(f), b);
        } else {
#pragma unroll
          for (int j = 0; j < per; ++j) {
            const bool there = r.holds(f + j);
            const int64_t c = there ? groups.channel(row, f + j) : 0;
            w[j] = there ? weight.at(c) : A(0);
            b[j] = there ? bias.at(c) : A(0);
          }
        }
#pragma unroll
        for (int j = 0; j < per; ++j) w[j] = (p.at(k, j) - m) * s * w[j] + b[j];
        store_pack(y + start, r, f, aligned, w);
      }
    }
  }
}

template <class Op>
void normalise_rows(const Op& op, Tensor& y, Tensor& mean, Tensor& rstd, const Tensor& x, const Tensor& weight,
                    const Tensor& bias, bool centred, const Groups& groups) {
  const int64_t rows = mean.numel(), n = rows ? x.numel() / rows : 0;
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    Tensor keep[2];
    const Numbers<T> w(weight, A(1), keep[0]), b(bias, A(0), keep[1]);
    const RowShare share(rows, n, per_pack<T>);
    start(x, layer_norm_rows<T>, share.grid, unsigned(share.block), share.shared, rows, n, share.size, x.data<T>(), w,
          b, A(op.eps), y.data<T>(), mean.data<A>(), rstd.data<A>(), same_phase(x.raw(), y.raw()), centred, groups);
  });
}
void layer_norm(const ops::LayerNormParts& op, Tensor& y, Tensor& mean, Tensor& rstd, const Dense& x,
                const Dense& weight, const Dense& bias) {
  normalise_rows(op, y, mean, rstd, x, weight, bias, op.centred, {});
}
void group_norm(const ops::GroupNormParts& op, Tensor& y, Tensor& mean, Tensor& rstd, const Dense& x,
                const Dense& weight, const Dense& bias) {
  if (x.numel() == 0) return;
  normalise_rows(op, y, mean, rstd, x, weight, bias, true,
                 Groups(op.num_groups, x.shape()[1], x.numel() / mean.numel()));
}

// With xh = (x - mean) rstd, g = grad * weight and M the mean over a row: dx = rstd (g - M(g) - xh M(g xh)).
template <class T>
__global__ void __launch_bounds__(most_row_threads)
    layer_norm_gradient_rows(int64_t rows, int64_t n, int size, const T* grad, const T* x, Numbers<T> weight,
                             const compute_t<T>* mean, const compute_t<T>* rstd, T* dx, bool aligned_grad,
                             bool aligned_dx, bool centred) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const RowThread me(size);
  auto plus = [](A a, A b) { return a + b; };
  for (int64_t at = me.first(); at < rows; at += me.step()) {
    const int64_t row = at + me.slot, start = row * n, step = int64_t(held) * size;
    const RowPacks<T> r(x + start, row < rows ? n : 0);
    const A m = row < rows ? mean[row] : A(0), s = row < rows ? rstd[row] : A(0);
    Held<T> g, p;
    A sum = 0, dot = 0;
    for (int64_t i = me.rank; i < r.count; i += step) {
      g.load(grad + start, r, i, size, aligned_grad, T(0));
      p.load(x + start, r, i, size, true, T(0));
#pragma unroll
      for (int k = 0; k < held; ++k) {
        const int64_t f = r.first(i + k * size);
        if (f >= n) break;
        A w[per];
        weight.load(f, n, r.lead == 0 && r.whole(f), w);
#pragma unroll
        for (int j = 0; j < per; ++j) {
          const A u = g.at(k, j) * w[j];  // 0 outside the row
          sum += u;
          dot += u * (p.at(k, j) - m);
        }
      }
    }
    const A middle = centred ? group_reduce(sum, size, plus, A(0)) / A(n) : A(0);
    const A slope = group_reduce(dot, size, plus, A(0)) * s * s / A(n);
    for (int64_t i = me.rank; i < r.count; i += step) {
      if (r.count > step) {  // the registers do not hold all
        g.load(grad + start, r, i, size, aligned_grad, T(0));
        p.load(x + start, r, i, size, true, T(0));
      }
#pragma unroll
      for (int k = 0; k < held; ++k) {
        const int64_t f = r.first(i + k * size);
        if (f >= n) break;
        A w[per];
        weight.load(f, n, r.lead == 0 && r.whole(f), w);
#pragma unroll
        for (int j = 0; j < per; ++j) w[j] = s * (g.at(k, j) * w[j] - middle - (p.at(k, j) - m) * slope);
        store_pack(dx + start, r, f, aligned_dx, w);
      }
    }
  }
}

void layer_norm_backward(const ops::LayerNormBackward& op, Tensor& dx, Tensor& dweight, Tensor& dbias,
                         const Dense& grad, const Dense& x, const Dense& weight, const Dense& mean, const Dense& rstd) {
  const int64_t rows = rstd.numel(), n = rows ? x.numel() / rows : dweight.numel();
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    Tensor keep;
    const Numbers<T> w(weight, A(1), keep);
    const Tensor means = mean ? in_dtype(mean, dtype_of<A>) : zeros(rstd.shape(), dtype_of<A>, x.device()),
                 rstds = in_dtype(rstd, dtype_of<A>);
    const A *m = means.data<A>(), *s = rstds.data<A>();
    const RowShare share(rows, n, per_pack<T>);
    start(x, layer_norm_gradient_rows<T>, share.grid, unsigned(share.block), share.shared, rows, n, share.size,
          grad.data<T>(), x.data<T>(), w, m, s, dx.data<T>(), same_phase(x.raw(), grad.raw()),
          same_phase(x.raw(), dx.raw()), op.centred);
    if (op.affine)
      sum_columns<T, A>(rows, n, grad, x, m, s, true, {nullptr, dweight.data<A>(), dbias.data<A>(), nullptr, 0});
  });
}

const Kernel<layer_norm> layer_norm_;
const Kernel<group_norm> group_norm_;
const Kernel<layer_norm_backward> layer_norm_backward_;

}  // namespace
}  // namespace luth::cuda
