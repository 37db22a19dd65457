// Integer and floating-point intrinsics. The fast ones are the exact ones: a test must allow for the GPU's errors
// itself.
#pragma once
#include <math.h>

#include <bit>
#include <chrono>
#include <cstdint>

// clang-format off
inline int __popc(unsigned v) { return std::popcount(v); }
inline int __popcll(unsigned long long v) { return std::popcount(v); }
inline int __clz(int v) { return std::countl_zero(unsigned(v)); }
inline int __clzll(long long v) { return std::countl_zero((unsigned long long)(v)); }
inline int __ffs(int v) { return v ? std::countr_zero(unsigned(v)) + 1 : 0; }
inline int __ffsll(long long v) { return v ? std::countr_zero((unsigned long long)(v)) + 1 : 0; }
inline unsigned __brev(unsigned v) { unsigned r = 0; for (int i = 0; i < 32; ++i) r |= ((v >> i) & 1u) << (31 - i); return r; }
inline unsigned long long __brevll(unsigned long long v) { return (uint64_t(__brev(unsigned(v))) << 32) | __brev(unsigned(v >> 32)); }
inline int __mulhi(int a, int b) { return int((int64_t(a) * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((uint64_t(a) * b) >> 32); }
__extension__ typedef __int128 fakecuda_int128;
__extension__ typedef unsigned __int128 fakecuda_uint128;
inline long long __mul64hi(long long a, long long b) { return (long long)((fakecuda_int128(a) * b) >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((fakecuda_uint128(a) * b) >> 64); }
inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) { return unsigned((((uint64_t(hi) << 32) | lo) << (s & 31u)) >> 32); }
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) { return unsigned(((uint64_t(hi) << 32) | lo) >> (s & 31u)); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  uint64_t both = (uint64_t(b) << 32) | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= unsigned((both >> (8 * ((s >> (4 * i)) & 7u))) & 0xffu) << (8 * i);
  return r;
}

inline int __float_as_int(float v) { return std::bit_cast<int>(v); }
inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline float __int_as_float(int v) { return std::bit_cast<float>(v); }
inline float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
inline long long __double_as_longlong(double v) { return std::bit_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return std::bit_cast<double>(v); }
inline int __float2int_rn(float v) { return int(::rintf(v)); }
inline int __float2int_rz(float v) { return int(v); }
inline int __float2int_rd(float v) { return int(::floorf(v)); }
inline int __float2int_ru(float v) { return int(::ceilf(v)); }
inline float __int2float_rn(int v) { return float(v); }
inline float __uint2float_rn(unsigned v) { return float(v); }
inline float __double2float_rn(double v) { return float(v); }

inline float __expf(float v) { return ::expf(v); }
inline float __exp10f(float v) { return ::powf(10.0f, v); }
inline float __logf(float v) { return ::logf(v); }
inline float __log2f(float v) { return ::log2f(v); }
inline float __log10f(float v) { return ::log10f(v); }
inline float __powf(float a, float b) { return ::powf(a, b); }
inline float __sinf(float v) { return ::sinf(v); }
inline float __cosf(float v) { return ::cosf(v); }
inline float __tanf(float v) { return ::tanf(v); }
inline void __sincosf(float v, float* s, float* c) { *s = ::sinf(v); *c = ::cosf(v); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fmaf_rn(float a, float b, float c) { return ::fmaf(a, b, c); }
inline float __frcp_rn(float v) { return 1.0f / v; }
inline float __fsqrt_rn(float v) { return ::sqrtf(v); }
inline float __frsqrt_rn(float v) { return 1.0f / ::sqrtf(v); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return ::fma(a, b, c); }
inline float __saturatef(float v) { return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; }
inline float rsqrtf(float v) { return 1.0f / ::sqrtf(v); }
inline double rsqrt(double v) { return 1.0 / ::sqrt(v); }
inline float sinpif(float v) { return float(::sin(3.14159265358979323846 * ::fmod(v, 2.0))); }
inline float cospif(float v) { return float(::cos(3.14159265358979323846 * ::fmod(v, 2.0))); }
inline double sinpi(double v) { return ::sin(3.14159265358979323846 * ::fmod(v, 2.0)); }
inline double cospi(double v) { return ::cos(3.14159265358979323846 * ::fmod(v, 2.0)); }
inline void sincospif(float v, float* s, float* c) { *s = sinpif(v); *c = cospif(v); }

// CUDA's ::min and ::max of integers and floats; a nan gives way to a number, as in fmin and fmax.
#define FAKECUDA_MIN_MAX(T) inline T min(T a, T b) { return b < a ? b : a; } inline T max(T a, T b) { return a < b ? b : a; }
FAKECUDA_MIN_MAX(int)
FAKECUDA_MIN_MAX(unsigned)
FAKECUDA_MIN_MAX(long)
FAKECUDA_MIN_MAX(unsigned long)
FAKECUDA_MIN_MAX(long long)
FAKECUDA_MIN_MAX(unsigned long long)
#undef FAKECUDA_MIN_MAX
inline float min(float a, float b) { return ::fminf(a, b); }
inline float max(float a, float b) { return ::fmaxf(a, b); }
inline double min(double a, double b) { return ::fmin(a, b); }
inline double max(double a, double b) { return ::fmax(a, b); }
// clang-format on

inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
