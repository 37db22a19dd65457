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

/// t^2 + 2 n ln 2 where the sum is small, within 1 unit in the last place of it: t^2 is not rounded before.
LUTH_HD inline float square_rest(float t, float n) {
  constexpr float ln4_high = 2 * 0.693145752f, ln4_low = 2 * 1.42860677e-6f;  // n ln4_high is exact
  if constexpr (has_fma) return std::fma(t, t, n * ln4_high) + n * ln4_low;
  const float high = std::bit_cast<float>(std::bit_cast<uint32_t>(t) & 0xfffff000u), low = t - high;
  return (high * high + n * ln4_high) + (low * (t + high) + n * ln4_low);
}

/// e^(-x^2 / 2) and the ratio of Phi(-|x|) to it. Above gelu_center their product is within 7 units in the last place
/// where it is normal. The ratio, fitted by Lawson's iteration to relative error 6e-8 from there to 14.5, has positive
/// coefficients. From 15 on all products are 0. The first is multiplied by 2^64 and the second divided by it, so that
/// both are normal.
struct NormalTail {
  static constexpr float unit = 0x1p-64f;
  float t, square, bell, ratio;  // t: |x|, at most 15
};
LUTH_HD inline NormalTail normal_tail(float x) {
  constexpr float half_log2_e = 0.72134752f, round = 0x1.8p23f + 64.0f, unit = NormalTail::unit;
  const float t = at_most(std::fabs(x), 15.0f), square = t * t;
  const float shifted = square * -half_log2_e + round;  // n + round, n a whole number
  const float r = square_rest(t, shifted - round);      // for e^(-r / 2)
  const float e = float_polynomial(r, 0.00138130784f / 64, -0.00836942472f / 32, 0.0416684582f / 16, -0.166665147f / 8,
                                   0.499999930f / 4, -0.5f, 1.0f);
  const float scaled = std::bit_cast<float>(std::bit_cast<int32_t>(e) + (std::bit_cast<int32_t>(shifted) << 23));
  const float above = float_polynomial(t, unit * 9.55596775e-08f, unit * 0.0183464233f, unit * 0.122998506f,
                                       unit * 0.366165608f, unit * 0.499973029f);
  const float below = float_polynomial(t, 0.0460005775f, 0.308015376f, 0.967678189f, 1.52986276f, 1.0f);
  return {t, square, scaled, above / below};
}

/// Up to here Phi - 1/2 is an odd polynomial, fitted to relative error 1.5e-8 (gelu) and 4e-8 of 1/2 (gelu_slope): near
/// 0 the tail's rounding errors would be the largest of all.
inline constexpr float gelu_center = 0.6f;

/// x Phi(x), and its derivative Phi(x) + x phi(x).
LUTH_HD inline float gelu(float x) {
  const NormalTail tail = normal_tail(x);
  const float odd = float_polynomial(tail.square, -0.00109547516f, 0.00994818658f, -0.0664877146f, 0.398942202f);
  const float below = tail.bell * tail.ratio, outer = x > 0.0f ? 1.0f - below : below;
  return x * (tail.t > gelu_center ? outer : 0.5f + x * odd);
}
LUTH_HD inline float gelu_slope(float x) {
  const NormalTail tail = normal_tail(x);
  const float factor = tail.ratio - NormalTail::unit * 0.398942280f * tail.t;
  const float outer = x > 0.0f ? 1.0f - tail.bell * factor : tail.bell * factor;
  const float odd =
      float_polynomial(tail.square, 0.00104789110f, -0.00946100149f, 0.0598354749f, -0.265961140f, 0.797884583f);
  return std::fabs(x) > gelu_center ? outer : 0.5f + x * odd;  // nan: the latter
}

LUTH_HD inline double gelu(double x) { return 0.5 * x * (1 + erf(x * 0.7071067811865476)); }
LUTH_HD inline double gelu_slope(double x) {
  return 0.5 * (1 + erf(x * 0.7071067811865476)) + x * exp(-0.5 * x * x) * 0.3989422804014327;
}

}  // namespace luth::math
