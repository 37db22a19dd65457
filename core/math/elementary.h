// exp, exp2, expm1, tanh, log, log2, log10, log1p and erf of double in forms that g++ vectorises: no branches, no
// tables, no conversions between int64 and double, which AVX2 has not. Products that are rounded are added by `fused`,
// so that a loop's vectors and the elements behind them have the same bits. Polynomials are minimax fits by Remez's
// exchange in 60 digits, weighted by what their error is in the result. Errors, in units in the last place, are the
// largest of a million arguments of each function against 64 or 113 bits.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/dtype.h"

namespace luth::math {

/// Whether a fused multiply-add is one instruction; where it is not, it is a call that takes a hundred times as long.
#ifdef __FMA__
inline constexpr bool has_fma = true;
#else
inline constexpr bool has_fma = false;
#endif

/// The smaller of x and y as integers of their bits. It has a name before it is a T again: g++ would make a path of its
/// own for each side of the choice.
template <class Bits, class T>
LUTH_HD inline T lesser(T x, T y) {
  const Bits a = std::bit_cast<Bits>(x), b = std::bit_cast<Bits>(y);
  const Bits least = a < b ? a : b;
  return std::bit_cast<T>(least);
}
/// The smaller of x and high > 0, and the larger of x and low < 0; nan may become a number. By bits, which order
/// numbers of one sign: of a choice between x and a constant g++ makes a path of its own, and a loop does the work of
/// all paths.
template <class T>
LUTH_HD inline T at_most(T x, T high) {
  return lesser<std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>(x, high);
}
template <class T>
LUTH_HD inline T at_least(T x, T low) {
  return lesser<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(x, low);
}

/// x y + z, rounded once where that is one instruction.
LUTH_HD inline double fused(double x, double y, double z) {
  if constexpr (has_fma) return std::fma(x, y, z);
  return x * y + z;
}

/// The polynomial with these coefficients, that of the highest power first.
template <class... C>
LUTH_HD inline double polynomial(double x, double first, C... rest) {
  double sum = first;
  ((sum = fused(sum, x, rest)), ...);
  return sum;
}

namespace own {  // inlined by force: a call keeps a loop from being vectorised

/// The upper 26 bits of x, whose square is exact.
[[gnu::always_inline]] LUTH_HD inline double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0xfffffffff8000000);
}
/// What x y is rounded by; without fused multiply-add from products of their halves (Dekker).
[[gnu::always_inline]] LUTH_HD inline double lost_by_product(double x, double y, double product) {
  if constexpr (has_fma) return std::fma(x, y, -product);
  const double a = upper_half(x), b = x - a, c = upper_half(y), d = y - c;
  return ((a * c - product) + a * d + b * c) + b * d;
}
/// A number as a sum; low is what high is rounded by, or small beside it, or nan next to infinities and zeros.
struct Pair {
  double high, low;
};
[[gnu::always_inline]] LUTH_HD inline Pair product(Pair x, Pair y) {
  const double high = x.high * y.high, lost = lost_by_product(x.high, y.high, high);
  return {high, fused(x.low, y.high, fused(x.high, y.low, lost))};
}

/// 2^n where `up`, 2^-n where `down`, else 1. From bits: of choices between constants g++ makes paths.
[[gnu::always_inline]] LUTH_HD inline double power_of_two(int n, bool up, bool down) {
  const uint64_t step = uint64_t(n) << 52, more = -uint64_t(up) & step, less = -uint64_t(down) & step;
  return std::bit_cast<double>(0x3ff0000000000000 + more - less);
}

inline constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;  // 42 bits, and what they leave
inline constexpr double third_high = 0x1.269621134dp+0, third_low = 0x1.724f077d6eceep-41;  // of 4 ln(4/3)

/// e^x = 2^n (1 + main + rest) for |x| < 1420: x = n ln 2 + r, n a whole number, |r| <= ln 2 / 2 (Cody and Waite's
/// reduction in two parts). main = h + h^2 / 2 of h, which is r rounded to 25 bits after the point (to the last bit of
/// grid), so sums of main and powers of two are exact; the rest is what r has below h, and r^3 times a polynomial.
struct Exponential {
  uint64_t n;  // n + 2046 in the last 12 bits
  double main, rest;
  /// x 2^n, by two factors, so that subnormal results and those next to overflow are right.
  LUTH_HD double times_power(double x) const {
    const uint64_t half = (n << 51) & 0xfff0000000000000;
    return x * std::bit_cast<double>(half) * std::bit_cast<double>((n << 52) - half);
  }
  LUTH_HD double value() const { return times_power(1 + main + rest); }
  /// 2^(n + more), a normal number.
  LUTH_HD double scale(int more = 0) const { return std::bit_cast<double>((n + uint64_t(more - 1023)) << 52); }
};
[[gnu::always_inline]] LUTH_HD inline Exponential exponential_of(uint64_t n, double r, double h, double left) {
  const double p = polynomial(r, 2.0838524893628494e-09, 2.5111245690814582e-08, 2.7557526050654836e-07,
                              2.755723745799969e-06, 2.4801587025657696e-05, 0.00019841269893336024,
                              0.001388888888903324, 0.00833333333331853, 0.04166666666666641, 0.1666666666666668);
  return {n, 0.5 * h * h + h, fused(r * r * r, p, left * (0.5 * left + h)) + left};
}
/// e^(x + more), where `more` is at most some units in the last place of x.
[[gnu::always_inline]] LUTH_HD inline Exponential exponential(double x, double grid = 0x1.8p27, double more = -0.0) {
  constexpr double log2_e = 0x1.71547652b82fep+0, round = 0x1.8p52 + 2046;
  const double shifted = fused(x, log2_e, round), whole = shifted - round;
  const double from = x - whole * ln2_high, r = fused(whole, -ln2_low, from + more);
  const double h = (r + grid) - grid;
  return exponential_of(std::bit_cast<uint64_t>(shifted), r, h, fused(whole, -ln2_low, (from - h) + more));
}

/// e^x within 0.53 and 2^x within 0.54, subnormal results within 0.76, as they are rounded twice.
[[gnu::always_inline]] LUTH_HD inline double exp(double x) {
  // e^710 is infinite; at -1418.2 both factors are 0, so -inf, as masks have it, costs no underflow
  const Exponential e = exponential(at_most(at_least(x, -1418.2), 710.0));
  return x == x ? e.value() : x;
}
[[gnu::always_inline]] LUTH_HD inline double exp2(double x) {
  constexpr double ln2 = 0x1.62e42fefa39efp-1, lost = 0x1.abc9e3b39803fp-56, round = 0x1.8p52 + 2046, grid = 0x1.8p27;
  const double near = at_most(at_least(x, -2046.0), 1025.0), shifted = near + round, part = near - (shifted - round);
  const double r = part * ln2, low = fused(part, lost, has_fma ? std::fma(part, ln2, -r) : 0), h = (r + grid) - grid;
  return x == x ? exponential_of(std::bit_cast<uint64_t>(shifted), r, h, (r - h) + low).value() : x;
}

/// e^x - 1 within 0.63.
[[gnu::always_inline]] LUTH_HD inline double expm1(double x) {
  const double grid = std::fabs(x) < 0x1p-10 ? 0x1.8p52 : 0x1.8p27;  // near 0 h is 0, and the rest all there is
  const Exponential e = exponential(at_most(at_least(x, -60.0), 710.0), grid);
  const double scale = e.scale(-1), high = scale * e.main + scale;  // half of it all, for 2^1024 is no double
  const double sum = high - 0.5, taken = sum - high, low = (high - (sum - taken)) - (0.5 + taken);
  return std::fabs(x) > 0x1p-54 ? 2 * (sum + (scale * e.rest + low)) : x;  // nan: the latter
}

/// tanh x within 0.57, without fused multiply-add 1.03. tanh |x| = (1 - w) / (1 + w) with w = e^(-2 |x|); near 0 by its
/// series. The quotient q is put right by what both sums and, where that is one instruction, q are rounded by: times 1
/// / (1 + w), which is (1 + q) / 2.
[[gnu::always_inline]] LUTH_HD inline double tanh(double x) {
  const double t = at_most(std::fabs(x), 20.0), z = t * t;  // tanh 20 rounds to 1
  const Exponential e = exponential(-2 * t);
  const double scale = e.scale(), main = scale * e.main + scale, rest = scale * e.rest;
  const double less = 1 - main, more = 1 + main, upper = less - rest, lower = more + rest, q = upper / lower;
  const double lost_upper = ((less - upper) - rest) + ((1 - less) - main);
  const double lost_lower = ((more - lower) + rest) + ((1 - more) + main);
  const double lost = (has_fma ? std::fma(-q, lower, upper) : 0) + fused(-q, lost_lower, lost_upper);
  const double far = fused(lost, 0.5 + 0.5 * q, q), near = fused(t * z, fused(2.0 / 15, z, -1.0 / 3), t);
  return x == x ? std::copysign(t < 0x1p-10 ? near : far, x) : x;
}

/// x = 2^k (1 + f) with quarter = 0, or 2^k (1 + f) 4/3 with quarter = 1/4; f is from -0.1875 to 0.21875.
struct Reduced {
  double k, quarter, f;
  /// The logarithm of what 1 + f is multiplied by.
  LUTH_HD Pair log() const { return {k * ln2_high + quarter * third_high, fused(k, ln2_low, quarter * third_low)}; }
};
[[gnu::always_inline]] LUTH_HD inline Reduced reduced(double x) {
  constexpr uint64_t one = 0x3ff0000000000000, least = 0x3fea000000000000;  // 0.8125
  const bool tiny = x < 0x1p-1022;
  const uint64_t bits = std::bit_cast<uint64_t>(tiny ? x * 0x1p54 : x) + (one - least);
  const double k = std::bit_cast<double>(bits >> 52 | 0x4330000000000000) - (tiny ? 0x1p52 + 1077 : 0x1p52 + 1023);
  const double m = std::bit_cast<double>((bits & 0x000fffffffffffff) + least), quarter = m > 1.15 ? 0.25 : 0.0;
  return {k, quarter, (m - 1) - quarter * m};
}
/// ln(1 + f) - f + h^2 / 2 for f = h + left. ln(1 + f) = f - f^2 / 2 + s (f^2 / 2 + R) with s = f / (2 + f) and R =
/// ln(1 + f) / s - 2, a polynomial in s^2, as in fdlibm's e_log.c.
[[gnu::always_inline]] LUTH_HD inline double log_rest(double f, double h, double left) {
  const double s = f / (2 + f), z = s * s;
  const double p = polynomial(z, 0.15888214852747318, 0.18174480485016734, 0.22222274640166267, 0.28571428382361325,
                              0.40000000000313335, 0.666666666666665);
  return fused(s, fused(0.5 * f, f, z * p), -left * (0.5 * left + h));
}
/// The logarithm of what was reduced, + more. Sums are exact up to h^2.
[[gnu::always_inline]] LUTH_HD inline double log_of(const Reduced& x, double more) {
  const auto [high, low] = x.log();
  const double f = x.f, h = upper_half(f), left = f - h, sum = high + f, y = sum - 0.5 * h * h;
  const double lost = ((high - sum) + f) + ((sum - y) - 0.5 * h * h);
  return y + (lost + log_rest(f, h, left) + low + more);
}
/// y for x above the pole, minus infinity there, nan below and for nan.
[[gnu::always_inline]] LUTH_HD inline double above(double pole, double x, double y) {
  return x > pole ? y : x == pole ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
}
/// ln x within 0.54.
[[gnu::always_inline]] LUTH_HD inline double log(double x) {
  return above(0, x, x < std::numeric_limits<double>::infinity() ? log_of(reduced(x), -0.0) : x);
}
/// The logarithm to another base, of whose numbers the parts that are multiplied by k have few bits.
struct Base {
  double power, power_low, third, third_low;  // the logarithms of 2 and 4 times that of 4/3
  double factor, factor_low;                  // 1 / ln base
};
[[gnu::always_inline]] LUTH_HD inline double log_to(const Base& base, double x) {
  const Reduced r = reduced(x);
  const double high = r.k * base.power + r.quarter * base.third;
  const double low = fused(r.k, base.power_low, r.quarter * base.third_low);
  const double f = r.f, h = upper_half(f), left = f - h, y = f - 0.5 * h * h;
  const double y_lost = ((f - y) - 0.5 * h * h) + log_rest(f, h, left), v = y + y_lost, v_low = y_lost - (v - y);
  const double part = v * base.factor, part_low = std::fma(v, base.factor, -part);
  const double sum = high + part, lost = (high - sum) + part;
  const double rest = fused(v, base.factor_low, fused(v_low, base.factor, part_low));
  return above(0, x, x < std::numeric_limits<double>::infinity() ? sum + (lost + (rest + low)) : x);
}
/// log2 x and log10 x within 0.52, with fused multiply-add.
[[gnu::always_inline]] LUTH_HD inline double log2(double x) {
  constexpr double third = 0x1.a8ff97181p+0, third_low = 0x1.4bc302ffa76fbp-41;
  return log_to({1, 0, third, third_low, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}, x);
}
[[gnu::always_inline]] LUTH_HD inline double log10(double x) {
  constexpr double third = 0x1.ffbfc2bbc7p-2, third_low = 0x1.006eb06f89617p-43;
  return log_to(
      {0x1.34413509f7p-2, 0x1.3fde623e2566bp-43, third, third_low, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}, x);
}
/// ln(1 + x) within 0.54. Near 0 x is f; elsewhere what 1 + x is rounded by comes after.
[[gnu::always_inline]] LUTH_HD inline double log1p(double x) {
  const double u = 1 + x, taken = u - 1, lost = (1 - (u - taken)) + (x - taken);
  const bool near = std::fabs(x) < 0.125, usual = (x != 0) & (x < std::numeric_limits<double>::infinity());
  Reduced p = reduced(u);
  p.f = near ? x : p.f;
  return above(-1, x, usual ? log_of(p, near ? 0 : lost / u) : x);
}

/// The error function within 0.97, with fused multiply-add; without, libm's has smaller errors and is faster. Up to
/// 0.75 x + x p(x^2), above 1 - e^-E with E = t + t h(t) and t = min(|x|, 5.95), since erfc(t) = e^-(t + t h(t)) and
/// erf(5.95) rounds to 1.
[[gnu::always_inline]] LUTH_HD inline double erf(double x) {
  const double t = at_most(std::fabs(x), 5.95);
  const double p =
      polynomial(t * t, 1.1475375812903286e-08, -1.5940875953462625e-07, 1.643078091721685e-06, -1.4924202709096174e-05,
                 0.00012055289823697304, -0.0008548326195101666, 0.005223977615516125, -0.02686617064443676,
                 0.11283791670952632, -0.37612638903183715, 0.1283791670955126);
  const double h = polynomial(
      t, 6.1755090336319e-16, -4.5154944238521437e-14, 1.55009785537443e-12, -3.322897285138374e-11,
      4.990051406330327e-10, -5.5804902515443695e-09, 4.8202114632829e-08, -3.2882574796853706e-07,
      1.7929829966508453e-06, -7.82900909256941e-06, 2.7033263563468366e-05, -7.071624706484798e-05,
      0.00012140084114389921, -3.761770662105741e-05, -0.0005335014683694721, 0.001656401879993148,
      -0.00018764595778270906, -0.019137103969041773, 0.10277503025596532, 0.6366193492135501, 0.1283792015908501);
  const double sum = fused(h, t, t), lost = fused(h, t, t - sum);
  const Exponential e = exponential(-sum, 0x1.8p28);
  const double scale = e.scale(), main = scale * e.main + scale, from = 1 - main;
  const double large = from + (((1 - from) - main) - fused(-lost, main, scale * e.rest));
  return std::fabs(x) > 0.75 ? std::copysign(large, x) : fused(p, x, x);  // nan: the latter
}

}  // namespace own
}  // namespace luth::math
