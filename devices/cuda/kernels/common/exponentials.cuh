// The online softmax: the largest of a row of numbers and the sum of their exponentials relative to it, in one pass.
#pragma once
#include <cmath>

#include "core/base/shape.h"
#include "devices/cuda/kernels/common/half.cuh"

namespace luth::cuda {

/// The number that is subtracted before exp() when `top` is the largest: `top`, or 0 where it is infinite. So the sum
/// is inf for a row with inf, 0 for a row of -inf alone, and nan for a row with nan (`top` passes over nan).
template <class A>
__device__ A anchor(A top) {
  return std::isinf(top) ? A(0) : top;
}

template <class A>
struct Exponentials {
  A top, sum;  // sum of exp(x - anchor(top))

  static __device__ Exponentials none() { return {-std::numeric_limits<A>::infinity(), A(0)}; }
  /// The sum relative to a `top` that is not below this one. A sum of 0 stays 0, however far down its `top` was.
  __device__ A relative_to(A to) const { return sum == A(0) ? A(0) : sum * std::exp(anchor(top) - anchor(to)); }
  /// Adds numbers; -inf adds nothing.
  template <int n>
  __device__ void add(const A (&x)[n]) {
    A most = top;
#pragma unroll
    for (int j = 0; j < n; ++j) most = std::fmax(most, x[j]);
    A s = relative_to(most);
    const A from = anchor(most);
#pragma unroll
    for (int j = 0; j < n; ++j) s += std::exp(x[j] - from);
    top = most;
    sum = s;
  }
  /// Adds a thread's part of the strided row that begins at x[start], which blockDim.y threads share; calls also(i, v)
  /// for its elements.
  template <class T, class F>
  __device__ void add_strided(const T* x, int64_t start, const Axis& a, F also) {
    for (int64_t i = threadIdx.y; i < a.n; i += 4 * blockDim.y) {
      A w[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int64_t j = i + k * int64_t(blockDim.y);
        w[k] = j < a.n ? widen(x[start + j * a.inner]) : -std::numeric_limits<A>::infinity();
        if (j < a.n) also(j, w[k]);
      }
      add(w);
    }
  }
  /// The same for the numbers of both.
  __device__ Exponentials operator+(const Exponentials& o) const {
    const A most = std::fmax(top, o.top);
    return {most, relative_to(most) + o.relative_to(most)};
  }
};

}  // namespace luth::cuda
