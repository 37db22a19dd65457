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

/// e^(-x^2 / 2) and its ratio to Phi(-|x|), whose product is within 4 units in the last place where it is normal. The
/// ratio, fitted by Lawson's iteration to relative error 6e-9 up to 14.5, where all products are 0, has positive
/// coefficients. 2^64 keeps the factors of the exponential normal.
struct NormalTail {
  float bell, ratio;
};
LUTH_HD inline NormalTail normal_tail(float x) {
  constexpr float half_log2_e = 0.72134752f, round = 0x1.8p23f + 64.0f;
  float t = std::fabs(x);
  t = t > 14.5f ? 14.5f : t;
  const float shifted = t * t * -half_log2_e + round;  // n + round, n a whole number
  const float r = half_square_rest(t, shifted - round);
  const float e =
      float_polynomial(r, 0.00138130784f, 0.00836942472f, 0.0416684582f, 0.166665147f, 0.499999930f, 1.0f, 1.0f);
  const float scaled = std::bit_cast<float>(std::bit_cast<int32_t>(e) + (std::bit_cast<int32_t>(shifted) << 23));
  const float above = float_polynomial(t, 0.00411669783f, 0.0406356470f, 0.183242048f, 0.438303859f, 0.5f);
  const float below = float_polynomial(t, 0.0103189115f, 0.101864907f, 0.469488962f, 1.20253116f, 1.67449270f, 1.0f);
  return {scaled * 0x1p-64f, above / below};
}

/// x Phi(x), and its derivative Phi(x) + x phi(x).
LUTH_HD inline float gelu(float x) {
  const NormalTail tail = normal_tail(x);
  return x * (x > 0.0f ? 1.0f - tail.bell * tail.ratio : tail.bell * tail.ratio);
}
LUTH_HD inline float gelu_slope(float x) {
  const NormalTail tail = normal_tail(x);
  const float factor = tail.ratio - 0.398942280f * std::fabs(x);
  return x > 0.0f ? 1.0f - tail.bell * factor : tail.bell * factor;
}

LUTH_HD inline double gelu(double x) { return 0.5 * x * (1 + erf(x * 0.7071067811865476)); }
LUTH_HD inline double gelu_slope(double x) {
  return 0.5 * (1 + erf(x * 0.7071067811865476)) + x * exp(-0.5 * x * x) * 0.3989422804014327;
}

}  // namespace luth::math
