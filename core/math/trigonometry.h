// sin, cos, tan, asin, acos, atan and atan2 of double in forms that g++ vectorises, as those of elementary.h are. All
// need fused multiply-add, by which a product or quotient of two doubles is known exactly, as a sum of two.
#pragma once
#include "core/math/elementary.h"

namespace luth::math::own {

/// x = n pi/2 + high + low for 0 <= x < widest_angle, |high| <= pi/4: Cody and Waite's reduction in three parts. What
/// is left of x by the first is exact, as a multiple of 2^-53 below 1; low has 53 further digits of the sum, since no x
/// is closer than 2^-60 to a multiple of pi/2.
struct Angle {
  uint64_t n;  // in the last bits
  double high, low;
};
inline constexpr double widest_angle = 0x1p40;
[[gnu::always_inline]] LUTH_HD inline Angle angle(double x) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1, round = 0x1.8p52;
  constexpr double first = 0x1.921fb54442d18p+0, second = 0x1.1a62633145c07p-54, third = -0x1.f1976b7ed8fbcp-110;
  const double shifted = fused(x, two_over_pi, round), n = shifted - round;
  const double left = std::fma(-n, first, x), part = n * second, part_low = std::fma(n, second, -part);
  const double high = left - part, back = high - left;
  const double lost = (left - (high - back)) - (part + back);
  return {std::bit_cast<uint64_t>(shifted), high, std::fma(-n, third, lost - part_low)};
}

/// sin and cos of an angle without its n, each a sum.
struct SineCosine {
  double sine, sine_low, cosine, cosine_low;
};
[[gnu::always_inline]] LUTH_HD inline SineCosine sine_cosine(const Angle& a) {
  constexpr double sixth = 1.0 / 6;
  const double r = a.high, z = r * r, z_low = std::fma(r, r, -z);
  const double cube = r * z, cube_low = fused(r, z_low, std::fma(r, z, -cube));
  const double p = polynomial(z, -7.38453923430539e-13, 1.6054220449234553e-10, -2.5052070283254406e-08,
                              2.7557319071879773e-06, -0.00019841269840959285, 0.00833333333333304);
  const double q = polynomial(z, -1.1358748810650603e-11, 2.087570539085989e-09, -2.755731421701893e-07,
                              2.4801587289002056e-05, -0.0013888888888873342, 0.041666666666666595);
  const double sine = std::fma(cube, -sixth, r), cosine = std::fma(z, -0.5, 1);
  const double sine_lost = fused(cube_low, -sixth, std::fma(cube, -sixth, r - sine));
  const double cosine_lost = fused(z_low, -0.5, std::fma(z, -0.5, 1 - cosine));
  return {sine, fused(cube * z, p, fused(cosine, a.low, sine_lost)), cosine,
          fused(z * z, q, fused(-r, a.low, cosine_lost))};
}
/// x with its sign changed where the last bit is set.
[[gnu::always_inline]] LUTH_HD inline double negated(double x, uint64_t bit) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) ^ bit << 63);
}
/// sin(n pi/2 + high + low).
[[gnu::always_inline]] LUTH_HD inline double sine_of(const Angle& a) {
  const SineCosine s = sine_cosine(a);
  const bool odd = a.n & 1;
  return negated((odd ? s.cosine : s.sine) + (odd ? s.cosine_low : s.sine_low), a.n >> 1);
}
/// sin x and cos x within 0.57, tan x within 0.58 for |x| < widest_angle.
[[gnu::always_inline]] LUTH_HD inline double sin(double x) {
  return negated(sine_of(angle(std::fabs(x))), std::bit_cast<uint64_t>(x) >> 63);
}
[[gnu::always_inline]] LUTH_HD inline double cos(double x) {
  Angle a = angle(std::fabs(x));
  ++a.n;
  return sine_of(a);
}
[[gnu::always_inline]] LUTH_HD inline double tan(double x) {
  const Angle a = angle(std::fabs(x));
  const SineCosine s = sine_cosine(a);
  const double sine = s.sine + s.sine_low, sine_low = s.sine_low - (sine - s.sine);
  const double cosine = s.cosine + s.cosine_low, cosine_low = s.cosine_low - (cosine - s.cosine);
  const bool odd = a.n & 1;
  const double upper = odd ? cosine : sine, upper_low = odd ? cosine_low : sine_low;
  const double lower = odd ? sine : cosine, lower_low = odd ? sine_low : cosine_low;
  const double inverse = 1 / lower, q = upper * inverse;
  const double rest = fused(-q, lower_low, std::fma(-q, lower, upper) + upper_low);
  return negated(fused(rest, inverse, q), a.n ^ std::bit_cast<uint64_t>(x) >> 63);
}

inline constexpr double quarter_pi = 0x1.921fb54442d18p-1, quarter_pi_low = 0x1.1a62633145c07p-55;

/// asin of |x| up to 0.5, else of s = sqrt((1 - |x|) / 2), as s + low: asin |x| = pi/2 - 2 asin s.
struct Arc {
  bool far;
  double s, low;
};
[[gnu::always_inline]] LUTH_HD inline Arc arc(double x) {
  const double t = std::fabs(x);
  const bool far = t > 0.5;
  const double z = far ? 0.5 - 0.5 * t : t * t, root = std::sqrt(z), s = far ? root : t;
  const double p = polynomial(z, 0.03262682878452736, -0.02099600670646318, 0.021705137892060807, 0.00370742907013591,
                              0.010779960539629072, 0.01139896906990984, 0.013980812898975637, 0.017351612725340384,
                              0.02237221494263233, 0.03038194270964664, 0.04464285717456482, 0.07499999999970863,
                              0.1666666666666676);
  const double lost = far ? std::fma(-s, s, z) / (s + (s + 0x1p-1000)) : 0;  // of the root
  return {far, s, fused(s * z, p, lost)};
}
/// asin x and acos x within 0.6.
[[gnu::always_inline]] LUTH_HD inline double asin(double x) {
  const Arc a = arc(x);
  const double high = 2 * (quarter_pi - a.s), lost = (2 * quarter_pi - high) - 2 * a.s;
  const double far = high + fused(-2, a.low, lost + 2 * quarter_pi_low);
  return std::copysign(a.far ? far : a.s + a.low, x);
}
[[gnu::always_inline]] LUTH_HD inline double acos(double x) {
  const Arc a = arc(x);
  const double right_angles = a.far ? (x > 0 ? 0.0 : 4.0) : 2.0, base = right_angles * quarter_pi;
  const double factor = std::copysign(a.far ? 2.0 : 1.0, a.far ? x : -x);
  const double high = fused(factor, a.s, base), lost = fused(factor, a.s, base - high);
  return high + fused(factor, a.low, fused(right_angles, quarter_pi_low, lost));
}

/// The angle of the point (x, y) with x, y >= 0, or of (-x, y). The smaller by the larger of both is a tangent up to
/// tan(pi/8); more are those of pi/4 + atan((smaller - larger) / (smaller + larger)). Above pi/4 it is pi/2 less that.
[[gnu::always_inline]] LUTH_HD inline double angle_of(double y, double x, bool left) {
  const bool steep = y > x;
  const double large = steep ? y : x, small = steep ? x : y;
  const bool turned = small > 0.41421356237309503 * large;
  const double difference = small - large, sum = small + large;
  const double upper = turned ? difference : small, upper_low = turned ? small - (difference + large) : 0;
  const double lower = turned ? sum : large, lower_low = turned ? small - (sum - large) : 0;
  const double inverse = 1 / lower, q = upper * inverse, z = q * q;
  const double rest = fused(-q, lower_low, std::fma(-q, lower, upper) + upper_low);
  const double p = polynomial(z, -0.01790876280949178, 0.03806578360311848, -0.05039345178768637, 0.05847896645097352,
                              -0.06663104851025181, 0.07692060270983127, -0.09090897760537726, 0.11111110783580262,
                              -0.14285714280200848, 0.1999999999995368, -0.333333333333332);
  const double low = fused(q * z, p, rest * inverse * polynomial(z, 1, -1, 1));  // atan' q = 1 / (1 + z)
  const double first = turned ? 1 : 0, second = steep ? 2 - first : first, quarters = left ? 4 - second : second;
  const double way = steep != left ? -1 : 1;
  const double base = quarters * quarter_pi, base_low = std::fma(quarters, quarter_pi, -base);
  const double high = fused(way, q, base), lost = fused(way, q, base - high);
  return high + fused(way, low, lost + fused(quarters, quarter_pi_low, base_low));
}
/// atan x and atan2(y, x) within 0.61, results next to the subnormal ones within 0.75.
[[gnu::always_inline]] LUTH_HD inline double atan(double x) {
  const double t = at_most(std::fabs(x), 0x1p60);  // whose atan rounds to pi/2
  return x == x ? std::copysign(angle_of(t, 1, false), x) : x;
}
[[gnu::always_inline]] LUTH_HD inline double atan2(double y, double x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double up = std::fabs(y), right = std::fabs(x);
  const bool infinite = (up == infinity) | (right == infinity);
  up = infinite ? (up == infinity ? 1.0 : 0.0) : up;
  right = infinite ? (right == infinity ? 1.0 : 0.0) : right;
  const double most = up > right ? up : right;
  // 1 / most is no subnormal, nor the rest of a quotient, but of one that rounds to 0
  const double scale = most > 0x1p1000 ? 0x1p-30 : most < 0x1p500 ? 0x1p400 : 1.0;
  right = most == 0 ? 1 : right * scale;
  const double angle = angle_of(up * scale, right, std::copysign(1.0, x) < 0);
  return (x == x) & (y == y) ? std::copysign(angle, y) : x + y;
}

}  // namespace luth::math::own
