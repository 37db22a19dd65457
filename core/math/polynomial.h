// Orthogonal polynomials for kernels on every device, in double, by their recurrences. Formulas: NIST's Digital Library
// of Mathematical Functions (DLMF), 18.5 and 18.9. Degrees below 0 give 0.
#pragma once
#include "core/math/functions.h"

namespace luth::math {

/// p_n of p_(k+1) = next(k, p_k, p_(k-1)). Where a polynomial on the way passes 1e300 the result is infinite: the next
/// ones would be differences of infinities. A degree of more than a million, which would take seconds per element,
/// gives nan.
template <class Next>
LUTH_HD double recurrence(int64_t n, double p0, double p1, Next next) {
  if (n < 0) return 0;
  if (n == 0) return p0;
  if (n > 1000000) return std::numeric_limits<double>::quiet_NaN();
  double p = p0, q = p1;
  int64_t k = 1;
  for (; k < n && std::fabs(q) < 1e300; ++k) {
    const double r = next(double(k), q, p);
    p = q;
    q = r;
  }
  return k < n ? q * std::numeric_limits<double>::infinity() : q;
}
LUTH_HD inline double chebyshev_t(double x, int64_t n) {
  if (n > 6 && std::fabs(x) < 1) return std::cos(double(n) * std::acos(x));
  return recurrence(n, 1, x, [x](double, double q, double p) { return 2 * x * q - p; });
}
LUTH_HD inline double chebyshev_u(double x, int64_t n) {
  if (n > 8 && std::fabs(x) < 1) {
    const double angle = std::acos(x), s = std::sin(angle);
    if (s != 0) return std::sin(double(n + 1) * angle) / s;
  }
  return recurrence(n, 1, 2 * x, [x](double, double q, double p) { return 2 * x * q - p; });
}
LUTH_HD inline double hermite_h(double x, int64_t n) {
  return recurrence(n, 1, 2 * x, [x](double k, double q, double p) { return 2 * (x * q - k * p); });
}
LUTH_HD inline double hermite_he(double x, int64_t n) {
  return recurrence(n, 1, x, [x](double k, double q, double p) { return x * q - k * p; });
}
LUTH_HD inline double laguerre_l(double x, int64_t n) {
  if (x == 0) return n < 0 ? 0 : 1;
  return recurrence(n, 1, 1 - x, [x](double k, double q, double p) { return ((2 * k + 1 - x) * q - k * p) / (k + 1); });
}
LUTH_HD inline double legendre_p(double x, int64_t n) {
  if (std::fabs(x) == 1) return n < 0 ? 0 : x > 0 || n % 2 == 0 ? 1 : -1;
  return recurrence(n, 1, x, [x](double k, double q, double p) { return ((2 * k + 1) * x * q - k * p) / (k + 1); });
}

}  // namespace luth::math
