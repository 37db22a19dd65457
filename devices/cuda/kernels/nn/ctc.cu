// Connectionist temporal classification on CUDA: a block for each sequence, whose threads share out its states. The
// states are a blank before, between and behind the labels. Sums go in order, without atomics.
#include "core/op/basics.h"
#include "core/ops/nn/ctc_ways.h"
#include "devices/cuda/kernels/common/index_offsets.cuh"

namespace luth::cuda {
namespace {

using ops::Ways;

/// What both kernels get. T: steps, N: sequences, C: classes, S: states of the longest target.
template <class T>
struct Call {
  const T* x;  // log-probabilities T x N x C
  int64_t sequences, classes, states, blank;
  const int64_t *steps, *labels;  // of each sequence
  Picks targets;
  int64_t* links;  // N x 3 x S, see Sequence
  T* alpha;        // N x T x (S + 2)
  int64_t alpha_size;
};

/// The running block's sequence. `classes`: of each state; `next`: the next state of the same class; `first`: 1 where
/// none before has it. Rows of alpha, logarithms of the states' probabilities at a step, begin behind two that never
/// are.
template <class T>
struct Sequence {
  const T* x;
  int64_t apart, steps, states, *classes, *next, *first;
  T* alpha;
  int64_t begin = threadIdx.x, step = blockDim.x;

  __device__ Sequence(const Call<T>& c, int64_t i)
      : x(c.x + i * c.classes),
        apart(c.sequences * c.classes),
        steps(c.steps[i]),
        states(2 * c.labels[i] + 1),
        classes(c.links + i * 3 * c.states),
        next(classes + c.states),
        first(next + c.states),
        alpha(c.alpha + i * c.alpha_size + 2) {
    for (int64_t s = begin; s < states; s += step)
      classes[s] = s % 2 ? c.targets.offset(i * (c.states / 2) + s / 2) : c.blank;
    __syncthreads();
  }
  __device__ T* at(int64_t t) const { return alpha + t * (states + 2); }
  /// To state s at step t, at least 1.
  __device__ Ways<T> ways(int64_t t, int64_t s) const {
    const T* p = at(t - 1) + s;
    const bool skips = s > 1 && classes[s] != classes[s - 2];
    return {p[0], p[-1], skips ? p[-2] : T(ops::never)};
  }
  __device__ Ways<T> end() const {
    const T* p = at(steps - 1) + states - 1;
    return {p[0], p[-1], T(ops::never)};
  }
  __device__ void forward() const {
    for (int64_t t = 0; t < steps; ++t) {
      for (int64_t s = begin - 2; s < states; s += step) {
        const T v = s < 0 ? T(0) : x[t * apart + classes[s]], emitted = v < T(ops::never) ? T(ops::never) : v;
        at(t)[s] = s < 0 || (t == 0 && s > 1) ? T(ops::never) : t == 0 ? emitted : ways(t, s).log_sum() + emitted;
      }
      __syncthreads();
    }
  }
  __device__ T loss() const {
    if (steps == 0) return states == 1 ? T(0) : std::numeric_limits<T>::infinity();
    return end().loss();
  }

  __device__ void link() const {
    for (int64_t s = begin; s < states; s += step) {
      const int64_t own = classes[s];
      int64_t r = 0;
      while (classes[r] != own) ++r;
      first[s] = r == s;
      r = s + 1;
      while (r < states && classes[r] != own) ++r;
      next[s] = r;
    }
  }
  /// Adds what the first `count` states of step t have in the gradient to dx.
  __device__ void add_step(int64_t t, int64_t count, const T* from, T* dx) const {
    for (int64_t s = begin; s < count; s += step) {
      const int64_t k = t * apart + classes[s];
      if (!first[s] || !(x[k] >= T(ops::never))) continue;  // as the gradient of clamp
      T sum = 0;
      for (int64_t r = s; r < count; r = next[r]) sum += from[r];
      dx[k] += sum;
    }
  }
  /// Adds the gradient of `by` times the loss to dx, after forward(). `now` and `before` have room for the gradients in
  /// alpha at a step and at the one before.
  __device__ void add_gradient(T by, T* now, T* before, T* dx) const {
    if (steps == 0 || std::isinf(loss())) return;
    link();
    const Ways<T> last = end();
    for (int64_t s = begin; s < states; s += step)
      now[s] = s == states - 1 ? -by * (last.a / last.sum) : s == states - 2 ? -by * (last.b / last.sum) : T(0);
    __syncthreads();
    for (int64_t t = steps - 1; t > 0; --t) {
      add_step(t, states, now, dx);
      for (int64_t s = begin; s < states; s += step) {
        const Ways<T> stay = ways(t, s);
        T sum = stay.a * (now[s] / stay.sum);
        if (s + 1 < states) {
          const Ways<T> one = ways(t, s + 1);
          sum += one.b * (now[s + 1] / one.sum);
        }
        if (s + 2 < states) {
          const Ways<T> two = ways(t, s + 2);
          sum += two.c * (now[s + 2] / two.sum);
        }
        before[s] = sum;
      }
      __syncthreads();
      T* const done = now;
      now = before, before = done;
    }
    add_step(0, states < 2 ? states : 2, now, dx);
  }
};

template <class T>
__global__ void loss_kernel(const Call<T> c, T* loss) {
  const Sequence<T> s(c, blockIdx.x);
  s.forward();
  if (threadIdx.x == 0) loss[blockIdx.x] = s.loss();
}
template <class T>
__global__ void gradient_kernel(const Call<T> c, T* g, const T* grad, T* dx) {
  const Sequence<T> s(c, blockIdx.x);
  T* const now = g + int64_t(blockIdx.x) * 2 * c.states;
  s.forward();
  s.add_gradient(grad[blockIdx.x], now, now + c.states, dx + blockIdx.x * c.classes);
}

/// Calls f(call, threads of a block), with memory for what a kernel keeps.
template <class F>
void with_call(const ops::CtcEach& op, const Tensor& log_probs, const Tensor& targets, F f) {
  const Shape& s = log_probs.shape();
  const int64_t n = s[1], labels = targets.shape()[1], states = 2 * labels + 1;
  Tensor lengths = Tensor::empty({2, n}, Dtype::i64, host());
  for (int64_t i = 0; i < n; ++i) {
    lengths.data<int64_t>()[i] = int64_t(op.input_lengths[size_t(i)]);
    lengths.data<int64_t>()[n + i] = int64_t(op.target_lengths[size_t(i)]);
  }
  Device& device = log_probs.device();
  lengths = basic::to_device(lengths, device);
  const Tensor links = Tensor::empty({n, 3, states}, Dtype::i64, device);
  const Tensor alpha = Tensor::empty({n, s[0], states + 2}, log_probs.dtype(), device);
  const PickList picks(targets, s[2], 1, op.base, false, "targets by sequence");
  const unsigned block = unsigned(std::min<int64_t>((states + 33) / 32 * 32, threads));
  dispatch(Types<float, double>{}, log_probs.dtype(), [&]<class T>(Type<T>) {
    f(Call<T>{log_probs.data<T>(), n, s[2], states, op.blank, lengths.data<int64_t>(), lengths.data<int64_t>() + n,
              picks.picks(), links.data<int64_t>(), alpha.data<T>(), s[0] * (states + 2)},
      block);
  });
}

void ctc(const ops::CtcEach& op, Tensor& loss, const Dense& log_probs, const Dense& targets) {
  if (loss.numel() == 0) return;
  with_call(op, log_probs, targets, [&]<class T>(const Call<T>& c, unsigned block) {
    start(loss, loss_kernel<T>, unsigned(c.sequences), block, 0, c, loss.data<T>());
  });
}
void ctc_backward(const ops::CtcBackward& op, Tensor& dx, const Dense& grad, const Dense& log_probs,
                  const Dense& targets) {
  if (dx.numel() == 0) return;
  dx.device().fill_zero(dx.raw(), dx.bytes());
  with_call(op.forward, log_probs, targets, [&]<class T>(const Call<T>& c, unsigned block) {
    const Tensor g = Tensor::empty(Shape{c.sequences, 2, c.states}, dx.dtype(), dx.device());
    start(dx, gradient_kernel<T>, unsigned(c.sequences), block, 0, c, g.data<T>(), grad.data<T>(), dx.data<T>());
  });
}

const Kernel<ctc> ctc_;
const Kernel<ctc_backward> ctc_backward_;

}  // namespace
}  // namespace luth::cuda
