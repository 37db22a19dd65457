// 16-bit floats to float and back by the GPU's own instructions; where there are none, as core/base/dtype.h does it.
#pragma once
#include <cuda_runtime.h>

#include "core/base/dtype.h"

namespace luth::cuda {

template <class T>
__device__ __forceinline__ compute_t<T> widen(T v) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, half>) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(v.bits));
    return f;
  }
#endif
  return static_cast<compute_t<T>>(v);
}

/// Rounds to nearest even.
template <class T>
__device__ __forceinline__ T narrow(compute_t<T> v) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, half>) {
    T h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(v));
    return h;
  }
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, bfloat16>) {
    T h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(v));
    return h;
  }
#endif
#endif
  return static_cast<T>(v);
}

}  // namespace luth::cuda
