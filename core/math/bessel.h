// Bessel functions of order 0 and 1, and Airy's, for kernels on every device, in double. J and Y are the C library's.
// Formulas: NIST's Digital Library of Mathematical Functions (DLMF).
#pragma once
#include "core/math/functions.h"

namespace luth::math {

LUTH_HD inline double bessel_y0(double x) { return x < 0 ? std::numeric_limits<double>::quiet_NaN() : ::y0(x); }
LUTH_HD inline double bessel_y1(double x) { return x < 0 ? std::numeric_limits<double>::quiet_NaN() : ::y1(x); }

/// Σ (±1)^k a_k(ν) / x^k with a_k = Π (4ν² - (2j-1)²) / (8^k k!), DLMF 10.17.1, up to the smallest term.
LUTH_HD inline double hankel_sum(double nu, double x, double sign) {
  const double mu = 4 * nu * nu;
  double sum = 1, term = 1;
  for (int k = 1; k < 60; ++k) {
    const double next = term * sign * (mu - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * x);
    if (!(std::fabs(next) < std::fabs(term)) || std::fabs(next) < 0x1p-55) break;
    sum += term = next;
  }
  return sum;
}

/// e^-|x| I_n(x), n = 0 or 1: the power series DLMF 10.25.2, which has no signs, and from 20 on the asymptotic one,
/// 10.40.1.
LUTH_HD inline double bessel_ie(int n, double x) {
  const double size = std::fabs(x), sign = n == 1 && x < 0 ? -1 : 1;
  if (size - size != 0) return size != size ? x : std::copysign(0.0, sign);
  if (size >= 20) return sign * hankel_sum(n, size, -1) * 0.39894228040143267794 / std::sqrt(size);
  const double z = 0.25 * size * size;
  double sum = 1, term = 1;
  for (int k = 1; k < 80 && term > 0x1p-55 * sum; ++k) sum += term *= z / (double(k) * (k + n));
  return sign * (n ? 0.5 * size : 1) * sum * std::exp(-size);
}
LUTH_HD inline double bessel_i(int n, double x) {
  const double half = std::exp(0.5 * std::fabs(x));
  if (half > 1e300) return n == 1 && x < 0 ? -half : half;
  return bessel_ie(n, x) * half * half;
}

/// e^x K_ν(x) for x from about 0.6 to 25: the integral of e^(-x (cosh t - 1)) cosh νt, DLMF 10.32.9, by the trapezoidal
/// rule, whose error for this analytic integrand is below 1e-17 at this step.
LUTH_HD inline double bessel_ke_integral(double nu, double x) {
  const double h = 0.125;
  double sum = 0.5;
  for (int k = 1; k < 64; ++k) {
    const double t = h * k, s = std::sinh(0.5 * t), term = std::exp(-2 * x * s * s) * std::cosh(nu * t);
    sum += term;
    if (term < 0x1p-56 * sum) break;
  }
  return h * sum;
}
LUTH_HD inline double bessel_ke_far(double nu, double x) {
  return std::sqrt(1.57079632679489661923 / x) * hankel_sum(nu, x, 1);
}
/// K_n(x) for 0 < x <= 2, n = 0 or 1: DLMF 10.31.1 and 10.31.2 (H_k: harmonic numbers).
LUTH_HD inline double bessel_k_near(int n, double x) {
  const double z = 0.25 * x * x, log_half = std::log(0.5 * x) + 0.57721566490153286061;
  double term = 1, harmonic = 0, sum = 0;
  for (int k = 0; k < 30; ++k) {
    const double weight = n == 0 ? harmonic - log_half : log_half - harmonic - 0.5 / (k + 1);
    sum += term * weight;
    harmonic += 1.0 / (k + 1);
    term *= z / (double(k + 1) * (k + 1 + n));
    if (term < 0x1p-58) break;
  }
  return n == 0 ? sum : 1 / x + 0.5 * x * sum;
}
/// e^x K_n(x), n = 0 or 1.
LUTH_HD inline double bessel_ke(int n, double x) {
  if (!(x > 0)) return x == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (x <= 2) return bessel_k_near(n, x) * std::exp(x);
  return x <= 25 ? bessel_ke_integral(n, x) : bessel_ke_far(n, x);
}
LUTH_HD inline double bessel_k(int n, double x) {
  if (x > 0 && x <= 2) return bessel_k_near(n, x);
  return x > 800 ? 0 : bessel_ke(n, x) * std::exp(-x);
}

/// sin(x) / x.
LUTH_HD inline double spherical_bessel_j0(double x) {
  if (x == 0) return 1;
  return std::fabs(x) == std::numeric_limits<double>::infinity() ? 0 : std::sin(x) / x;
}

/// Ai(x) by its power series, DLMF 9.4.1.
LUTH_HD inline double airy_series(double x) {
  const double cube = x * x * x;
  double f = 1, g = x, a = 1, b = x;
  for (int k = 1; k < 100; ++k) {
    f += a *= cube / (double(3 * k - 1) * (3 * k));
    g += b *= cube / (double(3 * k) * (3 * k + 1));
    if (std::fabs(a) < 0x1p-58 && std::fabs(b) < 0x1p-58) break;
  }
  return 0.35502805388781723926 * f - 0.25881940379280679841 * g;
}
/// Ai(-z) for large z, DLMF 9.7.9, with u_k = u_(k-1) (6k-5)(6k-3)(6k-1) / (216 k (2k-1)).
LUTH_HD inline double airy_far_left(double z) {
  const double zeta = 2 * z * std::sqrt(z) / 3;
  double sums[2] = {1, 0}, u = 1;
  for (int k = 1; k < 40; ++k) {
    const double next = u * (6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1) / (216.0 * k * (2 * k - 1) * zeta);
    if (next >= u || next < 0x1p-55) break;
    u = next;
    sums[k % 2] += k / 2 % 2 ? -u : u;
  }
  const double angle = zeta - 0.78539816339744830962;
  return 0.56418958354775628695 / std::sqrt(std::sqrt(z)) * (std::cos(angle) * sums[0] + std::sin(angle) * sums[1]);
}
/// Airy's function of the first kind. To the right through K_1/3, DLMF 9.6.2.
LUTH_HD inline double airy_ai(double x) {
  if (x != x || x == -std::numeric_limits<double>::infinity()) return std::numeric_limits<double>::quiet_NaN();
  if (x < -7.5) return airy_far_left(-x);
  if (x < 1) return airy_series(x);
  if (x > 108) return 0;
  const double zeta = 2 * x * std::sqrt(x) / 3;
  const double k = zeta <= 25 ? bessel_ke_integral(1.0 / 3, zeta) : bessel_ke_far(1.0 / 3, zeta);
  return std::sqrt(x / 3) / 3.14159265358979323846 * k * std::exp(-zeta);
}

}  // namespace luth::math
