// Orthogonal polynomials for kernels on every device, in double, by their recurrences. Formulas: NIST's Digital Library
// of Mathematical Functions (DLMF), 18.5 and 18.9. Degrees below 0 give 0.
#pragma once
#include "core/math/functions.h"

namespace luth::math {

/// p_n of p_0 = 1, p_1 = first(x), p_(k+1) = next(x, k, p_k, p_(k-1)). Numbers on the way are scaled before they
/// overflow, and those beyond 1e200 have the sign of 1e200, as differences of infinities would have none. A degree of
/// more than a million, which would take seconds per element, gives nan.
template <class First, class Next>
LUTH_HD double recurrence(double x, int64_t n, First first, Next next) {
  if (n < 0) return 0;
  if (n == 0) return 1;
  if (n == 1 || x != x) return first(x);
  if (n > 1000000) return std::numeric_limits<double>::quiet_NaN();
  constexpr double scale = 0x1p-830;
  const double at = x < -1e200 ? -1e200 : x > 1e200 ? 1e200 : x;
  double p = 1, q = first(at);
  int scaled = 0;
  for (int64_t k = 1; k < n; ++k) {
    if (std::fabs(q) > 1e100) p *= scale, q *= scale, ++scaled;
    const double r = next(at, double(k), q, p);
    p = q;
    q = r;
  }
  return scaled ? std::ldexp(q, scaled * 830) : q;
}
LUTH_HD inline double chebyshev_t(double x, int64_t n) {
  if (n > 6 && std::fabs(x) < 1) return std::cos(double(n) * std::acos(x));
  return recurrence(
      x, n, [](double x) { return x; }, [](double x, double, double q, double p) { return 2 * x * q - p; });
}
LUTH_HD inline double chebyshev_u(double x, int64_t n) {
  if (n > 8 && std::fabs(x) < 1) {
    const double angle = std::acos(x), s = std::sin(angle);
    if (s != 0) return std::sin(double(n + 1) * angle) / s;
  }
  return recurrence(
      x, n, [](double x) { return 2 * x; }, [](double x, double, double q, double p) { return 2 * x * q - p; });
}
LUTH_HD inline double hermite_h(double x, int64_t n) {
  return recurrence(
      x, n, [](double x) { return 2 * x; }, [](double x, double k, double q, double p) { return 2 * (x * q - k * p); });
}
LUTH_HD inline double hermite_he(double x, int64_t n) {
  return recurrence(
      x, n, [](double x) { return x; }, [](double x, double k, double q, double p) { return x * q - k * p; });
}
LUTH_HD inline double laguerre_l(double x, int64_t n) {
  if (x == 0) return n < 0 ? 0 : 1;
  return recurrence(
      x, n, [](double x) { return 1 - x; },
      [](double x, double k, double q, double p) { return ((2 * k + 1 - x) * q - k * p) / (k + 1); });
}
LUTH_HD inline double legendre_p(double x, int64_t n) {
  if (std::fabs(x) == 1) return n < 0 ? 0 : x > 0 || n % 2 == 0 ? 1 : -1;
  return recurrence(
      x, n, [](double x) { return x; },
      [](double x, double k, double q, double p) { return ((2 * k + 1) * x * q - k * p) / (k + 1); });
}

}  // namespace luth::math
