// Elements by width, for kernels that only move or compare bits.
#pragma once
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {

/// f(Type<W>()) for the unsigned W of `bytes` bytes: 1, 2, 4 or 8.
template <class F>
void by_width(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(Type<uint8_t>());
    case 2: return f(Type<uint16_t>());
    case 4: return f(Type<uint32_t>());
    default: return f(Type<uint64_t>());
  }
}
/// The same for the width of elements of d.
template <class F>
void by_width(Dtype d, F&& f) {
  by_width(int64_t(size_of(d)), std::forward<F>(f));
}

/// to[i] = from[j], for elements of `width` bytes.
__device__ inline void copy_element(void* to, int64_t i, const void* from, int64_t j, int width) {
  switch (width) {
    case 1: static_cast<uint8_t*>(to)[i] = static_cast<const uint8_t*>(from)[j]; break;
    case 2: static_cast<uint16_t*>(to)[i] = static_cast<const uint16_t*>(from)[j]; break;
    case 4: static_cast<uint32_t*>(to)[i] = static_cast<const uint32_t*>(from)[j]; break;
    default: static_cast<uint64_t*>(to)[i] = static_cast<const uint64_t*>(from)[j];
  }
}

}  // namespace luth::cuda
