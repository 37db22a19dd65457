// Values combined over the threads of a warp and of a block, always in the same order.
#pragma once
#include "devices/cuda/runtime/launch.h"

namespace luth::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// The value of the lane whose number differs in the bits of `mask`; T is a number or a plain struct of 4-byte parts.
template <class T>
__device__ T shuffle_xor(T v, int mask) {
  static_assert(sizeof(T) % 4 == 0);
  union Words {
    T value;
    unsigned word[sizeof(T) / 4];
    __device__ Words() {}
  } w;
  w.value = v;
  for (auto& word : w.word) word = __shfl_xor_sync(all_lanes, word, mask);
  return w.value;
}

/// combine() over the 32 lanes of a warp, all of which call this; every lane gets the same result. combine(a, b) must
/// equal combine(b, a).
template <class T, class F>
__device__ T warp_reduce(T v, F combine) {
  for (int mask = 16; mask > 0; mask /= 2) v = combine(v, shuffle_xor(v, mask));
  return v;
}

/// combine() over a block of whole warps, all of whose threads call this; every thread gets the result. `shared` has
/// room for one value per warp and one more; `none` is combine's identity.
template <class T, class F>
__device__ T block_reduce(T v, F combine, T none, T* shared) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  v = warp_reduce(v, combine);
  if (warps == 1) return v;
  __syncthreads();  // `shared` may still be read for a result before this one
  if (lane == 0) shared[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = warp_reduce(lane < warps ? shared[lane] : none, combine);
    if (lane == 0) shared[warps] = v;
  }
  __syncthreads();
  return shared[warps];
}

}  // namespace luth::cuda
