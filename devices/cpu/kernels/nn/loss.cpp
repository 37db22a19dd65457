// Classification losses: rows of logits to losses and back, without ever storing probabilities.
#include "core/ops/nn/loss.h"

#include <algorithm>
#include <bit>

#include "core/math/functions.h"
#include "core/ops/common/positions.h"
#include "devices/cpu/kernels/common/columns.h"
#include "devices/cpu/kernels/common/elementwise.h"
#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"

namespace luth::cpu {
namespace {

/// Labels, counted from 0 and checked; -1 for ignored ones.
std::vector<int64_t> read_labels(const Tensor& target, int64_t classes, int64_t ignore_index, int base) {
  std::vector<int64_t> labels(size_t(target.numel()));
  const auto n = int64_t(labels.size());
  dispatch(Integers{}, target.dtype(), [&]<class T>(Type<T>) {
    const T* in = target.data<T>();
    const auto label = [=](int64_t v) {
      const int64_t k = v < 0 ? v : v - base;
      return (k == ignore_index) & !((v == 0) & (base != 0)) ? -1 : uint64_t(k) < uint64_t(classes) ? k : -2;
    };
    int64_t least = 0;
    for (int64_t i = 0; i < n; ++i) {
      labels[size_t(i)] = label(int64_t(in[i]));
      least = std::min(least, labels[size_t(i)]);
    }
    if (least == -2) {
      const int64_t i = std::find(labels.begin(), labels.end(), -2) - labels.begin();
      throw_bad_position("target", target.shape(), i, int64_t(in[i]), classes, base, false);
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
  /// far(i): the negated logarithm of the probability of class i; all_far(): the weighted sum of those of all classes.
  template <class F, class G>
  void set_loss(int64_t row, F far, G all_far) {
    if (const int64_t k = labels[size_t(row)]; k >= 0)
      losses[size_t(row)] = own * weights[size_t(k)] * far(k) + (spread > A(0) ? spread * all_far() : A(0));
  }
  /// Reduces the losses into `loss`; scale[i]: the share of label i over the divisor of the mean.
  template <class T>
  void finish(const std::string& reduction, Tensor& loss, A* scale) {
    const auto n = int64_t(labels.size());
    const int64_t* label = labels.data();
    for (int64_t i = 0; i < n; ++i) scale[i] = label[i] < 0 ? A(0) : weights[size_t(label[i])];
    if (reduction == "mean") norm = sum_of<double>(n, [=](int64_t i) { return double(scale[i]); });
    const A mine = own, rest = spread * all;
    const double by = norm;
    for (int64_t i = 0; i < n; ++i) scale[i] = label[i] < 0 ? A(0) : A(double(mine * scale[i] + rest) / by);
    if (reduction == "none")
      std::transform(losses.begin(), losses.end(), loss.data<T>(), [](A l) { return T(l); });
    else
      loss.data<T>()[0] = T(A(sum_of<double>(n, [l = losses.data()](int64_t i) { return double(l[i]); }) / norm));
  }
};

/// The gradient of a row whose loss has the gradient `by`: factor * exp(x - high), less `part` times the shares of its
/// label.
template <class A>
struct Slope {
  A high, factor, part;
  Slope(A by, A share, double log_sum)
      : high(A(log_sum)),  // rounded for the loop, and in the factor what that leaves
        factor(by * math::exp(A(double(high) - log_sum))),
        part(share != A(0) ? by / share : A(0)) {}
};

/// Calls f(x, a, shares) with the elements of x, whose classes are axis a.
template <class Op, class F>
void with_shares(const Op& op, double smoothing, const Tensor& x, const Tensor& target, const Tensor& weight, F f) {
  const Axis a = class_axis(x.shape());
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    f(static_cast<const T*>(x.data<T>()), a, Shares<compute_t<T>>(op, smoothing, target, weight, a.n));
  });
}

/// Sets the losses of all rows and the logarithms of their sums of exponentials.
template <class T, class A>
void losses_of_columns(const Axis& a, const T* logits, Shares<A>& s, double* sums) {
  for_columns<T>(a, {logits}, nullptr, [&, n = a.n](int64_t row, int64_t w, int64_t step, const A* x, A*) {
    A top[most_rows], log_sum[most_rows], all_far[most_rows] = {};
    column_tops(x, n, step, w, top);
    exp_sums(x, n, step, w, top, log_sum, [](int64_t, A) {});
    for (int64_t j = 0; j < w; ++j) {
      log_sum[j] = A(math::log(double(log_sum[j])));
      sums[row + j] = double(top[j]) + double(log_sum[j]);
    }
    if (s.spread > A(0))
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < w; ++j) all_far[j] += s.weights[size_t(i)] * ((top[j] - x[i * step + j]) + log_sum[j]);
    for (int64_t j = 0; j < w; ++j)
      s.set_loss(
          row + j, [&](int64_t k) { return (top[j] - x[k * step + j]) + log_sum[j]; }, [&] { return all_far[j]; });
  });
}
template <class T, class A>
void losses_of_rows(const Axis& a, const T* logits, Shares<A>& s, double* sums) {
  if (side_by_side(a)) return losses_of_columns(a, logits, s, sums);
  for_rows<T>(a, {logits}, nullptr, [&, n = a.n](int64_t row, const A* __restrict p, A* __restrict e) {
    fetch_ahead(p + n, n);
    const A top = row_max(p, n), log_sum = std::log(exp_sum(p, n, top));
    sums[row] = double(top) + double(log_sum);
    const auto far = [=](int64_t i) { return (top - p[i]) + log_sum; };
    s.set_loss(row, far, [&] {
      for (int64_t i = 0; i < n; ++i) e[i] = s.weights[size_t(i)] * far(i);
      return row_sum(e, n);
    });
  });
}

void cross_entropy(const ops::CrossEntropyLabels& op, Tensor& loss, Tensor& total, Tensor& scale, const Dense& x,
                   const Dense& target, const Dense& weight) {
  auto run = [&]<class T, class A>(const T* logits, const Axis& a, Shares<A> s) {
    losses_of_rows(a, logits, s, total.data<double>());
    s.template finish<T>(op.reduction, loss, scale.data<A>());
  };
  with_shares(op, op.label_smoothing, x, target, weight, run);
}

template <class T, class A>
void gradient_of_columns(const Axis& a, const T* logits, const Shares<A>& s, const A* grad, const double* sums, T* dx) {
  for_columns<T>(a, {logits}, dx, [&, n = a.n](int64_t row, int64_t w, int64_t step, const A* x, A* y) {
    A by[most_rows], high[most_rows], factor[most_rows], part[most_rows];
    for (int64_t j = 0; j < w; ++j) {
      const int64_t k = s.labels[size_t(row + j)];
      by[j] = k < 0 ? A(0) : grad[row + j];
      part[j] = k < 0 ? A(0) : s.share(k);
    }
    for (int64_t j = 0; j < w; ++j) {
      const Slope<A> to(by[j], part[j], sums[row + j]);
      high[j] = to.high, factor[j] = to.factor, part[j] = to.part;
    }
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < w; ++j) {
        const A e = factor[j] * math::exp(x[i * step + j] - high[j]);
        y[i * step + j] = by[j] != A(0) ? e : A(0);
      }
    if (const A spread = s.spread; spread > A(0))
      for (int64_t i = 0; i < n; ++i) {
        const A weight = s.weights[size_t(i)];
        for (int64_t j = 0; j < w; ++j) y[i * step + j] -= by[j] != A(0) ? part[j] * spread * weight : A(0);
      }
    for (int64_t j = 0; j < w; ++j)
      if (const int64_t k = s.labels[size_t(row + j)]; by[j] != A(0))
        y[k * step + j] -= part[j] * s.own * s.weights[size_t(k)];
  });
}
template <class T, class A>
void gradient_of_rows(const Axis& a, const T* logits, const Shares<A>& s, const A* grad, const double* sums, T* dx) {
  if (side_by_side(a)) return gradient_of_columns(a, logits, s, grad, sums, dx);
  for_rows<T>(a, {logits}, dx, [&, n = a.n](int64_t row, const A* __restrict p, A* __restrict q) {
    const int64_t k = s.labels[size_t(row)];
    const A by = k < 0 ? A(0) : grad[row];
    if (by == A(0)) {
      for (int64_t i = 0; i < n; ++i) q[i] = 0;
      return;
    }
    const Slope<A> to(by, s.share(k), sums[row]);
    fetch_ahead(p + n, n);
    fetch_ahead<1>(q + n, n);
    for (int64_t i = 0; i < n; ++i) q[i] = to.factor * math::exp(p[i] - to.high);
    if (s.spread > A(0))
      for (int64_t i = 0; i < n; ++i) q[i] -= to.part * s.spread * s.weights[size_t(i)];
    q[k] -= to.part * s.own * s.weights[size_t(k)];
  });
}

void cross_entropy_backward(const ops::CrossEntropyBackward& op, Tensor& dx, const Dense& grad, const Dense& x,
                            const Dense& total, const Dense& target, const Dense& weight) {
  auto run = [&]<class T, class A>(const T* logits, const Axis& a, const Shares<A>& s) {
    const Tensor g = in_dtype(grad, dtype_of<A>), sums = in_dtype(total, Dtype::f64);
    gradient_of_rows(a, logits, s, g.data<A>(), sums.data<double>(), dx.data<T>());
  };
  with_shares(op, op.label_smoothing, x, target, weight, run);
}

/// Calls f(row, at): where the element of each row's label lies, if the label is not ignored.
template <class F>
void for_labels(const Axis& a, const std::vector<int64_t>& labels, F f) {
  for (int64_t o = 0, row = 0; o < a.outer; ++o)
    for (int64_t j = 0; j < a.inner; ++j, ++row)
      if (const int64_t k = labels[size_t(row)]; k >= 0) f(row, (o * a.n + k) * a.inner + j);
}

void nll_loss(const ops::NllLossLabels& op, Tensor& loss, Tensor& scale, const Dense& x, const Dense& target,
              const Dense& weight) {
  with_shares(op, 0, x, target, weight, [&]<class T, class A>(const T* in, const Axis& a, Shares<A> s) {
    for_labels(a, s.labels, [&](int64_t row, int64_t at) {
      s.losses[size_t(row)] = -s.weights[size_t(s.labels[size_t(row)])] * A(in[at]);
    });
    s.template finish<T>(op.reduction, loss, scale.data<A>());
  });
}

void nll_loss_backward(const ops::NllLossBackward& op, Tensor& dx, const Dense& grad, const Dense& target) {
  const Axis a = class_axis(dx.shape());
  const std::vector<int64_t> labels = read_labels(target, a.n, op.ignore_index, op.base);
  set_zero(dx);
  dispatch(Floats{}, dx.dtype(), [&]<class T>(Type<T>) {
    const Tensor g = in_dtype(grad, dtype_of<compute_t<T>>);
    for_labels(a, labels, [&, from = g.data<compute_t<T>>(), to = dx.data<T>()](int64_t row, int64_t at) {
      to[at] = T(-from[row]);
    });
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
