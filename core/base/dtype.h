// Element types: their names, sizes, C++ types, conversions and promotion.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/base/error.h"

#ifdef __CUDACC__
#define LUTH_HD __host__ __device__
#else
#define LUTH_HD
#endif

namespace luth {

enum class Dtype : uint8_t { boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64 };
inline constexpr int dtype_count = 10;

/// IEEE binary16. Arithmetic happens in float; conversions round to nearest even, on a GPU by its own instructions.
struct half {
  uint16_t bits = 0;
  half() = default;
  LUTH_HD explicit half(float f) : bits(from_float(f)) {}
  LUTH_HD explicit operator float() const { return to_float(bits); }
  LUTH_HD static half raw(uint16_t b) {
    half h;
    h.bits = b;
    return h;
  }

  LUTH_HD static uint16_t from_float(float f) {
#ifdef __CUDA_ARCH__
    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
#else
    uint32_t x = std::bit_cast<uint32_t>(f), sign = (x >> 16) & 0x8000u;
    x &= 0x7fffffffu;
    if (x > 0x7f800000u) return uint16_t(sign | 0x7e00u | ((x >> 13) & 0x3ffu));  // nan, as instructions convert it
    if (x >= 0x477ff000u) return uint16_t(sign | 0x7c00u);                        // inf, or rounds to it
    if (x < 0x38800000u) {                                                        // subnormal or zero
      float shifted =
          std::bit_cast<float>(x) + 0.5f;  // 0.5 aligns the last bit of a half subnormal with the last of a float
      return uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
    }
    return uint16_t(sign | ((x - 0x38000000u + 0xfffu + ((x >> 13) & 1u)) >> 13));
#endif
  }
  LUTH_HD static float to_float(uint16_t h) {
#ifdef __CUDA_ARCH__
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    uint32_t sign = uint32_t(h & 0x8000u) << 16, x = uint32_t(h & 0x7fffu) << 13;
    if (x > 0x0f800000u) return std::bit_cast<float>(sign | (x + 0x70000000u) | 0x400000u);  // nan
    if (x == 0x0f800000u) return std::bit_cast<float>(sign | 0x7f800000u);                   // inf
    if (x >= 0x00800000u) return std::bit_cast<float>(sign | (x + 0x38000000u));             // normal
    float f = std::bit_cast<float>(x + 0x38800000u) - std::bit_cast<float>(0x38800000u);
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(f));
#endif
  }
};

/// The upper half of a float32. Arithmetic happens in float; conversions round to nearest even.
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  LUTH_HD explicit bfloat16(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(f));
#else
    const uint32_t x = std::bit_cast<uint32_t>(f);
    const uint32_t rounded = f != f ? x | 0x400000u : x + 0x7fffu + ((x >> 16) & 1u);  // chosen before it is narrowed
    bits = uint16_t(rounded >> 16);
#endif
  }
  LUTH_HD explicit operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
  LUTH_HD static bfloat16 raw(uint16_t b) {
    bfloat16 h;
    h.bits = b;
    return h;
  }
};

template <class... T>
struct Types {};
template <class T>
struct Type {
  using type = T;
};

using Floats = Types<float, double, half, bfloat16>;
using Integers = Types<uint8_t, int8_t, int16_t, int32_t, int64_t>;
using Numbers = Types<float, double, half, bfloat16, uint8_t, int8_t, int16_t, int32_t, int64_t>;
using AllTypes = Types<float, double, half, bfloat16, uint8_t, int8_t, int16_t, int32_t, int64_t, bool>;
using IntegersAndBool = Types<uint8_t, int8_t, int16_t, int32_t, int64_t, bool>;

// clang-format off
template <class T> inline constexpr Dtype dtype_of = [] { static_assert(sizeof(T) == 0, "not an element type"); return Dtype::f32; }();
template <> inline constexpr Dtype dtype_of<bool> = Dtype::boolean;
template <> inline constexpr Dtype dtype_of<uint8_t> = Dtype::u8;
template <> inline constexpr Dtype dtype_of<int8_t> = Dtype::i8;
template <> inline constexpr Dtype dtype_of<int16_t> = Dtype::i16;
template <> inline constexpr Dtype dtype_of<int32_t> = Dtype::i32;
template <> inline constexpr Dtype dtype_of<int64_t> = Dtype::i64;
template <> inline constexpr Dtype dtype_of<half> = Dtype::f16;
template <> inline constexpr Dtype dtype_of<bfloat16> = Dtype::bf16;
template <> inline constexpr Dtype dtype_of<float> = Dtype::f32;
template <> inline constexpr Dtype dtype_of<double> = Dtype::f64;
// clang-format on

/// PyTorch's name without `torch.`: "float32", "bool".
std::string_view name(Dtype d);
/// The inverse of `name`, with PyTorch's aliases ("float", "long", "half", …); throws for an unknown name.
Dtype parse_dtype(std::string_view name);
/// Bytes of an element.
inline constexpr uint8_t dtype_sizes[dtype_count] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
inline size_t size_of(Dtype d) { return dtype_sizes[int(d)]; }
inline bool is_floating(Dtype d) { return d >= Dtype::f16; }
inline bool is_half_float(Dtype d) { return d == Dtype::f16 || d == Dtype::bf16; }
inline bool is_integral(Dtype d) { return d > Dtype::boolean && d < Dtype::f16; }  // without bool
/// The dtype of float numbers where nothing says otherwise; float32 at start.
Dtype default_dtype();
void set_default_dtype(Dtype d);
/// The smallest dtype that holds both, by PyTorch's table (f16 with bf16 gives f32; i64 with f16 gives f16).
Dtype promote(Dtype a, Dtype b);
[[noreturn]] void throw_unsupported(Dtype d);

/// Calls f(Type<T>()) for the member of the list that is `d`; throws for any other dtype.
template <class... T, class F>
void dispatch(Types<T...>, Dtype d, F&& f) {
  bool hit = ((d == dtype_of<T> ? (f(Type<T>()), true) : false) || ...);
  if (!hit) throw_unsupported(d);
}

template <class T>
inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_float = is_half<T> || std::is_floating_point_v<T>;
/// The type in which elements of type T are computed: float for the 16-bit floats, otherwise T.
template <class T>
using compute_t = std::conditional_t<is_half<T>, float, T>;

/// Converts one element. To integers: nan becomes 0, out-of-range values saturate; integers wrap; bool is `!= 0`.
template <class To, class From>
LUTH_HD inline To cast(From v) {
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (is_half<From>) {
    return cast<To>(float(v));
  } else if constexpr (is_half<To>) {
    return To(float(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // 2^(bits-1) is exact in every float type, and so is the lowest value.
    constexpr From top = From(uint64_t(1) << (std::numeric_limits<To>::digits - 1)) * From(2);
    constexpr From low = From(std::numeric_limits<To>::lowest());
    if (!(v == v)) return To(0);
    return v >= top ? std::numeric_limits<To>::max() : v <= low ? std::numeric_limits<To>::lowest() : To(v);
  } else {
    return To(v);
  }
}

}  // namespace luth
