// The normal distribution function Phi for gelu and its gradient, in float by one division, without branches: loops
// vectorise.
#pragma once
#include "core/math/functions.h"

namespace luth::math {

/// The polynomial with these coefficients, that of the highest power first.
template <class... C>
LUTH_HD inline float float_polynomial(float x, float first, C... rest) {
  float sum = first;
  ((sum = sum * x + rest), ...);
  return sum;
}

/// t^2 + a where the sum is small, within 1 unit in the last place of it: t^2 is not rounded before.
LUTH_HD inline float square_plus(float t, float a) {
  if constexpr (has_fma) return std::fma(t, t, a);
  const float high = std::bit_cast<float>(std::bit_cast<uint32_t>(t) & 0xfffff000u), low = t - high;
  return (high * high + a) + low * (t + high);
}

/// 2^64 times the bell 2^(-x^2 / L), with L = 1.3862915 for ln 4: L has few bits, so that multiples of it are exact.
/// What is left of e^(-x^2 / 2), a factor e^(1.03e-6 x^2), is in the ratios to the bell that the functions below were
/// fitted to. All fits are by Lawson's iteration; that of 2^(-r / L) has relative error 1.9e-9. From 15 on all products
/// of bell and ratio are 0. The ratios are divided by 2^64, so that both factors are normal.
struct NormalBell {
  static constexpr float unit = 0x1p-64f;
  float t, square, height;  // t: |x|, at most 15
};
LUTH_HD inline NormalBell normal_bell(float x) {
  constexpr float half_log2_e = 0.72134752f, round = 0x1.8p23f, period = 1.38629150f, up = 0x1p64f;
  const float t = at_most(std::fabs(x), 15.0f), square = t * t;
  const float shifted = square * -half_log2_e + round;  // n + round, n a whole number
  const float whole = has_fma ? std::fma(shifted, period, -round * period) : (shifted - round) * period;  // n L
  const float r = square_plus(t, whole);
  const float e = float_polynomial(r, up * 2.16202905e-05f, up * -0.000261716464f, up * 0.00260428573f,
                                   up * -0.0208331537f, up * 0.125000492f, up * -0.500001073f, up);
  return {t, square, std::bit_cast<float>(std::bit_cast<int32_t>(e) + (std::bit_cast<int32_t>(shifted) << 23))};
}

/// Up to here Phi - 1/2 is an odd polynomial, fitted to relative error 1.5e-8 of 1/2: near 0 the bell's rounding errors
/// would be the largest of all.
inline constexpr float gelu_center = 0.6f;

/// x Phi(x). The ratio of Phi(-|x|) to the bell was fitted from gelu_center to 13.2, below which results are subnormal,
/// to relative error 1.4e-8.
LUTH_HD inline float gelu(float x) {
  constexpr float unit = NormalBell::unit;
  const NormalBell bell = normal_bell(x);
  const float above = float_polynomial(bell.t, unit * 2.67874984e-05f, unit * 0.398354113f, unit * 2.94594431f,
                                       unit * 9.27070236f, unit * 13.7321434f);
  const float below = float_polynomial(bell.t, bell.t + 7.36254883f, 24.4438858f, 40.4527397f, 27.4645615f);
  const float tail = bell.height * (above / below), outer = x > 0.0f ? 1.0f - tail : tail;
  const float odd = float_polynomial(bell.square, -0.00109547516f, 0.00994818658f, -0.0664877146f, 0.398942202f);
  return x * (bell.t > gelu_center ? outer : 0.5f + x * odd);
}

/// Its derivative Phi(x) + x phi(x). The ratio of Phi(-t) - t phi(t) to the bell was fitted from 0 to 13.4 to error
/// 1.3e-8 of the result, and from 2 to relative error 2.6e-7.
LUTH_HD inline float gelu_slope(float x) {
  constexpr float unit = NormalBell::unit;
  const NormalBell bell = normal_bell(x);
  const float above = float_polynomial(bell.t, unit * -2.52796690e-05f, unit * -0.39843300f, unit * -2.54683089f,
                                       unit * -5.67451906f, unit * -3.14484191f, unit * 6.78089380f);
  const float below = float_polynomial(bell.t, std::fabs(x) + 6.36775017f, 15.3518200f, 13.5617876f);  // keeps nan
  const float tail = bell.height * (above / below);
  return x > 0.0f ? 1.0f - tail : tail;
}

LUTH_HD inline double gelu(double x) { return 0.5 * x * (1 + erf(x * 0.7071067811865476)); }
LUTH_HD inline double gelu_slope(double x) {
  return 0.5 * (1 + erf(x * 0.7071067811865476)) + x * exp(-0.5 * x * x) * 0.3989422804014327;
}

}  // namespace luth::math
