// The gamma function's family for kernels on every device, in double: logarithm, polygamma functions, Hurwitz's zeta,
// incomplete gamma functions. Formulas: NIST's Digital Library of Mathematical Functions (DLMF).
#pragma once
#include "core/math/functions.h"

// For functions too long to stand in each copy of an unrolled loop.
#define LUTH_CALLED __attribute__((noinline))

namespace luth::math {

inline constexpr double pi = 3.14159265358979323846, double_eps = 0x1p-53;

LUTH_HD inline double infinity() { return std::numeric_limits<double>::infinity(); }
LUTH_HD inline double not_a_number() { return std::numeric_limits<double>::quiet_NaN(); }

// glibc's lgamma writes a global; its reentrant form does not.
LUTH_HD inline double lgamma(double x) {
#ifdef __CUDA_ARCH__
  return ::lgamma(x);
#else
  int sign;
  return ::lgamma_r(x, &sign);
#endif
}

/// The part of x above its floor, in [0, 1).
LUTH_HD inline double part_above_floor(double x) { return x - std::floor(x); }

/// ψ(x). Recurrence DLMF 5.5.2 up to 10, then the asymptotic series 5.11.2; reflection 5.5.4 below 0. At 0 minus
/// infinity by the sign of the zero, at negative integers nan.
LUTH_HD LUTH_CALLED inline double digamma(double x) {
  if (x == 0) return std::copysign(infinity(), -x);
  double y = 0;
  if (x < 0) {
    const double part = x - nearbyint(x);  // small where x is
    if (part == 0 || x - x != 0) return not_a_number();
    y = -pi / std::tan(pi * part);
    x = 1 - x;
  }
  for (; x < 10; x += 1) y -= 1 / x;
  const double z = 1 / (x * x);
  // B_2n / (2 n)
  double s = 1.0 / 12;
  s = 691.0 / 32760 - s * z;
  s = 1.0 / 132 - s * z;
  s = 1.0 / 240 - s * z;
  s = 1.0 / 252 - s * z;
  s = 1.0 / 120 - s * z;
  s = 1.0 / 12 - s * z;
  return x > 1e17 ? std::log(x) + y : y + std::log(x) - 0.5 / x - s * z;
}

/// ζ(s, q) for q > 0 and s > 1 by Euler and Maclaurin, DLMF 25.11.5 and 2.10.1: ten terms, the integral of the rest,
/// and corrections B_2j / (2j)! s (s+1) … (s+2j-2) a^(-s-2j+1).
LUTH_HD LUTH_CALLED inline double zeta_right(double s, double q) {
  double sum = 0, a = q;
  for (int k = 0; k < 10; ++k, a += 1) sum += std::pow(a, -s);
  const double power = std::pow(a, -s);
  sum += power * a / (s - 1) + 0.5 * power;
  // B_2j / (2j)!, DLMF 24.2
  constexpr double bernoulli[] = {1.0 / 12,
                                  -1.0 / 720,
                                  1.0 / 30240,
                                  -1.0 / 1209600,
                                  1.0 / 47900160,
                                  -691.0 / 1307674368000,
                                  1.0 / 74724249600,
                                  -3617.0 / 10670622842880000,
                                  43867.0 / 5109094217170944000,
                                  -174611.0 / 802857662698291200000.0};
  double factor = s * power / a;
  for (int j = 0; j < 10; ++j) {
    const double term = bernoulli[j] * factor;
    if (!(std::fabs(term) > double_eps * 0.1 * sum)) break;
    sum += term;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (a * a);
  }
  return sum;
}
/// ζ(s, q) = Σ (q + k)^-s, DLMF 25.11.1. For q < 0 only whole s; infinite at q = 0, -1, …
LUTH_HD inline double zeta(double s, double q) {
  if (s != s || q != q || s < 1) return not_a_number();
  if (s == 1) return infinity();
  if (q > 0) return zeta_right(s, q);
  const double part = part_above_floor(q);
  if (part == 0 || q == -infinity()) return infinity();
  if (s != std::floor(s) || q - q != 0) return not_a_number();
  // Terms with negative bases: part - 1, part - 2, …, q.
  const double below = 1 - part, negative = zeta_right(s, below) - zeta_right(s, 1 - q);
  return zeta_right(s, part) + (std::fmod(s, 2) == 0 ? negative : -negative);
}
/// The n-th derivative of ψ, DLMF 5.15.1 and 25.11.12: (-1)^(n+1) n! ζ(n+1, x).
LUTH_HD inline double polygamma(int n, double x) {
  if (n == 0) return digamma(x);
  if (n == 1 && x - x != 0) return x > 0 ? 0 : not_a_number();  // as PyTorch, which has limits for no other n
  const double size = std::exp(lgamma(n + 1.0)) * zeta(n + 1.0, x);
  return n % 2 ? size : -size;
}

/// x^a e^-x / Γ(a + 1). For large a through deviance and Stirling's series (DLMF 5.11.1), so that nothing cancels.
/// Loader, "Fast and accurate computation of binomial probabilities", 2000.
LUTH_HD inline double gamma_density(double a, double x) {
  if (a < 15) return std::exp(a * std::log(x) - x - lgamma(a + 1));
  const double off = (x - a) / a, z = 1 / (a * a);
  const double deviance = std::fabs(off) < 0.5 ? off - std::log1p(off) : x / a - 1 - std::log(x / a);
  const double stirling = (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / a;
  return std::exp(-a * deviance - stirling) / std::sqrt(2 * pi * a);
}
/// P(a, x) for x below about a, by the series DLMF 8.7.1 with 8.5.1.
LUTH_HD inline double gamma_series(double a, double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 100000 && term > double_eps * sum; ++k) sum += term *= x / (a + k);
  return sum * gamma_density(a, x);
}
/// Q(a, x) for x above about a, by the continued fraction DLMF 8.9.2 (Lentz's method).
LUTH_HD inline double gamma_fraction(double a, double x) {
  const double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (int k = 1; k < 100000; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = an * d + b;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = b + an / c;
    c = std::fabs(c) < tiny ? tiny : c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 2 * double_eps) break;
  }
  return h * a * gamma_density(a, x);
}
/// Regularised incomplete gamma functions: the lower P(a, x), or 1 less it.
LUTH_HD LUTH_CALLED inline double igamma(double a, double x, bool upper) {
  if (x != x || a != a || x < 0 || a < 0) return not_a_number();
  if (a == 0) return x > 0 ? (upper ? 0.0 : 1.0) : not_a_number();
  if (x == 0) return upper ? 1 : 0;
  if (a == infinity()) return x == infinity() ? not_a_number() : upper ? 1.0 : 0.0;
  if (x == infinity()) return upper ? 0 : 1;
  if (x > a + 1 || (upper && x > 1.1 && x > a)) {
    const double q = gamma_fraction(a, x);
    return upper ? q : 1 - q;
  }
  const double p = gamma_series(a, x);
  return upper ? 1 - p : p;
}

}  // namespace luth::math

#undef LUTH_CALLED
