// Powers of double in forms that g++ vectorises, as the functions of elementary.h are; they need fused multiply-add.
#pragma once
#include "core/math/elementary.h"

namespace luth::math::own {

[[gnu::always_inline]] LUTH_HD inline Pair inverse(Pair x) {
  const double high = 1 / x.high, lost = fused(-high, x.low, std::fma(-high, x.high, 1));
  return {high, lost * high};
}
[[gnu::always_inline]] LUTH_HD inline Pair root(double x) {
  const double high = std::sqrt(x);
  return {high, std::fma(-high, high, x) / (high + high)};
}

/// x y^n.
template <int n>
[[gnu::always_inline]] LUTH_HD inline Pair times(Pair x, Pair y) {
  if constexpr (n == 0)
    return x;
  else
    return product(times<n - 1>(x, y), y);
}

/// x^(twice / 2) within 0.51, subnormal results within 0.76: products of x, of its root and of their inverses. Very
/// small and very large numbers are scaled, so that low parts lose nothing.
template <int twice>
[[gnu::always_inline]] LUTH_HD inline double half_power(double x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr bool odd = twice % 2 != 0;
  if (odd) x += 0.0;  // -0 as 0
  const double t = std::fabs(x);
  const bool small = t < 0x1p-200, large = 0x1p200 < t;
  const Pair near{x * power_of_two(100, small, large), 0}, base = twice < 0 ? inverse(near) : near;
  Pair power = base;
  if constexpr (odd) power = twice < 0 ? inverse(root(near.high)) : root(near.high);
  power = times<(twice < 0 ? -twice : twice) / 2 - !odd>(power, base);
  const double low = std::fabs(power.low) < infinity ? power.low : 0;
  const double result = std::copysign(power.high + low, power.high) * power_of_two(50 * twice, large, small);
  return odd && t == infinity ? (twice < 0 ? 0.0 : infinity) : result;
}

/// ln x for 0 < x < infinity, within 2^-66 of it: as log_of has it, s and the first terms as sums of two.
[[gnu::always_inline]] LUTH_HD inline Pair log_pair(double x) {
  const Reduced r = reduced(x);
  const auto [base, base_low] = r.log();
  const double lower = 2 + r.f, lower_low = (2 - lower) + r.f, upside = 1 / lower, quotient = r.f * upside;
  const double rest = fused(-quotient, lower_low, std::fma(-quotient, lower, r.f));
  // ln(1 + f) = s (2 + z (2/3 + z p)) with z = s^2
  const Pair s{quotient, rest * upside}, z = product(s, s);
  constexpr double two_thirds = 2.0 / 3, two_thirds_low = 3.700743415417188e-17;
  const double p = z.high * polynomial(z.high, 0.13820392671978118, 0.1537668708801054, 0.18181883252750874,
                                       0.22222221941185027, 0.2857142857202367, 0.3999999999999953);
  const double factor = two_thirds + p, factor_low = (two_thirds - factor) + p + two_thirds_low;
  const Pair t = product(z, {factor, factor_low});
  const double sum = 2 + t.high, sum_low = (2 - sum) + t.high + t.low;
  const Pair near = product(s, {sum, sum_low});
  const double total = base + near.high, total_low = (base - total) + near.high + (near.low + base_low);
  const double high = total + total_low;
  return {high, (total - high) + total_low};
}
/// x^y within 0.54, subnormal results within 0.76.
[[gnu::always_inline]] LUTH_HD inline double pow(double x, double y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double t = std::fabs(x), half = 0.5 * y;
  const Pair l = log_pair(t);
  const double log = t == 0 ? -infinity : t < infinity ? l.high : t;  // nan: itself
  const double exponent = y * log, lost = fused(y, l.low, std::fma(y, log, -exponent));
  const double near = at_most(at_least(exponent, -1418.2), 710.0);  // see exp
  const double power = exponential(near, 0x1.8p27, near == exponent ? lost : 0).value();
  const bool whole = std::trunc(y) == y, odd = whole & (std::trunc(half) != half) & (std::fabs(y) < infinity);
  const bool none = (exponent != exponent) | ((x < 0) & (t < infinity) & !whole);
  const bool one = (y == 0) | (x == 1) | ((x == -1) & (std::fabs(y) == infinity));  // of nan too
  const double some = none ? std::numeric_limits<double>::quiet_NaN() : odd ? std::copysign(power, x) : power;
  return one ? 1 : some;
}

}  // namespace luth::math::own
