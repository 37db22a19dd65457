// Softmax, log_softmax, their gradients, and logsumexp: rows of compute type (rows.h).
#include "core/ops/nn/softmax.h"

#include "core/math/functions.h"
#include "core/op/axis.h"
#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

template <bool log, class T>
void softmax_columns(const Axis& a, const T* in, T* out) {
  for_row_blocks(a, most_rows, [=, n = a.n, step = a.inner](int64_t at, int64_t w) {
    const T* x = in + at;
    T *y = out + at, top[most_rows], total[most_rows];
    exp_sums(x, n, step, w, top, total, [y](int64_t k, T e) {
      if constexpr (!log) y[k] = e;
    });
    for (int64_t j = 0; j < w; ++j) total[j] = log ? T(math::log(double(total[j]))) : T(1) / total[j];
    for (int64_t k = 0; k < n * step; k += step)
      for (int64_t j = 0; j < w; ++j) y[k + j] = log ? (x[k + j] - top[j]) - total[j] : y[k + j] * total[j];
  });
}

template <bool log, class T>
void softmax_backward_columns(const Axis& a, const T* grad, const T* y, T* dx) {
  for_row_blocks(a, most_rows, [=, n = a.n, step = a.inner](int64_t at, int64_t w) {
    T total[most_rows] = {};
    for (int64_t i = 0, k = at; i < n; ++i, k += step)
      for (int64_t j = 0; j < w; ++j) total[j] += log ? grad[k + j] : grad[k + j] * y[k + j];
    for (int64_t i = 0, k = at; i < n; ++i, k += step)
      for (int64_t j = 0; j < w; ++j) {
        const T g = grad[k + j], p = y[k + j];
        dx[k + j] = log ? g - math::exp(p) * total[j] : p * (g - total[j]);
      }
  });
}

template <class Op, bool log>
void softmax(const Op& op, Tensor& y, const Dense& input) {
  if (!y.numel()) return;  // of any dtype
  Tensor x = in_dtype(input, y.dtype());
  Axis a = axis(x, op.dim);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    if constexpr (std::is_same_v<T, A>)
      if (side_by_side(a)) return softmax_columns<log>(a, x.data<T>(), y.data<T>());
    for_rows<T>(a, {x.data<T>()}, y.data<T>(), [n = a.n](int64_t, const A* __restrict p, A* __restrict q) {
      fetch_ahead(p + n, n);
      fetch_ahead<1>(q + n, n);
      const A top = row_max(p, n);
      if constexpr (log) {
        const A log_total = std::log(exp_sum(p, n, top));
        for (int64_t i = 0; i < n; ++i) q[i] = (p[i] - top) - log_total;
      } else {
        for (int64_t i = 0; i < n; ++i) q[i] = math::exp(p[i] - top);
        const A scale = A(1) / row_sum(q, n);
        for (int64_t i = 0; i < n; ++i) q[i] *= scale;
      }
    });
  });
}

template <class Op, bool log>
void softmax_backward(const Op& op, Tensor& dx, const Dense& grad, const Dense& y) {
  Axis a = axis(y, op.dim);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    if constexpr (std::is_same_v<T, A>)
      if (side_by_side(a)) return softmax_backward_columns<log>(a, grad.data<T>(), y.data<T>(), dx.data<T>());
    for_rows<T>(a, {grad.data<T>(), y.data<T>()}, dx.data<T>(),
                [n = a.n](int64_t, const A* __restrict g, const A* __restrict p, A* __restrict q) {
                  const A total = log ? row_sum(g, n) : row_dot(g, p, n);
                  for (int64_t i = 0; i < n; ++i) q[i] = log ? g[i] - math::exp(p[i]) * total : p[i] * (g[i] - total);
                });
  });
}

void logsumexp(const ops::LogSumExp& op, Tensor& y, const Dense& input) {
  Tensor x = input;
  Axis a = reduced_axis(x, dim_mask(op.dim, x.dim()));
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    T* out = y.data<T>();
    for_rows<T>(a, {x.data<T>()}, nullptr, [n = a.n, out](int64_t row, const A* p, A*) {
      fetch_ahead(p + n, n);
      A top = row_max(p, n);
      if (std::isinf(top)) top = 0;  // inf stays inf, and a row of -inf stays -inf
      out[row] = T(std::log(exp_sum(p, n, top)) + top);
    });
  });
}

const Kernel<softmax<ops::Softmax, false>> softmax_;
const Kernel<softmax<ops::LogSoftmax, true>> log_softmax_;
const Kernel<softmax_backward<ops::SoftmaxBackward, false>> softmax_backward_;
const Kernel<softmax_backward<ops::LogSoftmaxBackward, true>> log_softmax_backward_;
const Kernel<logsumexp> logsumexp_;

}  // namespace
}  // namespace luth::cpu
