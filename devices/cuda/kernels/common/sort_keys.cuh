// Unsigned sort keys (core/math/sort_key.h) of elements of any dtype.
#pragma once
#include <cuda_runtime.h>

#include "core/base/dtype.h"
#include "core/math/sort_key.h"

namespace luth::cuda {

/// f(Type<T>()) for the element type T of dtype `d`, whose keys fit K: uint64_t for dtypes of 8 bytes, uint32_t for all
/// others.
template <class K, class F>
__device__ K with_key_type(Dtype d, F f) {
  if constexpr (sizeof(K) == 8) {
    return d == Dtype::f64 ? f(Type<double>()) : f(Type<int64_t>());
  } else {
    switch (d) {
      case Dtype::f32: return f(Type<float>());
      case Dtype::f16: return f(Type<half>());
      case Dtype::bf16: return f(Type<bfloat16>());
      case Dtype::i32: return f(Type<int32_t>());
      case Dtype::i16: return f(Type<int16_t>());
      case Dtype::i8: return f(Type<int8_t>());
      default: return f(Type<uint8_t>());
    }
  }
}

}  // namespace luth::cuda
