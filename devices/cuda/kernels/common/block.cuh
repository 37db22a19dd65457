// Reductions and prefix sums over the threads of a warp and of a block, always in the same order.
#pragma once
#include <cmath>

#include "devices/cuda/runtime/launch.h"

namespace luth::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// a + b, as CUB calls it; the sum of whatever has this operator.
struct Plus {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
/// The larger of two floats; nan only where both are.
struct Maximum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return std::fmax(a, b);
  }
};

/// v after shuffle(word) of each of its 4-byte words. T is a number or a plain struct of 4-byte parts.
template <class T, class F>
__device__ T shuffle_words(T v, F shuffle) {
  static_assert(sizeof(T) % 4 == 0);
  union Words {
    T value;
    unsigned word[sizeof(T) / 4];
    __device__ Words() {}
  } w;
  w.value = v;
  for (auto& word : w.word) word = shuffle(word);
  return w.value;
}
/// The value of the lane whose number differs in the bits of `mask`.
template <class T>
__device__ T shuffle_xor(T v, int mask) {
  return shuffle_words(v, [&](unsigned word) { return __shfl_xor_sync(all_lanes, word, mask); });
}
/// The value of one lane.
template <class T>
__device__ T shuffle(T v, int lane) {
  return shuffle_words(v, [&](unsigned word) { return __shfl_sync(all_lanes, word, lane); });
}
/// The value of the lane whose number is smaller by `delta`; the first lanes keep their own.
template <class T>
__device__ T shuffle_up(T v, int delta) {
  return shuffle_words(v, [&](unsigned word) { return __shfl_up_sync(all_lanes, word, delta); });
}

/// combine() over the 32 lanes of a warp, all of which call this; every lane gets the same result. combine(a, b) must
/// equal combine(b, a).
template <class T, class F>
__device__ T warp_reduce(T v, F combine) {
  for (int mask = 16; mask > 0; mask /= 2) v = combine(v, shuffle_xor(v, mask));
  return v;
}

/// Inclusive prefix sum over the 32 lanes of a warp, by combine(earlier, later) instead of addition.
template <class T, class F>
__device__ T warp_inclusive_scan(T v, F combine) {
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    const T earlier = shuffle_up(v, delta);
    if (int(threadIdx.x % 32) >= delta) v = combine(earlier, v);
  }
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

/// Exclusive prefix sum and total.
template <class T>
struct Scanned {
  T prefix, total;
};
/// Exclusive prefix sum over the blockDim.x threads with one threadIdx.y, by combine(earlier, later) instead of
/// addition. blockDim.x is 32, or a multiple of it in a block whose blockDim.y is 1. All threads of the block call
/// this. `none` is combine's identity. `shared` has room for one value per warp.
template <class T, class F>
__device__ Scanned<T> exclusive_scan(T v, F combine, T none, T* shared) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const T inclusive = warp_inclusive_scan(v, combine);
  T prefix = shuffle_up(inclusive, 1);
  if (lane == 0) prefix = none;
  if (warps == 1) return {prefix, shuffle(inclusive, 31)};
  __syncthreads();  // `shared` may still be read for a result before this one
  if (lane == 31) shared[warp] = inclusive;
  __syncthreads();
  T earlier = none, total = none;
#pragma unroll 1
  for (int w = 0; w < warps; ++w) {
    if (w == warp) earlier = total;
    total = combine(total, shared[w]);
  }
  return {combine(earlier, prefix), total};
}

}  // namespace luth::cuda
