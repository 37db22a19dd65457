// The largest of a row of numbers and the sum of their exponentials relative to it, in one pass.
#pragma once
#include <cmath>

#include "devices/cuda/kernels/common/half.cuh"

namespace luth::cuda {

/// What exponents are relative to when `top` is the largest: itself, or 0 where it is infinite, so that the sum is inf
/// for a row with inf, 0 for nothing but -inf, and nan for a row with nan (which `top` passes over).
template <class A>
__device__ A anchor(A top) {
  return std::isinf(top) ? A(0) : top;
}

template <class A>
struct Exponentials {
  A top, sum;  // sum of exp(x - anchor(top))

  static __device__ Exponentials none() { return {-std::numeric_limits<A>::infinity(), A(0)}; }
  /// The sum relative to a `top` that is not below this one. Nothing stays nothing, however far down it was.
  __device__ A relative_to(A to) const { return sum == A(0) ? A(0) : sum * std::exp(anchor(top) - anchor(to)); }
  /// More numbers; those that are none are -inf.
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
  __device__ Exponentials joined(const Exponentials& o) const {
    const A most = std::fmax(top, o.top);
    return {most, relative_to(most) + o.relative_to(most)};
  }
};

}  // namespace luth::cuda
