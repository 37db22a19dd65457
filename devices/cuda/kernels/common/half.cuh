// 16-bit floats to float and back.
#pragma once
#include <cuda_runtime.h>

#include "core/base/dtype.h"

namespace luth::cuda {

template <class T>
__device__ __forceinline__ compute_t<T> widen(T v) {
  return static_cast<compute_t<T>>(v);
}

/// Rounds to nearest even.
template <class T>
__device__ __forceinline__ T narrow(compute_t<T> v) {
  return static_cast<T>(v);
}

}  // namespace luth::cuda
