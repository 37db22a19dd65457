// The error function's family for kernels on every device, in double: scaled and inverse forms, the normal
// distribution. Formulas: NIST's Digital Library of Mathematical Functions (DLMF), Abramowitz and Stegun (A&S).
#pragma once
#include "core/math/functions.h"

namespace luth::math {

/// e^(x²) erfc(x). Above 10 by the asymptotic series DLMF 7.12.1.
LUTH_HD inline double erfcx(double x) {
  if (x < -27) return std::numeric_limits<double>::infinity();
  if (x < 10) return std::exp(x * x) * std::erfc(x);
  const double z = 0.5 / (x * x);
  double sum = 1, term = 1;
  for (int k = 1; k < 12; ++k) sum += term *= -(2 * k - 1) * z;
  return sum * 0.56418958354775628695 / x;  // 1 / sqrt(pi)
}
/// The normal distribution function.
LUTH_HD inline double ndtr(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
LUTH_HD inline double log_ndtr(double x) {
  const double t = x * 0.70710678118654752440;
  return x < -1 ? std::log(0.5 * erfcx(-t)) - t * t : std::log1p(-0.5 * std::erfc(t));
}
/// Where the normal distribution function is p, for p in (0, 0.25]: A&S 26.2.23 (within 4.5e-4), and three of Halley's
/// steps, each of which triples the digits.
LUTH_HD inline double ndtri_left(double p) {
  const double t = std::sqrt(-2 * std::log(p));
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  if (p < 1e-290) {  // the density has few digits, its ratio to the function has all: Newton's steps on the logarithm
    for (int k = 0; k < 4; ++k)
      x -= (log_ndtr(x) - std::log(p)) * erfcx(-x * 0.70710678118654752440) * 1.25331413731550025121;
    return x;
  }
  for (int k = 0; k < 3; ++k) {
    const double density = 0.39894228040143267794 * std::exp(-0.5 * x * x);
    const double e = (ndtr(x) - p) / density;
    x -= e / (1 + 0.5 * e * x);
  }
  return x;
}
/// The inverse of erf where |y| < 1/2: Halley's steps from sqrt(pi) y / 2.
LUTH_HD inline double erfinv_inner(double y) {
  double x = 0.88622692545275801365 * y;
  for (int k = 0; k < 3; ++k) {
    const double e = (std::erf(x) - y) * 0.88622692545275801365 * std::exp(x * x);
    x -= e / (1 + x * e);
  }
  return x;
}
LUTH_HD inline double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0 || p == 1) return std::copysign(std::numeric_limits<double>::infinity(), p - 0.5);
  if (p > 0.25 && p < 0.75) return 1.41421356237309504880 * erfinv_inner(2 * p - 1);
  return p <= 0.5 ? ndtri_left(p) : -ndtri_left(1 - p);
}
/// The inverse of erf, farther out through the normal distribution's.
LUTH_HD inline double erfinv(double y) {
  const double size = std::fabs(y);
  if (!(size <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (size == 1) return std::copysign(std::numeric_limits<double>::infinity(), y);
  if (size >= 0.5) return std::copysign(ndtri_left(0.5 * (1 - size)) * 0.70710678118654752440, y);
  return erfinv_inner(y);
}

/// The same for a float |y| < 1, within 1e-10 of it; it vectorises. erfinv(y) / y is smooth in w = -ln(1 - y^2) near 0,
/// and in its root farther out: polynomials fitted for w up to 5 and from 5 to 16.8.
LUTH_HD inline double erfinv_quick(double y) {
  const double w = -quick_log((1 - y) * (1 + y)), s = std::sqrt(w) - 3.15;
  const double near =
      polynomial(w, 4.3849953119260271e-13, -1.5686365343647751e-11, 2.3028791928112957e-10, -1.6256760966298217e-09,
                 3.567242402922756e-09, 1.9508917804609265e-08, -4.0413963091151292e-08, -9.9312751696182385e-07,
                 1.9837903601500923e-06, 4.6649227481161004e-05, -0.00012806678105648205, -0.002335093303471402,
                 0.011549340542088175, 0.2320136666377936, 0.88622692545160553);
  const double far =
      polynomial(s, -3.7780348953437511e-06, 1.0516106504125701e-05, 2.6499860219248965e-06, -5.8326828313069851e-05,
                 0.00012308763076842837, -6.0454146165420114e-05, -0.00034410175218058597, 0.001201745237368417,
                 -0.0023350978296596851, 0.0034910729667151485, -0.0049369323286831577, 0.0066641511549800168,
                 1.0040613789666053, 2.9834174410949177);
  return y * (w < 5 ? near : far);
}

}  // namespace luth::math
