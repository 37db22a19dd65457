// Rows of elements in another type. Kernel libraries only.
#pragma once
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "core/base/dtype.h"

namespace luth::cpu {

/// y[i] = cast<To>(x[i]).
template <class To, class From>
inline void convert_row(const From* x, To* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = cast<To>(x[i]);
}

#if defined(__F16C__)
// The instructions for half by their names: g++ makes only those for one element, and clang 14 none.
namespace detail {
#if defined(__AVX512F__)
inline constexpr int halves = 16;  // that one instruction converts
// Masks of all elements: g++ 12 warns of what its own header leaves undefined in the forms without.
inline void widen(const half* x, float* y) {
  _mm512_storeu_ps(y, _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x))));
}
inline void narrow(const float* x, half* y) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y),
                      _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT));
}
#else
inline constexpr int halves = 8;
inline void widen(const half* x, float* y) {
  _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))));
}
inline void narrow(const float* x, half* y) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm256_cvtps_ph(_mm256_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT));
}
#endif
}  // namespace detail

template <>
inline void convert_row(const half* x, float* y, int64_t n) {
  const int64_t whole = n / detail::halves * detail::halves;
  for (int64_t i = 0; i < whole; i += detail::halves) detail::widen(x + i, y + i);
  for (int64_t i = whole; i < n; ++i) y[i] = _cvtsh_ss(x[i].bits);
}
template <>
inline void convert_row(const float* x, half* y, int64_t n) {
  const int64_t whole = n / detail::halves * detail::halves;
  for (int64_t i = 0; i < whole; i += detail::halves) detail::narrow(x + i, y + i);
  for (int64_t i = whole; i < n; ++i) y[i].bits = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
}
#endif

/// One element, as convert_row makes it.
template <class To, class From>
inline To converted(From x) {
  To y;
  convert_row(&x, &y, 1);
  return y;
}
template <class T>
inline compute_t<T> computed(T x) {
  return converted<compute_t<T>>(x);
}

}  // namespace luth::cpu
