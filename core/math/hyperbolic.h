// sinh, cosh, asinh, acosh, atanh and hypot of double in forms that g++ vectorises, as the functions of elementary.h
// are; they need fused multiply-add. Near 0 odd functions are x + x^3 times a polynomial in x^2.
#pragma once
#include "core/math/elementary.h"

namespace luth::math::own {

/// A quarter of e^t and a quarter of e^-t for 0 <= t <= 710.5, each as a sum.
struct ExponentialPair {
  double up, up_low, down, down_low;
};
[[gnu::always_inline]] LUTH_HD inline ExponentialPair exponential_pair(double t) {
  const Exponential e = exponential(t);
  const double scale = e.scale(-2), main = scale * e.main + scale, rest = scale * e.rest;
  const double up = main + rest, up_low = (main - up) + rest;
  const double inverse = 1 / up, lost = fused(-inverse, up_low, std::fma(-inverse, up, 1)), down = 0.0625 * inverse;
  return {up, up_low, down, down * lost};
}
/// sinh x within 0.56.
[[gnu::always_inline]] LUTH_HD inline double sinh(double x) {
  const double t = at_most(std::fabs(x), 710.5), z = t * t;
  const double p = polynomial(z, 1.6160455051389657e-10, 2.5051628093885826e-08, 2.7557320289256315e-06,
                              0.00019841269840109772, 0.008333333333333904, 0.16666666666666666);
  const ExponentialPair e = exponential_pair(t);
  const double high = e.up - e.down, lost = (e.up - high) - e.down;
  const double far = 2 * (high + (lost + (e.up_low - e.down_low))), near = fused(t * z, p, t);
  return x == x ? std::copysign(t < 0.5 ? near : far, x) : x;
}
/// cosh x within 0.53.
[[gnu::always_inline]] LUTH_HD inline double cosh(double x) {
  const ExponentialPair e = exponential_pair(at_most(std::fabs(x), 710.5));
  const double high = e.up + e.down, lost = (e.up - high) + e.down;
  return x == x ? 2 * (high + (lost + (e.up_low + e.down_low))) : x;
}

/// ln(s x (1 + more)) for x >= 1, infinity too, and small `more`; s is 2 where `twice`, else 1.
[[gnu::always_inline]] LUTH_HD inline double log_from(double x, bool twice, double more) {
  Reduced r = reduced(x);
  r.k += twice ? 1 : 0;
  return x < std::numeric_limits<double>::infinity() ? log_of(r, more) : x;
}
inline constexpr double huge = 0x1p30;  // the square has no digits of 1: asinh x is ln 2x, as acosh is

/// asinh x within 0.56: above 0.5 ln(t + sqrt(t^2 + 1)) of t = |x|.
[[gnu::always_inline]] LUTH_HD inline double asinh(double x) {
  const double t = std::fabs(x), u = at_most(t, huge), z = u * u, z_low = std::fma(u, u, -z);
  const double p =
      polynomial(z, 0.0017180530536960853, -0.004747471463752966, 0.0074655760468476705, -0.009534134554298123,
                 0.011512982332141252, -0.01396023199772183, 0.017352386929500845, -0.02237213835664661,
                 0.030381943716335496, -0.044642857127830476, 0.07499999999984416, -0.1666666666666661);
  const double square = z + 1, from = square - 1, square_low = (1 - (square - from)) + (z - from) + z_low;
  const double root = std::sqrt(square), sum = root + u, sum_low = (root - sum) + u;
  const double rest = fused(2 * root, sum_low, std::fma(-root, root, square) + square_low);
  const double far = log_from(t < huge ? sum : t, t >= huge, t < huge ? rest / (2 * root * sum) : 0);
  return std::copysign(t < 0.5 ? fused(t * z, p, t) : far, x);
}
/// acosh x within 0.53: up to 1.25 sqrt(2t) times a polynomial in t = x - 1, above ln(x + sqrt(x^2 - 1)).
[[gnu::always_inline]] LUTH_HD inline double acosh(double x) {
  const double u = at_most(x, huge), t = u - 1, z = u * u, z_low = std::fma(u, u, -z);
  const double p = polynomial(t, 4.63269044365966e-06, -1.719413695179445e-05, 4.453667138931904e-05,
                              -0.00010898334969411652, 0.0002711218522962616, -0.0006991287192801237,
                              0.0018988714632693566, -0.005580357140943629, 0.01874999999997186, -0.08333333333333319);
  const bool near = t < 0.25;
  const double square = near ? 2 * t : z - 1, square_low = near ? 0 : ((z - square) - 1) + z_low;
  const double root = std::sqrt(square), sum = u + root, sum_low = near ? 0 : (u - sum) + root;
  const double rest = fused(2 * root, sum_low, std::fma(-root, root, square) + square_low);
  const double correction = rest / fused(2 * root, near ? 1 : sum, 0x1p-1000);
  const double far = log_from(x < huge ? sum : x, x >= huge, x < huge ? correction : 0);
  const double close = root + fused(root * t, p, correction);
  return near ? close : far;  // below 1: nan of the root
}
/// atanh x within 0.53: above 0.25 half of ln((1 + t) / (1 - t)) of t = |x|.
[[gnu::always_inline]] LUTH_HD inline double atanh(double x) {
  const double t = std::fabs(x), z = t * t;
  const double p = polynomial(z, 0.07024865929612534, 0.05636206779732533, 0.06685170604190316, 0.0769147772056999,
                              0.09090931933774596, 0.11111110731827073, 0.14285714289278886, 0.19999999999983564,
                              0.3333333333333336);
  const double upper = 1 + t, upper_low = (1 - upper) + t, lower = 1 - t, lower_low = (1 - lower) - t;
  const double inverse = 1 / lower, q = upper * inverse;
  const double rest = fused(-q, lower_low, std::fma(-q, lower, upper) + upper_low);
  const double far = t < 1 ? 0.5 * log_from(q, false, rest / upper) : inverse;  // infinite at 1
  return std::copysign(t < 0.25 ? fused(t * z, p, t) : t <= 1 ? far : std::sqrt(1 - t), x);
}

/// sqrt(x^2 + y^2) within 0.51, subnormal results within 0.76. Squares are summed exactly, between overflow and
/// underflow.
[[gnu::always_inline]] LUTH_HD inline double hypot(double x, double y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double s = std::fabs(x), t = std::fabs(y), most = s > t ? s : t, least = s > t ? t : s;
  const bool tiny = most < 0x1p-450, vast = 0x1p500 < most;
  const double scale = power_of_two(600, tiny, vast), a = most * scale, b = least * scale;
  const double square = a * a, lost = std::fma(a, a, -square), other = b * b, other_lost = std::fma(b, b, -other);
  const double sum = square + other, low = (square - sum) + other + (lost + other_lost), root = std::sqrt(sum);
  const double rest = (std::fma(-root, root, sum) + low) / (root + (root + 0x1p-1000));
  const double result = (root + rest) * power_of_two(600, vast, tiny);
  return (s == infinity) | (t == infinity) ? infinity : result;
}

}  // namespace luth::math::own
