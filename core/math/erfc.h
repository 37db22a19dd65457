// The complementary error function of double in a form that g++ vectorises, as elementary.h has others, and what is
// made of the same parts. Polynomials are minimax fits by Remez's exchange in 113 bits; errors, in units in the last
// place, are the largest of a million arguments against those.
#pragma once
#include "core/math/functions.h"

namespace luth::math::own {

/// What x y is rounded by; without fused multiply-add from products of their halves (Dekker).
[[gnu::always_inline]] LUTH_HD inline double lost_by_product(double x, double y, double product) {
  if constexpr (has_fma) return std::fma(x, y, -product);
  constexpr uint64_t upper = 0xfffffffff8000000;
  const double a = std::bit_cast<double>(std::bit_cast<uint64_t>(x) & upper), b = x - a;
  const double c = std::bit_cast<double>(std::bit_cast<uint64_t>(y) & upper), d = y - c;
  return ((a * c - product) + a * d + b * c) + b * d;
}
/// factor e^(x + low) for |x| < 1420 and a low that is small beside 1.
[[gnu::always_inline]] LUTH_HD inline double times_exp(double factor, double x, double low) {
  const Exponential e = exponential(x);
  const uint64_t half = (e.n << 51) & 0xfff0000000000000;  // as in exp
  const double a = std::bit_cast<double>(half), b = std::bit_cast<double>((e.n << 52) - half);
  return fused(factor, e.main + fused(low, 1 + e.main + e.rest, e.rest), factor) * a * b;
}
/// (1 + 2 x) e^(x²) erfc(x) for x >= 0, which is from 1 to 1.29, of u = (x - 4) / (x + 4).
[[gnu::always_inline]] LUTH_HD inline double erfcx_scaled(double u) {
  return polynomial(u, 8.9818875998098884e-10, 1.5763997880384491e-09, -1.2155905018291715e-08, -1.6386511683883909e-08,
                    1.0585774481638882e-07, 7.1189888910684557e-08, -8.2040363408053363e-07, 2.9796230558059085e-07,
                    5.705982000830692e-06, -1.1225057144992846e-05, -2.4397380418526768e-05, 0.00015062307205682992,
                    -0.0001992572877160042, -0.0007577736979653962, 0.0050319701025968071, -0.016197733983513197,
                    0.037167515521270469, -0.066330365820039164, 0.093732834999538453, -0.10103906603588386,
                    0.068097054254651887, 0.015379652102610967, -0.13962111684056208, 1.2329951186255526);
}
/// e^(x²) erfc(x) for x >= 0.
[[gnu::always_inline]] LUTH_HD inline double erfcx_right(double x) {
  return 0.5 / (x + 0.5) * erfcx_scaled(1 - 8 / (x + 4));
}
/// factor e^-(square + lost) e^(x²) erfc(x) for 0 <= x <= 40. Both quotients are made of one, and put right by what
/// that by d = 1 + 2 x, and d, are rounded by.
[[gnu::always_inline]] LUTH_HD inline double erfc_tail(double factor, double x, double square, double lost) {
  const double c = x + 4, d = 1 + 2 * x, r = 1 / (c * d), inverse = r * c;
  const double one = inverse * d, off = (1 - one) - lost_by_product(inverse, d, one) - inverse * (1 - (d - 2 * x));
  const double q = 8 * (r * d), u = fused(-q, off, 1 - q);
  return times_exp(factor * inverse * erfcx_scaled(u), -square, off - lost);
}
/// erf(x) / x - 1 of x² for |x| <= 0.75, fitted for erfc.
[[gnu::always_inline]] LUTH_HD inline double erf_near(double z) {
  return polynomial(z, 1.1268265370753513e-08, -1.5879330655148694e-07, 1.6422935286523451e-06, -1.4923642284120926e-05,
                    0.00012055265241815542, -0.00085483255128827851, 0.0052239776036158694, -0.026866170643184001,
                    0.1128379167094534, -0.37612638903183521, 0.12837916709551256);
}
/// erfc x for |x| <= 0.75.
[[gnu::always_inline]] LUTH_HD inline double erfc_near(double x) {
  const double from = 1 - x;
  return from + fused(-x, erf_near(x * x), (1 - from) - x);
}
/// erfc x within 2.7 above 0.75 and within 0.9 below.
[[gnu::always_inline]] LUTH_HD inline double erfc(double x) {
  const double size = std::fabs(x), t = at_most(size, 28.0), square = t * t;
  const double tail = erfc_tail(1, t, square, lost_by_product(t, t, square));
  return size > 0.75 ? x < 0 ? 2 - tail : tail : erfc_near(x);  // nan: the latter
}

}  // namespace luth::math::own
