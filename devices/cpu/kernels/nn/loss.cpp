// Classification losses: rows of logits to losses and back, without ever storing probabilities.
#include "core/ops/nn/loss.h"

#include <algorithm>
#include <bit>

#include "core/math/functions.h"
#include "core/ops/common/positions.h"
#include "devices/cpu/kernels/common/elementwise.h"
#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

/// Labels, counted from 0 and checked; -1 for ignored ones.
std::vector<int64_t> read_labels(const Tensor& target, int64_t classes, int64_t ignore_index, int base) {
  std::vector<int64_t> labels(size_t(target.numel()));
  dispatch(Integers{}, target.dtype(), [&]<class T>(Type<T>) {
    const T* in = target.data<T>();
    for (size_t i = 0; i < labels.size(); ++i) {
      const int64_t v = int64_t(in[i]), k = v < 0 ? v : v - base;
      const bool ignored = k == ignore_index && !(v == 0 && base);
      if (!ignored && uint64_t(k) >= uint64_t(classes))
        throw_bad_position("target", target.shape(), int64_t(i), v, classes, base, false);
      labels[i] = ignored ? -1 : k;
    }
  });
  return labels;
}

/// The weights of the classes in type A; ones if `weight` is null.
template <class A>
std::vector<A> read_weights(const Tensor& weight, int64_t classes) {
  std::vector<A> w(size_t(classes), A(1));
  if (weight)
    dispatch(Floats{}, weight.dtype(), [&]<class T>(Type<T>) {
      for (int64_t c = 0; c < classes; ++c) w[size_t(c)] = cast<A>(weight.data<T>()[c]);
    });
  return w;
}

Axis class_axis(const Shape& s) { return axis_of(s, s.size() == 1 ? 0 : 1); }

/// The labels, their losses, and their shares by class weights and label smoothing: a label's share is
/// own * weights[label] + spread * (sum of the weights of all classes).
template <class A>
struct Shares {
  std::vector<int64_t> labels;
  std::vector<A> weights, losses;
  A own, spread, all;
  double norm = 1;  // the divisor of the mean

  template <class Op>
  Shares(const Op& op, double smoothing, const Tensor& target, const Tensor& weight, int64_t classes)
      : labels(read_labels(target, classes, op.ignore_index, op.base)),
        weights(read_weights<A>(weight, classes)),
        losses(labels.size(), A(0)) {
    own = A(1 - smoothing);
    spread = A(smoothing / double(classes));
    all = row_sum(weights.data(), classes);
  }
  A share(int64_t label) const { return own * weights[size_t(label)] + spread * all; }
  void set_norm() {
    norm = 0;
    for (int64_t k : labels)
      if (k >= 0) norm += double(weights[size_t(k)]);
  }
  /// Reduces the losses into `loss`; scale[i]: the share of label i over the divisor of the mean.
  template <class T>
  void finish(const std::string& reduction, Tensor& loss, A* scale) {
    if (reduction == "mean") set_norm();
    double total = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (reduction == "none")
        loss.data<T>()[i] = T(losses[i]);
      else
        total += double(losses[i]);
      scale[i] = labels[i] < 0 ? A(0) : A(double(share(labels[i])) / norm);
    }
    if (reduction != "none") loss.data<T>()[0] = T(A(total / norm));
  }
};

/// Calls f(x, a, shares) with the elements of x, whose classes are axis a.
template <class Op, class F>
void with_shares(const Op& op, double smoothing, const Tensor& x, const Tensor& target, const Tensor& weight, F f) {
  const Axis a = class_axis(x.shape());
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    f(static_cast<const T*>(x.data<T>()), a, Shares<compute_t<T>>(op, smoothing, target, weight, a.n));
  });
}

void cross_entropy(const ops::CrossEntropyLabels& op, Tensor& loss, Tensor& total, Tensor& scale, const Dense& x,
                   const Dense& target, const Dense& weight) {
  auto run = [&]<class T, class A>(const T* logits, const Axis& a, Shares<A> s) {
    for_rows<T>(a, {logits}, nullptr, [&, n = a.n](int64_t row, const A* __restrict p, A* __restrict e) {
      fetch_ahead(p + n, n);
      const A top = row_max(p, n), log_sum = std::log(exp_sum(p, n, top));
      total.data<double>()[row] = double(top) + double(log_sum);
      const int64_t k = s.labels[size_t(row)];
      if (k < 0) return;
      A l = s.own * s.weights[size_t(k)] * ((top - p[k]) + log_sum);
      if (s.spread > A(0)) {
        for (int64_t i = 0; i < n; ++i) e[i] = s.weights[size_t(i)] * ((top - p[i]) + log_sum);
        l += s.spread * row_sum(e, n);
      }
      s.losses[size_t(row)] = l;
    });
    s.template finish<T>(op.reduction, loss, scale.data<A>());
  };
  with_shares(op, op.label_smoothing, x, target, weight, run);
}

void cross_entropy_backward(const ops::CrossEntropyBackward& op, Tensor& dx, const Dense& grad, const Dense& x,
                            const Dense& total, const Dense& target, const Dense& weight) {
  auto run = [&]<class T, class A>(const T* logits, const Axis& a, const Shares<A>& s) {
    const Tensor g = in_dtype(grad, dtype_of<A>), sums = in_dtype(total, Dtype::f64);
    for_rows<T>(a, {logits}, dx.data<T>(), [&, n = a.n](int64_t row, const A* __restrict p, A* __restrict q) {
      const int64_t k = s.labels[size_t(row)];
      const A by = k < 0 ? A(0) : g.data<A>()[row];
      if (by == A(0)) {
        for (int64_t i = 0; i < n; ++i) q[i] = 0;
        return;
      }
      fetch_ahead(p + n, n);
      fetch_ahead<1>(q + n, n);
      const double log_sum = sums.data<double>()[row];  // rounded for the loop, and in the factor what that leaves
      const A high = A(log_sum), factor = by * math::exp(A(double(high) - log_sum));
      for (int64_t i = 0; i < n; ++i) q[i] = factor * math::exp(p[i] - high);
      const A share = s.share(k), part = share != A(0) ? by / share : A(0);
      if (s.spread > A(0))
        for (int64_t i = 0; i < n; ++i) q[i] -= part * s.spread * s.weights[size_t(i)];
      q[k] -= part * s.own * s.weights[size_t(k)];
    });
  };
  with_shares(op, op.label_smoothing, x, target, weight, run);
}

void nll_loss(const ops::NllLossLabels& op, Tensor& loss, Tensor& scale, const Dense& x, const Dense& target,
              const Dense& weight) {
  with_shares(op, 0, x, target, weight, [&]<class T, class A>(const T* in, const Axis& a, Shares<A> s) {
    for (int64_t i = 0; i < int64_t(s.labels.size()); ++i)
      if (const int64_t k = s.labels[size_t(i)]; k >= 0)
        s.losses[size_t(i)] = -s.weights[size_t(k)] * A(in[(i / a.inner * a.n + k) * a.inner + i % a.inner]);
    s.template finish<T>(op.reduction, loss, scale.data<A>());
  });
}

void nll_loss_backward(const ops::NllLossBackward& op, Tensor& dx, const Dense& grad, const Dense& target) {
  const Axis a = class_axis(dx.shape());
  const std::vector<int64_t> labels = read_labels(target, a.n, op.ignore_index, op.base);
  set_zero(dx);
  dispatch(Floats{}, dx.dtype(), [&]<class T>(Type<T>) {
    const Tensor g = in_dtype(grad, dtype_of<compute_t<T>>);
    for (int64_t i = 0; i < int64_t(labels.size()); ++i)
      if (labels[size_t(i)] >= 0)
        dx.data<T>()[(i / a.inner * a.n + labels[size_t(i)]) * a.inner + i % a.inner] = T(-g.data<compute_t<T>>()[i]);
  });
}

// Of a tensor; only users' tensors come here.
void check_probabilities(const char* what, const Value& value) {
  if (!value.is_tensor()) return;
  const Dense t(value);
  dispatch(Floats{}, t.dtype(), [&]<class T>(Type<T>) {
    const T* x = t.data<T>();
    const T* bad = std::find_if_not(x, x + t.numel(), [](T v) { return cast<double>(v) >= 0 && cast<double>(v) <= 1; });
    if (bad != x + t.numel())
      throw_bad_position(what, t.shape(), bad - x, std::bit_cast<int64_t>(cast<double>(*bad)), 0, probabilities, false);
  });
}
void bce_each(const ops::BceEach& op, Tensor& y, const Value& x, const Value& target) {
  check_probabilities("input", x);
  check_probabilities("target", target);
  binary(op, y, x, target);
}

const Kernel<cross_entropy> cross_entropy_;
const Kernel<cross_entropy_backward> cross_entropy_backward_;
const Kernel<nll_loss> nll_loss_;
const Kernel<nll_loss_backward> nll_loss_backward_;
const Kernel<bce_each> bce_each_;
const TernaryKernels<Types<ops::BackwardOf<ops::BceEach>>> bce_backward_;

}  // namespace
}  // namespace luth::cpu
