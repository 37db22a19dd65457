// Softmax, log_softmax, their gradients, and logsumexp: rows of compute type (rows.h).
#include "core/ops/nn/softmax.h"

#include "core/math/functions.h"
#include "core/op/axis.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

void softmax(const ops::Softmax& op, Tensor& y, const Dense& input) {
  if (!y.numel()) return;  // of any dtype
  Tensor x = in_dtype(input, y.dtype());
  Axis a = axis_of(x.shape(), wrap_dim(op.dim, x.dim()));
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    for_rows<T>(a, {x.data<T>()}, {y.data<T>()}, [n = a.n](int64_t, const A* const* in, A* const* out) {
      const A* __restrict p = in[0];
      A* __restrict q = out[0];
      const A top = row_max(p, n);
      for (int64_t i = 0; i < n; ++i) q[i] = math::exp(p[i] - top);
      const A scale = A(1) / row_sum(q, n);
      for (int64_t i = 0; i < n; ++i) q[i] *= scale;
    });
  });
}

/// The logarithm of the sum of exponentials, `top` being the largest element; `scratch` has room for n.
template <class A>
A log_sum_exp(const A* __restrict p, int64_t n, A top, A* __restrict scratch) {
  for (int64_t i = 0; i < n; ++i) scratch[i] = math::exp(p[i] - top);
  return std::log(row_sum(scratch, n)) + top;
}

void log_softmax(const ops::LogSoftmax& op, Tensor& y, const Dense& input) {
  if (!y.numel()) return;  // of any dtype
  Tensor x = in_dtype(input, y.dtype());
  Axis a = axis_of(x.shape(), wrap_dim(op.dim, x.dim()));
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    for_rows<T>(a, {x.data<T>()}, {y.data<T>()}, [n = a.n](int64_t, const A* const* in, A* const* out) {
      const A* __restrict p = in[0];
      A* __restrict q = out[0];
      const A top = row_max(p, n);
      for (int64_t i = 0; i < n; ++i) q[i] = math::exp(p[i] - top);
      const A log_total = std::log(row_sum(q, n));
      for (int64_t i = 0; i < n; ++i) q[i] = (p[i] - top) - log_total;
    });
  });
}

void softmax_backward(const ops::SoftmaxBackward& op, Tensor& dx, const Dense& grad, const Dense& y) {
  Axis a = axis_of(y.shape(), wrap_dim(op.dim, y.dim()));
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    for_rows<T>(a, {grad.data<T>(), y.data<T>()}, {dx.data<T>()},
                [n = a.n](int64_t, const A* const* in, A* const* out) {
                  const A* __restrict g = in[0], * __restrict p = in[1];
                  A* __restrict q = out[0];
                  const A total = row_dot(g, p, n);
                  for (int64_t i = 0; i < n; ++i) q[i] = p[i] * (g[i] - total);
                });
  });
}

void log_softmax_backward(const ops::LogSoftmaxBackward& op, Tensor& dx, const Dense& grad, const Dense& y) {
  Axis a = axis_of(y.shape(), wrap_dim(op.dim, y.dim()));
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    for_rows<T>(a, {grad.data<T>(), y.data<T>()}, {dx.data<T>()},
                [n = a.n](int64_t, const A* const* in, A* const* out) {
                  const A* __restrict g = in[0], * __restrict p = in[1];
                  A* __restrict q = out[0];
                  const A total = row_sum(g, n);
                  for (int64_t i = 0; i < n; ++i) q[i] = g[i] - math::exp(p[i]) * total;
                });
  });
}

void logsumexp(const ops::LogSumExp& op, Tensor& y, const Dense& input) {
  Tensor x = input;
  Axis a = reduced_axis(x, dim_mask(op.dim, x.dim()));
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    T* out = y.data<T>();
    for_rows<T>(a, {x.data<T>()}, [n = a.n, out](int64_t row, const A* const* in, A* scratch) {
      A top = row_max(in[0], n);
      if (std::isinf(top)) top = 0;  // inf stays inf, and nothing but -inf stays -inf
      out[row] = T(log_sum_exp(in[0], n, top, scratch));
    });
  });
}

const Kernel<softmax> softmax_;
const Kernel<log_softmax> log_softmax_;
const Kernel<softmax_backward> softmax_backward_;
const Kernel<log_softmax_backward> log_softmax_backward_;
const Kernel<logsumexp> logsumexp_;

}  // namespace
}  // namespace luth::cpu
