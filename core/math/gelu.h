// The normal distribution function Phi for gelu and its gradient, in float by one exponential and one division, without
// branches: loops vectorise.
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

/// -t^2 / 2 - n ln 2 where the difference is small, within 1 unit in the last place of it: t^2 is not rounded before.
LUTH_HD inline float half_square_rest(float t, float n) {
  constexpr float ln2_high = 0.693145752f, ln2_low = 1.42860677e-6f;  // n ln2_high is exact
  if constexpr (has_fma) return std::fma(-0.5f * t, t, -(n * ln2_high)) - n * ln2_low;
  const float high = std::bit_cast<float>(std::bit_cast<uint32_t>(t) & 0xfffff000u), low = t - high;
  return (-0.5f * (high * high) - n * ln2_high) - (0.5f * low * (t + high) + n * ln2_low);
}

/// e^(-x^2 / 2) and the ratio of Phi(-|x|) to it, whose product is within 7 units in the last place where it is normal.
/// The ratio, fitted by Lawson's iteration to relative error 6e-9 up to 14.5, has positive coefficients. From 15 on all
/// products are 0. The first is multiplied by 2^64 and the second divided by it, so that both are normal.
struct NormalTail {
  static constexpr float unit = 0x1p-64f;
  float t, bell, ratio;  // t: |x|, at most 15
};
LUTH_HD inline NormalTail normal_tail(float x) {
  constexpr float half_log2_e = 0.72134752f, round = 0x1.8p23f + 64.0f;
  const float t = at_most(std::fabs(x), 15.0f);
  const float shifted = t * t * -half_log2_e + round;  // n + round, n a whole number
  const float r = half_square_rest(t, shifted - round);
  const float e =
      float_polynomial(r, 0.00138130784f, 0.00836942472f, 0.0416684582f, 0.166665147f, 0.499999930f, 1.0f, 1.0f);
  const float scaled = std::bit_cast<float>(std::bit_cast<int32_t>(e) + (std::bit_cast<int32_t>(shifted) << 23));
  constexpr float unit = NormalTail::unit;
  const float above = float_polynomial(t, unit * 0.00411669783f, unit * 0.0406356470f, unit * 0.183242048f,
                                       unit * 0.438303859f, unit * 0.5f);
  const float below = float_polynomial(t, 0.0103189115f, 0.101864907f, 0.469488962f, 1.20253116f, 1.67449270f, 1.0f);
  return {t, scaled, above / below};
}

/// Up to here Phi - 1/2 is an odd polynomial, fitted to relative error 1.5e-8 (gelu) and 4e-8 of 1/2 (gelu_slope): near
/// 0 the tail's rounding errors would be the largest of all.
inline constexpr float gelu_center = 0.6f;

/// x Phi(x), and its derivative Phi(x) + x phi(x).
LUTH_HD inline float gelu(float x) {
  const NormalTail tail = normal_tail(x);
  const float odd = float_polynomial(tail.t * tail.t, -0.00109547516f, 0.00994818658f, -0.0664877146f, 0.398942202f);
  const float outer = x * (x > 0.0f ? 1.0f - tail.bell * tail.ratio : tail.bell * tail.ratio);
  return tail.t > gelu_center ? outer : x * (0.5f + x * odd);
}
LUTH_HD inline float gelu_slope(float x) {
  const NormalTail tail = normal_tail(x);
  const float factor = tail.ratio - NormalTail::unit * 0.398942280f * tail.t;
  const float outer = x > 0.0f ? 1.0f - tail.bell * factor : tail.bell * factor;
  const float odd =
      float_polynomial(tail.t * tail.t, 0.00104789110f, -0.00946100149f, 0.0598354749f, -0.265961140f, 0.797884583f);
  return std::fabs(x) > gelu_center ? outer : 0.5f + x * odd;  // nan: the latter
}

LUTH_HD inline double gelu(double x) { return 0.5 * x * (1 + erf(x * 0.7071067811865476)); }
LUTH_HD inline double gelu_slope(double x) {
  return 0.5 * (1 + erf(x * 0.7071067811865476)) + x * exp(-0.5 * x * x) * 0.3989422804014327;
}

}  // namespace luth::math
