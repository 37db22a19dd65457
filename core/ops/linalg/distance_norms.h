// The norms of differences of rows that kernels compute, and their derivatives, for every device. C is the dtype of the
// rows. A norm has
//   step    adds a difference to a total, both in double
//   root    the norm of a total
//   weight  a factor of gradient g that is the same for all differences of rows a and b of k elements
//   slope   what this is to be multiplied by for difference d
#pragma once
#include <limits>

#include "core/math/functions.h"
#include "core/op/define.h"

namespace luth::ops {

template <class C>
LUTH_HD C sign_of(C d) {
  return C(d > 0) - C(d < 0);
}

template <class C>
struct NormOf {
  using Element = C;
  LUTH_HD C weight(C g, C, const C*, const C*, int64_t) const { return g; }
};
template <class C>
struct SumNorm : NormOf<C> {
  LUTH_HD double step(double total, double d) const { return total + std::fabs(d); }
  LUTH_HD double root(double total) const { return total; }
  LUTH_HD C slope(C d, C) const { return sign_of(d); }
};
template <class C>
struct RootNorm : NormOf<C> {
  LUTH_HD double step(double total, double d) const { return total + d * d; }
  LUTH_HD double root(double total) const { return std::sqrt(total); }
  LUTH_HD C slope(C d, C y) const { return d / y; }
};
template <class C>
struct CubicNorm : NormOf<C> {
  LUTH_HD double step(double total, double d) const { return total + d * d * std::fabs(d); }
  LUTH_HD double root(double total) const { return std::cbrt(total); }
  LUTH_HD C slope(C d, C y) const {
    const C part = d / y;
    return part * std::fabs(part);
  }
};
template <class C>
struct PowerNorm : NormOf<C> {
  double p;
  LUTH_HD C power(double d) const { return math::pow(C(std::fabs(d)), C(p)); }
  LUTH_HD double step(double total, double d) const { return total + double(power(d)); }
  LUTH_HD double root(double total) const { return math::pow(total, 1 / p); }
  LUTH_HD C slope(C d, C y) const {
    const C size = math::pow(std::fabs(d) / y, C(p - 1));
    return d == C(0) ? C(0) : sign_of(d) * size;
  }
};
/// The largest differences share the gradient.
template <class C>
struct LargestNorm : NormOf<C> {
  LUTH_HD double step(double total, double d) const {
    const double size = std::fabs(d);
    return size > total || size != size ? size : total;
  }
  LUTH_HD double root(double total) const { return total; }
  LUTH_HD C weight(C g, C y, const C* a, const C* b, int64_t k) const {
    int32_t count = 0;
    for (int64_t i = 0; i < k; ++i) count += std::fabs(a[i] - b[i]) == y;
    return g / C(count);
  }
  LUTH_HD C slope(C d, C y) const { return std::fabs(d) == y ? sign_of(d) : C(0); }
};

/// f(norm) for exponent p > 0 and rows of a dtype, float32 or float64.
template <class F>
void with_norm(double p, Dtype dtype, F f) {
  dispatch(Types<float, double>{}, dtype, [&]<class C>(Type<C>) {
    if (p == 1) return f(SumNorm<C>());
    if (p == 2) return f(RootNorm<C>());
    if (p == 3) return f(CubicNorm<C>());
    if (p == std::numeric_limits<double>::infinity()) return f(LargestNorm<C>());
    f(PowerNorm<C>{{}, p});
  });
}

/// How many pairs (i, j) with i < j of n rows there are for the first `rows` values of i; and where pair (i, j) is
/// among those of all rows, ordered by i, then j.
LUTH_HD inline int64_t pairs_before(int64_t n, int64_t rows) { return rows * (2 * n - rows - 1) / 2; }
LUTH_HD inline int64_t pair_position(int64_t n, int64_t i, int64_t j) { return pairs_before(n, i) + j - i - 1; }

}  // namespace luth::ops
