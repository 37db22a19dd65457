// Scalar functions that operators share between devices, in forms that g++ vectorises in ordinary loops. exp and erf of
// float are polynomials of our own; the other float functions call glibc's libmvec from vector loops (within 4 units in
// the last place) and libm from scalar ones. Those of double are our own (elementary.h, hyperbolic.h, trigonometry.h,
// power.h) or libm's: libmvec's, within 4 units, would be worse.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/math/elementary.h"
#include "core/math/hyperbolic.h"
#include "core/math/power.h"
#include "core/math/trigonometry.h"

// Tells g++ that libmvec has vector versions. clang knows no such attribute and calls the scalar functions.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#if __GLIBC_PREREQ(2, 35)
extern "C" {
#define LUTH_SIMD __attribute__((simd("notinbranch")))
LUTH_SIMD float acosf(float) noexcept;
LUTH_SIMD float acoshf(float) noexcept;
LUTH_SIMD float asinf(float) noexcept;
LUTH_SIMD float asinhf(float) noexcept;
LUTH_SIMD float atanf(float) noexcept;
LUTH_SIMD float atanhf(float) noexcept;
LUTH_SIMD float atan2f(float, float) noexcept;
LUTH_SIMD float cosf(float) noexcept;
LUTH_SIMD float coshf(float) noexcept;
LUTH_SIMD float erfcf(float) noexcept;
LUTH_SIMD float exp2f(float) noexcept;
LUTH_SIMD float expm1f(float) noexcept;
LUTH_SIMD float hypotf(float, float) noexcept;
LUTH_SIMD float logf(float) noexcept;
LUTH_SIMD float log10f(float) noexcept;
LUTH_SIMD float log1pf(float) noexcept;
LUTH_SIMD float log2f(float) noexcept;
LUTH_SIMD float powf(float, float) noexcept;
LUTH_SIMD float sinf(float) noexcept;
LUTH_SIMD float sinhf(float) noexcept;
LUTH_SIMD float tanf(float) noexcept;
LUTH_SIMD float tanhf(float) noexcept;
#undef LUTH_SIMD
}
#endif
#endif

namespace luth::math {

/// e^x within 1 unit in the last place, with and without fused multiply-add, subnormal results too; measured over all
/// floats. x = n ln 2 + r, n a whole number, |r| <= ln 2 / 2 (Cody and Waite's reduction in two parts); e^r by a
/// polynomial fitted by Lawson's iteration to relative error 3.3e-9. 2^n is applied in two factors, so that subnormal
/// results and those next to overflow are right.
LUTH_HD inline float exp(float x) {
  constexpr float log2_e = 1.44269504f, ln2_high = 0.693145752f, ln2_low = 1.42860677e-6f, round = 0x1.8p23f + 254.0f;
  // e^89 rounds to infinity, e^-104 to 0; at -176 both factors are 0, so -inf, as masks have it, costs no underflow
  const float near = at_most(at_least(x, -176.0f), 89.0f);
  const float shifted = near * log2_e + round;  // n + 254 in the last bits
  const float whole = shifted - round;
  const float r = (near - whole * ln2_high) - whole * ln2_low;
  float q = 0.00138130784f;
  q = q * r + 0.00836942472f;
  q = q * r + 0.0416684582f;
  q = q * r + 0.166665147f;
  q = q * r + 0.499999930f;
  const float e = (r * r) * q + r;  // e^r - 1
  const uint32_t n = std::bit_cast<uint32_t>(shifted), half = (n << 22) & 0xff800000u;
  const float a = std::bit_cast<float>(half), b = std::bit_cast<float>((n << 23) - half);
  return x == x ? (e * a + a) * b : x;
}

/// The error function within 1.3 units in the last place, measured over all floats. Up to 0.9 x + x p(x^2), above
/// 1 - e^-(t + t h(t)) with t = min(|x|, 4), since erfc(t) = e^-(t + t h(t)) and erf(4) rounds to 1; p and h fitted by
/// Lawson's iteration to relative errors 1.2e-8 and 1.0e-9 of the result.
LUTH_HD inline float erf(float x) {
  const float t = at_most(std::fabs(x), 4.0f), s = t * t;
  float p = -0.000611122898f;
  p = p * s + 0.00501621563f;
  p = p * s - 0.0267819479f;
  p = p * s + 0.112822297f;
  p = p * s - 0.376125324f;
  p = p * s + 0.128379155f;
  float h = 9.58602503e-06f;
  h = h * t - 0.000306499646f;
  h = h * t + 0.00357688039f;
  h = h * t - 0.0236249762f;
  h = h * t + 0.106079712f;
  h = h * t + 0.635245080f;
  h = h * t + 0.128625729f;
  float large = std::copysign(1.0f - exp(-(h * t + t)), x);
  return std::fabs(x) > 0.9f ? large : p * x + x;  // nan: the latter
}

/// Whether double has functions of our own. Nothing is to vectorise on a GPU, whose own are as good.
#ifdef __CUDA_ARCH__
inline constexpr bool has_own = false;
#else
inline constexpr bool has_own = true;
#endif
/// Whether those are used that are better than libm's only with fused multiply-add.
inline constexpr bool has_fused = has_own && has_fma;
// clang-format off
[[gnu::always_inline]] LUTH_HD inline double acos(double x) { return has_fused ? own::acos(x) : std::acos(x); }
[[gnu::always_inline]] LUTH_HD inline double acosh(double x) { return has_fused ? own::acosh(x) : std::acosh(x); }
[[gnu::always_inline]] LUTH_HD inline double asin(double x) { return has_fused ? own::asin(x) : std::asin(x); }
[[gnu::always_inline]] LUTH_HD inline double asinh(double x) { return has_fused ? own::asinh(x) : std::asinh(x); }
[[gnu::always_inline]] LUTH_HD inline double atan(double x) { return has_fused ? own::atan(x) : std::atan(x); }
[[gnu::always_inline]] LUTH_HD inline double atan2(double y, double x) { return has_fused ? own::atan2(y, x) : std::atan2(y, x); }
[[gnu::always_inline]] LUTH_HD inline double atanh(double x) { return has_fused ? own::atanh(x) : std::atanh(x); }
[[gnu::always_inline]] LUTH_HD inline double cosh(double x) { return has_fused ? own::cosh(x) : std::cosh(x); }
[[gnu::always_inline]] LUTH_HD inline double erf(double x) { return has_fused ? own::erf(x) : std::erf(x); }
[[gnu::always_inline]] LUTH_HD inline double exp(double x) { return has_own ? own::exp(x) : std::exp(x); }
[[gnu::always_inline]] LUTH_HD inline double exp2(double x) { return has_fused ? own::exp2(x) : std::exp2(x); }
[[gnu::always_inline]] LUTH_HD inline double expm1(double x) { return has_own ? own::expm1(x) : std::expm1(x); }
[[gnu::always_inline]] LUTH_HD inline double log(double x) { return has_own ? own::log(x) : std::log(x); }
[[gnu::always_inline]] LUTH_HD inline double log10(double x) { return has_fused ? own::log10(x) : std::log10(x); }
[[gnu::always_inline]] LUTH_HD inline double log1p(double x) { return has_own ? own::log1p(x) : std::log1p(x); }
[[gnu::always_inline]] LUTH_HD inline double log2(double x) { return has_fused ? own::log2(x) : std::log2(x); }
[[gnu::always_inline]] LUTH_HD inline double sinh(double x) { return has_fused ? own::sinh(x) : std::sinh(x); }
[[gnu::always_inline]] LUTH_HD inline double tanh(double x) { return has_own ? own::tanh(x) : std::tanh(x); }
[[gnu::always_inline]] LUTH_HD inline double hypot(double x, double y) { return has_fused ? own::hypot(x, y) : std::hypot(x, y); }
[[gnu::always_inline]] LUTH_HD inline double pow(double x, double y) { return has_fused ? own::pow(x, y) : std::pow(x, y); }

LUTH_HD inline float acos(float x) { return ::acosf(x); }
LUTH_HD inline float acosh(float x) { return ::acoshf(x); }
LUTH_HD inline float asin(float x) { return ::asinf(x); }
LUTH_HD inline float asinh(float x) { return ::asinhf(x); }
LUTH_HD inline float atan(float x) { return ::atanf(x); }
LUTH_HD inline float atanh(float x) { return ::atanhf(x); }
LUTH_HD inline float atan2(float y, float x) { return ::atan2f(y, x); }
LUTH_HD inline float cos(float x) { return ::cosf(x); }
LUTH_HD inline float cosh(float x) { return ::coshf(x); }
LUTH_HD inline float erfc(float x) { return ::erfcf(x); }
LUTH_HD inline float exp2(float x) { return ::exp2f(x); }
LUTH_HD inline float expm1(float x) { return ::expm1f(x); }
LUTH_HD inline float hypot(float x, float y) { return ::hypotf(x, y); }
LUTH_HD inline float log(float x) { return ::logf(x); }
LUTH_HD inline float log10(float x) { return ::log10f(x); }
LUTH_HD inline float log1p(float x) { return ::log1pf(x); }
LUTH_HD inline float log2(float x) { return ::log2f(x); }
LUTH_HD inline float pow(float x, float y) { return ::powf(x, y); }
LUTH_HD inline float sin(float x) { return ::sinf(x); }
LUTH_HD inline float sinh(float x) { return ::sinhf(x); }
LUTH_HD inline float sqrt(float x) { return std::sqrt(x); }
LUTH_HD inline float tan(float x) { return ::tanf(x); }
LUTH_HD inline float tanh(float x) { return ::tanhf(x); }

LUTH_HD inline double cos(double x) { return std::cos(x); }
LUTH_HD inline double erfc(double x) { return std::erfc(x); }
LUTH_HD inline double sin(double x) { return std::sin(x); }
LUTH_HD inline double sqrt(double x) { return std::sqrt(x); }
LUTH_HD inline double tan(double x) { return std::tan(x); }
LUTH_HD inline float floor(float x) { return ::floorf(x); }
LUTH_HD inline double floor(double x) { return ::floor(x); }
LUTH_HD inline float ceil(float x) { return ::ceilf(x); }
LUTH_HD inline double ceil(double x) { return ::ceil(x); }
LUTH_HD inline float trunc(float x) { return ::truncf(x); }
LUTH_HD inline double trunc(double x) { return ::trunc(x); }
LUTH_HD inline float nearbyint(float x) { return ::nearbyintf(x); }
LUTH_HD inline double nearbyint(double x) { return ::nearbyint(x); }
LUTH_HD inline float fmod(float x, float y) { return ::fmodf(x, y); }
LUTH_HD inline double fmod(double x, double y) { return ::fmod(x, y); }
// clang-format on

/// Floats whose sin, cos and tan have quick forms, and the numbers that these are for.
template <class T>
concept HasQuickSine = std::is_same_v<T, double> && has_fma;
template <HasQuickSine T>
LUTH_HD bool is_sine_quick(T x) {
  return std::fabs(x) < own::widest_angle;
}

/// fmod for |x / y| below a quarter of the first number whose neighbour is 1 away: the rounded quotient is then the
/// true one's whole part or, where it was rounded up to the next whole number, 1 more. The rest is a multiple of y's
/// last digit and smaller than y, or than y in the other direction: either is exact.
template <class T>
LUTH_HD bool is_fmod_quick(T x, T y) {
  constexpr T most = T(1) / (4 * std::numeric_limits<T>::epsilon());
  return (std::fabs(x / y) < most) & (std::fabs(y) <= std::numeric_limits<T>::max());  // no nan, no infinity, no zero y
}
template <class T>
LUTH_HD T fmod_quick(T x, T y) {
  const T rest = std::fma(-std::trunc(x / y), y, x);
  const T other = rest + std::copysign(y, x);
  return std::copysign((rest < T(0)) != (x < T(0)) && rest != T(0) ? other : rest, x);
}

/// Integers between -2^51 and 2^51 as doubles, and back. They vectorise where a processor has no instruction for int64:
/// added to 1.5 * 2^52, such an integer is in the last bits of the sum.
inline constexpr double int_bias = 0x1.8p52;
template <class T>
LUTH_HD double int_to_double(T x) {
  if constexpr (sizeof(T) < sizeof(int64_t))
    return double(x);
  else
    return std::bit_cast<double>(uint64_t(x) + std::bit_cast<uint64_t>(int_bias)) - int_bias;
}
LUTH_HD inline int64_t double_to_int(double x) {
  return int64_t(std::bit_cast<uint64_t>(x + int_bias) - std::bit_cast<uint64_t>(int_bias));
}

/// Quotients of such integers by way of doubles: one that is not whole is at least 2^-51 of itself away from a whole
/// number, and so is not rounded to it.
template <class T>
LUTH_HD bool is_quotient_quick(T x, T y) {
  constexpr uint64_t bound = uint64_t(1) << 51;
  return sizeof(T) < sizeof(int64_t) || ((uint64_t(x) + bound) | (uint64_t(y) + bound)) < 2 * bound;
}
template <class T>
LUTH_HD T floor_quotient_quick(T x, T y) {
  return T(double_to_int(math::floor(int_to_double(x) / int_to_double(y))));
}
template <class T>
LUTH_HD T trunc_quotient_quick(T x, T y) {
  return T(double_to_int(math::trunc(int_to_double(x) / int_to_double(y))));
}

/// ln x for normal positive x, within 1e-15 of it: for results that are rounded to float. It vectorises, which libm's
/// does not. x = 2^k m with m from sqrt(1/2) to sqrt(2), ln m = 2 artanh s with s = (m - 1) / (m + 1), by its series.
LUTH_HD inline double quick_log(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const double power = std::bit_cast<double>(bits >> 52 | 0x4330000000000000) - 0x1p52;  // AVX2 converts no int64
  const double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  const bool upper = m > 1.4142135623730951;
  const double k = upper ? power - 1022 : power - 1023, near = upper ? 0.5 * m : m;
  const double s = (near - 1) / (near + 1), z = s * s;
  const double r =
      polynomial(z, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3);
  return k * 0.69314718055994531 + (2 * s + 2 * s * (r * z));
}

}  // namespace luth::math
