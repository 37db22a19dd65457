// From random words to numbers of a distribution: the arithmetic that all devices share, so that a stream holds the
// same numbers on each. Integers and uniform numbers are equal bit for bit; the logarithm, sine and cosine of float are
// polynomials of our own, which differ between devices by fused multiply-add alone.
//
// A draw is a functor that makes the element of type T from its words (words_per<T> of them).
#pragma once
#include <cmath>
#include <limits>

#include "core/math/functions.h"
#include "core/math/philox.h"

namespace luth {

/// Words that an element takes: two where it has 8 bytes.
template <class T>
inline constexpr int words_per = sizeof(T) == 8 ? 2 : 1;

/// Uniform in [0, 1) with as many bits as the type holds exactly.
template <class T>
LUTH_HD inline T uniform_of(const uint32_t* w) {
  if constexpr (std::is_same_v<T, double>)
    return uniform_double(w[0], w[1]);
  else if constexpr (std::is_same_v<T, float>)
    return uniform_float(w[0]);
  else if constexpr (std::is_same_v<T, half>)
    return half(float(w[0] >> 21) * 0x1p-11f);
  else
    return bfloat16(float(w[0] >> 24) * 0x1p-8f);
}

namespace draw {

/// ln x for a normal number x in (0, 1], within 1 unit in the last place: x = 2^k (1 + f) with 1 + f from sqrt(1/2) to
/// sqrt(2), s = f / (2 + f), ln(1 + f) = f - s (f - r(s^2)); the coefficients are those of fdlibm's e_logf.c.
LUTH_HD inline float log(float x) {
  const int32_t bits = std::bit_cast<int32_t>(x) + (0x3f800000 - 0x3f3504f3);
  const float k = float((bits >> 23) - 127);
  const float f = std::bit_cast<float>((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const float s = f / (2.0f + f), z = s * s, w = z * z;
  const float r = z * (0xaaaaaa.0p-24f + w * 0x91e9ee.0p-25f) + w * (0xccce13.0p-25f + w * 0xf89e26.0p-26f);
  const float half_square = 0.5f * f * f;
  const float low = s * (half_square + r) + k * 9.0580006145e-06f;
  return k * 6.9313812256e-01f - ((half_square - low) - f);  // k times the high part of ln 2 is exact
}
LUTH_HD inline double log(double x) { return std::log(x); }  // what a seed gives does not change

/// sin and cos of 2 pi v for v in [0, 1): v less the nearest quarter is exact, and the rest is within pi/4; the
/// polynomials are those of Cephes' sinf.c.
LUTH_HD inline void sin_cos(float v, float& sine, float& cosine) {
  const int32_t quarter = int32_t(v * 4.0f + 0.5f);
  const float x = (v - float(quarter) * 0.25f) * 6.28318531f, z = x * x;
  const float s = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * x + x;
  const float c =
      ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
  const bool odd = quarter & 1;
  const float a = odd ? c : s, b = odd ? s : c;
  sine = quarter & 2 ? -a : a;
  cosine = (quarter + 1) & 2 ? -b : b;
}
LUTH_HD inline void sin_cos(double v, double& sine, double& cosine) {
  const double t = 6.283185307179586 * v;
  sine = math::sin(t);
  cosine = math::cos(t);
}

LUTH_HD inline float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
LUTH_HD inline double fma(double x, double y, double z) { return ::fma(x, y, z); }

template <class T>
struct Uniform {
  using A = compute_t<T>;
  A from, range, end;
  Uniform(double lowest, double to) : from(A(lowest)), range(A(to - lowest)), end(A(to)) {}
  LUTH_HD T operator()(const uint32_t* w) const {
    const A u = A(uniform_of<T>(w));
    const T v = T(from == A(0) ? u * range : fma(u, range, from));
    return A(v) < end || range == A(0) ? v : T(from);  // rounding must not reach `to`
  }
};

/// Two normal numbers from the words of two elements: Box and Muller's formula, see core/ops/random/random.h.
template <class T>
struct Normal {
  static constexpr bool in_pairs = true;
  using A = compute_t<T>;
  A mean, std;
  Normal(double m, double s) : mean(A(m)), std(A(s)) {}
  /// u in (0, 1], v in [0, 1).
  LUTH_HD static void uniforms(const uint32_t* w, A& u, A& v) {
    if constexpr (std::is_same_v<A, double>) {
      u = uniform_double(w[0], w[1]) + 0x1p-53;
      v = uniform_double(w[2], w[3]);
    } else {
      u = (float(w[0]) + 1.0f) * 0x1p-32f;
      v = uniform_float(w[1]);
    }
  }
  LUTH_HD void pair(A u, A v, A& first, A& second) const {
    const A r = math::sqrt(A(-2) * log(u)) * std;
    A sine, cosine;
    sin_cos(v, sine, cosine);
    first = r * cosine;
    second = r * sine;
  }
  /// z + mean, rounded after z was: on the CPU, keep it in another loop than the product.
  LUTH_HD A shifted(A z) const {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<A, double>)
      return __dadd_rn(z, mean);
    else
      return __fadd_rn(z, mean);
#else
    return z + mean;
#endif
  }
};

template <class T>
struct Exponential {
  using A = compute_t<T>;
  A mean;
  explicit Exponential(double rate) : mean(A(1 / rate)) {}
  LUTH_HD T operator()(const uint32_t* w) const {
    if constexpr (std::is_same_v<T, double>)
      return mean * (0.0 - std::log1p(-uniform_double(w[0], w[1])));
    else
      return T(mean * (0.0f - log(1.0f - uniform_float(w[0]))));  // 1 - u is exact
  }
};

/// 1 with probability p.
template <class T>
struct Bernoulli {
  float p;
  explicit Bernoulli(double probability) : p(float(probability)) {}
  LUTH_HD int8_t operator()(const uint32_t* w) const { return int8_t(uniform_float(w[0]) < p); }
};

/// Integers from `from` on, `range` of them.
template <class T>
struct Integers {
  uint64_t from, range;
  LUTH_HD int64_t operator()(const uint32_t* w) const {
    uint64_t v;
    if constexpr (words_per<T> == 2)
      v = range >> 32 ? (uint64_t(w[1]) << 32 | w[0]) % range : (w[1] * range) >> 32;
    else
      v = (w[0] * range) >> 32;
    return int64_t(v + from);
  }
};
/// The end of integers when it is not given: as many as the dtype holds exactly.
template <class T>
constexpr int64_t integers_of() {
  if constexpr (is_float<T>)
    return (int64_t(1) << (is_half<T> ? std::is_same_v<T, half> ? 11 : 8 : std::is_same_v<T, float> ? 24 : 53)) + 1;
  else if constexpr (std::is_same_v<T, bool>)
    return 2;
  else if constexpr (sizeof(T) < 8)
    return int64_t(std::numeric_limits<T>::max()) + 1;
  else
    return INT64_MAX;
}

/// x / (1 - p), or 0 with probability p.
template <class T>
struct Dropout {
  using A = compute_t<T>;
  float p;
  A scale;
  explicit Dropout(double probability)
      : p(float(probability)), scale(probability < 1 ? A(1 / (1 - probability)) : A(0)) {}
  LUTH_HD T operator()(const uint32_t* w, T x) const { return T(uniform_float(w[0]) >= p ? A(x) * scale : A(0)); }
};

}  // namespace draw
}  // namespace luth
