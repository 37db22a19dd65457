// Powers of double in forms that g++ vectorises, as the functions of elementary.h are; they need fused multiply-add.
#pragma once
#include "core/math/elementary.h"

namespace luth::math::own {

/// A number as a sum; low is at most some units in the last place of high, or nan next to infinities and zeros.
struct Pair {
  double high, low;
};
[[gnu::always_inline]] LUTH_HD inline Pair product(Pair x, Pair y) {
  const double high = x.high * y.high, lost = std::fma(x.high, y.high, -high);
  return {high, fused(x.low, y.high, fused(x.high, y.low, lost))};
}
[[gnu::always_inline]] LUTH_HD inline Pair inverse(Pair x) {
  const double high = 1 / x.high, lost = fused(-high, x.low, std::fma(-high, x.high, 1));
  return {high, lost * high};
}
[[gnu::always_inline]] LUTH_HD inline Pair root(double x) {
  const double high = std::sqrt(x);
  return {high, std::fma(-high, high, x) / (high + high)};
}

/// 2^n where `up`, 2^-n where `down`, else 1. From bits: of choices between constants g++ makes paths.
[[gnu::always_inline]] LUTH_HD inline double power_of_two(int n, bool up, bool down) {
  const uint64_t step = uint64_t(n) << 52, more = -uint64_t(up) & step, less = -uint64_t(down) & step;
  return std::bit_cast<double>(0x3ff0000000000000 + more - less);
}

/// x^(twice / 2) within 0.51, subnormal results within 0.76: products of x, of its root and of their inverses. Very
/// small and very large numbers are scaled, so that low parts lose nothing.
template <int twice>
[[gnu::always_inline]] LUTH_HD inline double half_power(double x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr bool odd = twice % 2 != 0;
  if (odd) x += 0.0;  // -0 as 0
  const double t = std::fabs(x);
  const bool small = t<0x1p-200, large = t> 0x1p200;
  const Pair near{x * power_of_two(100, small, large), 0}, base = twice < 0 ? inverse(near) : near;
  Pair power = base;
  if constexpr (odd) power = twice < 0 ? inverse(root(near.high)) : root(near.high);
#pragma GCC unroll 8
  for (int n = odd ? 0 : 1; n < (twice < 0 ? -twice : twice) / 2; ++n) power = product(power, base);
  const double low = std::fabs(power.low) < infinity ? power.low : 0;
  const double result = std::copysign(power.high + low, power.high) * power_of_two(50 * twice, large, small);
  return odd && t == infinity ? (twice < 0 ? 0.0 : infinity) : result;
}

}  // namespace luth::math::own
