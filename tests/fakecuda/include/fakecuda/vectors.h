// CUDA's short vector types and dim3, with CUDA's alignment: that of 2 or 4 elements together, 16 bytes at most.
#pragma once

#define FAKECUDA_VECTOR(name, T)                                               \
  struct name##1 {                                                             \
    T x;                                                                       \
  };                                                                           \
  struct alignas(2 * sizeof(T)) name##2 {                                      \
    T x, y;                                                                    \
  };                                                                           \
  struct name##3 {                                                             \
    T x, y, z;                                                                 \
  };                                                                           \
  struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) name##4 {            \
    T x, y, z, w;                                                              \
  };                                                                           \
  inline constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  inline constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

FAKECUDA_VECTOR(char, signed char)
FAKECUDA_VECTOR(uchar, unsigned char)
FAKECUDA_VECTOR(short, short)
FAKECUDA_VECTOR(ushort, unsigned short)
FAKECUDA_VECTOR(int, int)
FAKECUDA_VECTOR(uint, unsigned)
FAKECUDA_VECTOR(long, long)
FAKECUDA_VECTOR(ulong, unsigned long)
FAKECUDA_VECTOR(longlong, long long)
FAKECUDA_VECTOR(ulonglong, unsigned long long)
FAKECUDA_VECTOR(float, float)
FAKECUDA_VECTOR(double, double)
#undef FAKECUDA_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
