// Connectionist temporal classification: the forward recursion, over the states of a sequence side by side, and the way
// back. The states are a blank before, between and behind the labels.
#include "core/ops/nn/ctc_ways.h"

#include <vector>

#include "core/ops/common/positions.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

using ops::Ways;

/// The classes of the labels, N x S, counted from 0 and checked; places behind a target hold anything.
std::vector<int64_t> read_targets(const ops::CtcEach& op, const Tensor& targets, int64_t classes) {
  std::vector<int64_t> labels(size_t(targets.numel()));
  dispatch(Integers{}, targets.dtype(), [&]<class L>(Type<L>) {
    const int64_t most = targets.shape()[1];
    for (int64_t i = 0; i < targets.numel(); ++i) {
      const int64_t v = int64_t(targets.data<L>()[i]);
      const uint64_t k = uint64_t(v) - uint64_t(op.base);
      labels[size_t(i)] = int64_t(k);
      if (i % most < int64_t(op.target_lengths[size_t(i / most)]) && k >= uint64_t(classes))
        throw_bad_position("targets by sequence", targets.shape(), i, v, classes, op.base, false);
    }
  });
  return labels;
}

/// Calls f(s, ways to state s) for n states; `p`: the states at the step before; `skips`: as below.
template <class T, class F>
[[gnu::always_inline]] inline void for_ways(const T* p, const T* skips, int64_t n, F f) {
#pragma GCC ivdep  // what f writes is no input
  for (int64_t s = 0; s < n; ++s) {
    const T far = p[s - 2], z = skips[s] > T(0) ? far : T(ops::never);
    f(s, Ways<T>(p[s], p[s - 1], z));
  }
}

template <class T>
class Sequence {
 public:
  /// `x`: the log-probabilities of each step, which lie `apart`.
  Sequence(const T* x, int64_t apart, int64_t steps, const int64_t* labels, int64_t count, int64_t blank)
      : x_(x),
        apart_(apart),
        steps_(steps),
        states_(2 * count + 1),
        classes_(size_t(states_), blank),
        skips_(size_t(states_), T(0)),
        alpha_(steps * (states_ + 2)) {
    std::fill_n(alpha_.get(), steps * (states_ + 2), T(ops::never));
    for (int64_t s = 1; s < states_; s += 2) classes_[size_t(s)] = labels[s / 2];
    for (int64_t s = 2; s < states_; ++s) skips_[size_t(s)] = classes_[size_t(s)] != classes_[size_t(s - 2)];
    std::vector<T> emitted(size_t(states_), T(0));
    for (int64_t t = 0; t < steps; ++t) {
      for (int64_t s = 0; s < states_; ++s) {
        const T v = x[t * apart + classes_[size_t(s)]];
        emitted[size_t(s)] = v < T(ops::never) ? T(ops::never) : v;
      }
      T* q = alpha(t);
      if (t == 0)
        std::copy_n(emitted.data(), std::min<int64_t>(2, states_), q);
      else
        for_ways(alpha(t - 1), skips_.data(), states_,
                 [q, e = emitted.data()](int64_t s, const Ways<T>& w) { q[s] = w.log_sum() + e[s]; });
    }
  }

  T loss() const {
    if (steps_ == 0) return states_ == 1 ? T(0) : std::numeric_limits<T>::infinity();
    return end().loss();
  }

  /// Adds the gradient of `by` times the loss to dx, which lies as the log-probabilities do.
  void add_gradient(T by, T* dx) const {
    if (steps_ == 0 || std::isinf(loss())) return;
    const auto n = size_t(states_ + 2);  // two more states, to which no way leads
    std::vector<T> gradients(n, T(0)), ways(3 * n, T(0));
    T *g = gradients.data(), *stay = ways.data(), *one = stay + n, *two = one + n;
    const Ways<T> last = end();
    g[states_ - 1] = -by * (last.a / last.sum);
    if (states_ > 1) g[states_ - 2] = -by * (last.b / last.sum);
    for (int64_t t = steps_ - 1; t > 0; --t) {
      add_step(t, states_, g, dx);
      for_ways(alpha(t - 1), skips_.data(), states_, [=](int64_t s, const Ways<T>& w) {
        const T share = g[s] / w.sum;
        stay[s] = w.a * share, one[s] = w.b * share, two[s] = w.c * share;
      });
      for (int64_t s = 0; s < states_; ++s) g[s] = stay[s] + one[s + 1] + two[s + 2];
    }
    add_step(0, std::min<int64_t>(2, states_), g, dx);
  }

 private:
  const T* alpha(int64_t t) const { return alpha_.get() + t * (states_ + 2) + 2; }
  T* alpha(int64_t t) { return const_cast<T*>(std::as_const(*this).alpha(t)); }
  Ways<T> end() const {
    const T* p = alpha(steps_ - 1) + states_ - 1;
    return {p[0], p[-1], T(ops::never)};
  }
  void add_step(int64_t t, int64_t states, const T* g, T* dx) const {
    const auto add = [&](int64_t s, T v) {
      const int64_t at = t * apart_ + classes_[size_t(s)];
      if (x_[at] >= T(ops::never)) dx[at] += v;  // as the gradient of clamp
    };
    T blanks = 0;
    for (int64_t s = 0; s < states; s += 2) blanks += g[s];
    add(0, blanks);
    for (int64_t s = 1; s < states; s += 2) add(s, g[s]);
  }

  const T* x_;
  int64_t apart_, steps_, states_;
  std::vector<int64_t> classes_;
  std::vector<T> skips_;  // 1 where a state may follow the one two before, a label unlike the last one
  Buffer<T> alpha_;       // logarithms of the states' probabilities at each step, behind two that never are
};

/// Calls f(i, where its first log-probabilities lie, sequence i) for each sequence.
template <class T, class F>
void for_sequences(const ops::CtcEach& op, const Tensor& log_probs, const Tensor& targets, F f) {
  const Shape& s = log_probs.shape();
  const std::vector<int64_t> labels = read_targets(op, targets, s[2]);
  parallel_each(s[1], 1, [&](int64_t i) {
    const int64_t steps = int64_t(op.input_lengths[size_t(i)]), count = int64_t(op.target_lengths[size_t(i)]);
    f(i, i * s[2],
      Sequence<T>(log_probs.data<T>() + i * s[2], s[1] * s[2], steps, labels.data() + i * targets.shape()[1], count,
                  op.blank));
  });
}

void ctc(const ops::CtcEach& op, Tensor& loss, const Dense& log_probs, const Dense& targets) {
  dispatch(Types<float, double>{}, loss.dtype(), [&]<class T>(Type<T>) {
    for_sequences<T>(op, log_probs, targets, [out = loss.data<T>()](int64_t i, int64_t, const Sequence<T>& sequence) {
      out[i] = sequence.loss();
    });
  });
}
void ctc_backward(const ops::CtcBackward& op, Tensor& dx, const Dense& grad, const Dense& log_probs,
                  const Dense& targets) {
  set_zero(dx);
  dispatch(Types<float, double>{}, dx.dtype(), [&]<class T>(Type<T>) {
    for_sequences<T>(op.forward, log_probs, targets,
                     [by = grad.data<T>(), to = dx.data<T>()](int64_t i, int64_t at, const Sequence<T>& sequence) {
                       sequence.add_gradient(by[i], to + at);
                     });
  });
}

const Kernel<ctc> ctc_;
const Kernel<ctc_backward> ctc_backward_;

}  // namespace
}  // namespace luth::cpu
