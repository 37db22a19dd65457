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

// ---- forms that vectorise, for results that are rounded to float

/// Where they hold: not at the poles, and not so far out that x^2 or the sine's argument loses what it needs.
LUTH_HD inline bool is_gamma_quick(double x) {
  return (std::fabs(x) < 1e15) & (std::fabs(x) > 1e-100) & ((x > 0) | (x != std::floor(x)));
}
/// sin(pi x) and cos(pi x) of the distance from x to the nearest whole number, within 1e-13.
struct SinCosPi {
  double sine, cosine;
};
LUTH_HD inline SinCosPi quick_sin_cos_pi(double x) {
  const double r = x - std::nearbyint(x), z = r * r;
  const double s =
      polynomial(z, -2.1133627352052969e-05, 0.00046598701580433777, -0.0073703643265304155, 0.082145878816310428,
                 -0.59926452882522396, 2.5501640398618677, -5.1677127800497855, 3.1415926535897927);
  const double c =
      polynomial(z, -0.0001004164642205389, 0.0019278700526981333, -0.025806531975921563, 0.23533058831317874,
                 -1.3352627661817635, 4.0587121263332948, -4.934802200543686, 0.99999999999999811);
  return {r * s, c};
}
/// ln |Γ(x)| within 1e-11 of it. From 1 to 3, (x - 1) (x - 2) times a fitted polynomial, so that the zeros are right;
/// from 3 on Stirling's series (DLMF 5.11.1) at 8 or more; recurrence in between, and reflection (5.5.3) below 0.
LUTH_HD inline double lgamma_quick(double x) {
  const double a = std::fabs(x), u = (a < 1 ? a + 1 : a) - 2;
  const double p =
      polynomial(u, -2.8541007959705006e-09, 5.8963861642333201e-09, 6.3565524302872395e-09, -1.3074081880171198e-08,
                 -2.6425270723120699e-08, 5.4754361972630815e-08, -2.4332114658098466e-08, 5.1650153764558972e-08,
                 -2.0635178288309344e-07, 4.3404410108070576e-07, -8.4534427624273664e-07, 1.7923920411786242e-06,
                 -3.8499971612302529e-06, 8.2277052326111135e-06, -1.7661051836167011e-05, 3.8167601000364536e-05,
                 -8.3095219464587172e-05, 0.00018255283120135137, -0.00040570738927420559, 0.00091537690527287996,
                 -0.0021081308343325468, 0.0049986411654741308, -0.012384192193364526, 0.032965000621141903,
                 -0.10031730167435395, 0.42278433509846719);
  const double t = a < 8 ? a + 5 : a, z = 1 / (t * t);
  const double s = polynomial(z, -1.0 / 1188, 1.0 / 1680, -1.0 / 1260, 1.0 / 360, -1.0 / 12);
  const double stirling = (t - 0.5) * quick_log(t) - t + 0.91893853320467274 - s / t;  // ln(2 pi) / 2
  const double base = a < 3 ? (u + 1) * u * p : stirling;
  const double product = a * (a + 1) * (a + 2) * (a + 3) * (a + 4);
  const double below = a < 1 ? a : (a < 3) | (a >= 8) ? 1 : product;  // the result is base - ln(below)
  const double mirrored = a * std::fabs(quick_sin_cos_pi(x).sine) / below;
  const double rest = quick_log(x < 0 ? mirrored : below);
  return (x < 0 ? 1.1447298858494002 - base : base) - rest + 0.0;  // ln(pi); +0 at 1 and 2
}
/// ψ(x) within 1e-13, as digamma computes it; the recurrence by one division.
LUTH_HD inline double digamma_quick(double x) {
  const double a = x < 0 ? 1 - x : x;
  // sum of 1 / (a + k), k = 0 … 7, in pairs
  const double b = a * (a + 7), c = b + 6, d = b + 10, e = b + 12, half = 2 * a + 7;
  const double sum = half * ((b + c) * (d * e) + (d + e) * (b * c)) / (b * c * (d * e));
  const double t = a < 8 ? a + 8 : a, z = 1 / (t * t);
  const double s = polynomial(z, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12);
  const double right = quick_log(t) - 0.5 / t - s * z - (a < 8 ? sum : 0);
  const SinCosPi angle = quick_sin_cos_pi(x);
  return x < 0 ? right - pi * angle.cosine / angle.sine : right;
}

/// ψ'(x). Recurrence (DLMF 5.15.5) up to 4, then 1 / x + 1 / (2 x²) + p(1 / x²) / x³, where the asymptotic
/// series 5.15.8 would need more terms; reflection 5.15.6 below 0. It vectorises.
[[gnu::always_inline]] LUTH_HD inline double trigamma(double x) {
  const double a = x < 0 ? 1 - x : x, b = a + 1, c = a + 2, d = a + 3, p = 1 / (a * b), q = 1 / (c * d);
  const double sum = (a * a + b * b) * p * p + (c * c + d * d) * q * q;  // 1 / a² + … + 1 / d²
  const double t = a < 4 ? a + 4 : a, over = 1 / t, z = over * over;
  const double s = polynomial(z, -38.888069865315778, 19.081089945831977, -5.0275044336279704, 1.0809604340291679,
                              -0.25065657071509007, 0.075710706440094602, -0.033332767756525994, 0.023809519838041235,
                              -0.033333333319435998, 0.16666666666664981);
  const double right = (a < 4 ? sum : 0) + fused(z, fused(over, s, 0.5), over);
  const double r = x - std::nearbyint(x), y = r * r;
  const double cosecant =
      1 / (r * fused(polynomial(y, 2.4499452290574622e-07, -6.9720688050766319e-06, 0.00014842783105243338,
                                -0.0023460808939005807, 0.026147847805474956, -0.1907518241215021, 0.81174242528334017,
                                -1.6449340668482264),
                     y, 1));  // π / sin(πx)
  return x < 0 ? cosecant * cosecant - right : right;
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
  if (n == 1) return trigamma(x);
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
