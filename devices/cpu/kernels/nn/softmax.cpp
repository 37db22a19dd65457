// Softmax, log_softmax, their gradients, and logsumexp: rows of compute type (rows.h).
#include "core/ops/nn/softmax.h"

#include "core/math/functions.h"
#include "core/op/axis.h"
#include "devices/cpu/kernels/common/columns.h"
#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/kernels.h"

namespace luth::cpu {
namespace {

template <bool log, class A>
void softmax_columns(const A* x, int64_t n, int64_t step, int64_t w, A* y) {
  A top[most_rows], total[most_rows];
  column_tops(x, n, step, w, top);
  exp_sums(x, n, step, w, top, total, [y](int64_t k, A e) {
    if constexpr (!log) y[k] = e;
  });
  for (int64_t j = 0; j < w; ++j) total[j] = log ? A(math::log(double(total[j]))) : A(1) / total[j];
  for (int64_t k = 0; k < n * step; k += step)
    for (int64_t j = 0; j < w; ++j) y[k + j] = log ? (x[k + j] - top[j]) - total[j] : y[k + j] * total[j];
}

template <bool log, class A>
void softmax_backward_columns(const A* grad, const A* y, int64_t n, int64_t step, int64_t w, A* dx) {
  A total[most_rows] = {};
  for (int64_t k = 0; k < n * step; k += step)
    for (int64_t j = 0; j < w; ++j) total[j] += log ? grad[k + j] : grad[k + j] * y[k + j];
  for (int64_t k = 0; k < n * step; k += step)
    for (int64_t j = 0; j < w; ++j) {
      const A g = grad[k + j], p = y[k + j];
      dx[k + j] = log ? g - math::exp(p) * total[j] : p * (g - total[j]);
    }
}

template <class Op, bool log>
void softmax(const Op& op, Tensor& y, const Dense& input) {
  if (!y.numel()) return;  // of any dtype
  Tensor x = in_dtype(input, y.dtype());
  Axis a = axis(x, op.dim);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    if (side_by_side(a))
      return for_columns<T>(a, {x.data<T>()}, y.data<T>(),
                            [n = a.n](int64_t, int64_t w, int64_t step, const A* in, A* out) {
                              softmax_columns<log>(in, n, step, w, out);
                            });
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
    if (side_by_side(a))
      return for_columns<T>(a, {grad.data<T>(), y.data<T>()}, dx.data<T>(),
                            [n = a.n](int64_t, int64_t w, int64_t step, const A* g, const A* p, A* out) {
                              softmax_backward_columns<log>(g, p, n, step, w, out);
                            });
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
    const auto finite = [](A top) { return std::isinf(top) ? A(0) : top; };  // inf and a row of -inf stay what they are
    if (side_by_side(a))
      return for_columns<T>(a, {x.data<T>()}, nullptr,
                            [=, n = a.n](int64_t row, int64_t w, int64_t step, const A* in, A*) {
                              A top[most_rows], total[most_rows];
                              column_tops(in, n, step, w, top);
                              for (int64_t j = 0; j < w; ++j) top[j] = finite(top[j]);
                              exp_sums(in, n, step, w, top, total, [](int64_t, A) {});
                              for (int64_t j = 0; j < w; ++j) out[row + j] = T(A(math::log(double(total[j]))) + top[j]);
                            });
    for_rows<T>(a, {x.data<T>()}, nullptr, [=, n = a.n](int64_t row, const A* p, A*) {
      fetch_ahead(p + n, n);
      const A top = finite(row_max(p, n));
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
