// Poisson and binomially distributed numbers from counters, the arithmetic that all devices share.
#pragma once
#include <cmath>

#include "core/math/philox.h"

namespace luth::draw {

/// Uniform numbers in [0, 1) of one element, without end: words of counter offset + element / 4 whose upper half says
/// which block and which of the four elements. No fill ever takes those.
struct Endless {
  int64_t seed, counter;
  uint32_t lane, block = 0;
  PhiloxWords words{};
  bool second = false;

  LUTH_HD Endless(int64_t seed_, int64_t offset, int64_t element)
      : seed(seed_), counter(offset + element / 4), lane(uint32_t(element & 3)) {}
  LUTH_HD double next() {
    if (!second) words = philox(seed, counter, ++block, lane);
    const double u = second ? uniform_double(words.w[2], words.w[3]) : uniform_double(words.w[0], words.w[1]);
    second = !second;
    return u;
  }
};

/// Below a rate of 10 by Knuth's products of uniform numbers; from there by Hörmann's PTRS ("The transformed rejection
/// method for generating Poisson random variables", 1993). nan for a rate that is negative, infinite or nan.
LUTH_HD inline double poisson(double rate, Endless u) {
  if (!(rate >= 0) || rate > 1e300) return std::nan("");
  if (rate == 0) return 0;
  if (rate < 10) {
    const double limit = ::exp(-rate);
    double product = u.next(), n = 0;
    while (product > limit) {
      product *= u.next();
      n += 1;
    }
    return n;
  }
  const double root = ::sqrt(rate), log_rate = ::log(rate), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b,
               inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), accepted = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double x = u.next() - 0.5, v = u.next(), us = 0.5 - ::fabs(x);
    const double k = ::floor((2 * a / us + b) * x + rate + 0.43);
    if (us >= 0.07 && v <= accepted) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (::log(v) + ::log(inverse_alpha) - ::log(a / (us * us) + b) <= k * log_rate - rate - ::lgamma(k + 1)) return k;
  }
}

/// Successes of a chance p of at most 1/2: below a mean of 10 by adding up the trials until each success; from there by
/// Hörmann's BTRS ("The generation of binomial random variates", 1993).
LUTH_HD inline double binomial_below_half(double count, double p, Endless& u) {
  if (count * p < 10) {
    const double log_failure = ::log1p(-p);
    double trials = 0, n = 0;
    for (;; n += 1) {
      const double wait = ::ceil(::log(1 - u.next()) / log_failure);
      trials += wait > 1 ? wait : 1;
      if (trials > count) return n;
    }
  }
  const double root = ::sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * root, a = -0.0873 + 0.0248 * b + 0.01 * p,
               accepted = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * root, odds = ::log(p / (1 - p)),
               mode = ::floor((count + 1) * p), at_mode = ::lgamma(mode + 1) + ::lgamma(count - mode + 1);
  for (;;) {
    const double x = u.next() - 0.5, v = u.next(), us = 0.5 - ::fabs(x);
    const double k = ::floor((2 * a / us + b) * x + count * p + 0.5);
    if (us >= 0.07 && v <= accepted) return k;
    if (k < 0 || k > count) continue;
    if (::log(v * alpha / (a / (us * us) + b)) <=
        at_mode - ::lgamma(k + 1) - ::lgamma(count - k + 1) + (k - mode) * odds)
      return k;
  }
}
/// No trial or no chance gives 0, certainty all; nan stays.
LUTH_HD inline double binomial(double count, double p, Endless u) {
  if (count != count || p != p || count > 1e300) return std::nan("");
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  count = ::floor(count);
  return p <= 0.5 ? binomial_below_half(count, p, u) : count - binomial_below_half(count, 1 - p, u);
}

/// The first of n ascending sums that is above `at`; the last where none is.
template <class T>
LUTH_HD inline int64_t first_above(const T* sums, int64_t n, T at) {
  int64_t low = 0, high = n - 1;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (sums[middle] > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace luth::draw
