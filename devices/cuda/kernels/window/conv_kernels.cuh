// Our own kernels of convolutions; conv_product.cuh says what they compute. Any strides, any dtype. The 16-bit floats
// are summed in float, always in the same order. For conv.cu.
#pragma once
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/half.cuh"
#include "devices/cuda/kernels/common/kernels.h"
#include "devices/cuda/kernels/window/conv_product.cuh"

namespace luth::cuda {

inline constexpr int conv_tile = 64, conv_depth = 16, conv_threads = 128;

/// Tiles of 64 m by 64 free, summed 16 at a time through shared memory: while one slice is multiplied the next is
/// loaded into registers. A thread has 8 m by 4 free. Neighbouring threads load neighbours in memory: along `summed`
/// where `left_along` or `window_along` says so.
template <class C>
struct ConvTile {
  static constexpr int width = conv_tile + 4;  // keeps rows aligned to 16 bytes and spreads them over the banks
  static constexpr int loads = conv_tile * conv_depth / conv_threads;
  alignas(16) C left[2][conv_depth][width];
  alignas(16) C window[2][conv_depth][width];
  Coordinates free[conv_tile], summed[2][conv_depth];
};
/// The j-th element of a slice that thread `t` loads: its row along `summed` and its column along m or free.
__device__ inline int slice_row(bool along, int t, int j) { return along ? t % conv_depth : t / conv_tile + 2 * j; }
__device__ inline int slice_column(bool along, int t, int j) { return along ? t / conv_depth + 8 * j : t % conv_tile; }

template <class C, class T>
__device__ void load_slice(const ConvProduct& p, const ConvTile<C>& s, int half, int first_m, bool left_along,
                           bool window_along, const T* left, const T* window, C* a, C* b) {
  constexpr int loads = ConvTile<C>::loads;
  const int t = int(threadIdx.x);
#pragma unroll
  for (int j = 0; j < loads; ++j) {
    const Coordinates k = s.summed[half][slice_row(left_along, t, j)];
    const int m = first_m + slice_column(left_along, t, j);
    a[j] = m < p.m && k.at[2] > outside / 2 ? C(left[m * p.left_m + k.own]) : C(0);
  }
#pragma unroll
  for (int j = 0; j < loads; ++j) {
    const int at = p.find(s.summed[half][slice_row(window_along, t, j)], s.free[slice_column(window_along, t, j)]);
    b[j] = at >= 0 ? C(window[at]) : C(0);
  }
}
template <class C>
__device__ void keep_slice(ConvTile<C>& s, int half, bool left_along, bool window_along, const C* a, const C* b) {
  const int t = int(threadIdx.x);
#pragma unroll
  for (int j = 0; j < ConvTile<C>::loads; ++j) {
    s.left[half][slice_row(left_along, t, j)][slice_column(left_along, t, j)] = a[j];
    s.window[half][slice_row(window_along, t, j)][slice_column(window_along, t, j)] = b[j];
  }
}
template <class C>
__device__ void multiply_slice(const ConvTile<C>& s, int half, C (&sum)[8][4]) {
  const int m = int(threadIdx.x) / 16 * 8, n = int(threadIdx.x) % 16 * 4;
#pragma unroll
  for (int k = 0; k < conv_depth; ++k) {
    C a[8], b[4];
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = s.left[half][k][m + i];
#pragma unroll
    for (int j = 0; j < 4; ++j) b[j] = s.window[half][k][n + j];
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
  }
}

/// The layout of partial sums: [split][group][m][free].
__device__ inline int64_t part_of(const ConvProduct& p, int64_t split_and_group, int m, uint32_t free) {
  return (split_and_group * p.m + m) * p.free.count + free;
}

/// Grid: x over free, y over m, z over groups and splits. `parts` null: one split, which writes the result.
template <class T, class C = compute_t<T>>
__global__ void __launch_bounds__(conv_threads)
    conv_tiles(ConvProduct p, bool left_along, bool window_along, const T* left, const T* window, const T* bias, T* out,
               C* parts) {
  __shared__ ConvTile<C> s;
  const int t = int(threadIdx.x), first_m = int(blockIdx.y) * conv_tile;
  const uint32_t first_free = blockIdx.x * conv_tile;
  for (int z = int(blockIdx.z); z < p.groups * p.splits; z += int(gridDim.z)) {
    const int group = z % p.groups, split = z / p.groups;
    const T *l = left + group * p.left_group, *w = window + group * p.window_group;
    const uint32_t begin = split * p.per_split, end = min(begin + p.per_split, p.summed.count);
    const int slices = int((end - begin + conv_depth - 1) / conv_depth);
    if (t < conv_tile)
      s.free[t] = p.free.at(first_free + t);
    else if (t < conv_tile + 2 * conv_depth)
      s.summed[(t - conv_tile) / conv_depth][t % conv_depth] = p.summed.at(begin + (t - conv_tile));
    __syncthreads();
    C a[ConvTile<C>::loads], b[ConvTile<C>::loads], sum[8][4] = {};
    load_slice(p, s, 0, first_m, left_along, window_along, l, w, a, b);
    keep_slice(s, 0, left_along, window_along, a, b);
    __syncthreads();
    for (int k = 0; k < slices; ++k) {
      const int half = k % 2;
      if (k + 1 < slices) load_slice(p, s, 1 - half, first_m, left_along, window_along, l, w, a, b);
      if (t < conv_depth) s.summed[half][t] = p.summed.at(begin + (k + 2) * conv_depth + t);
      multiply_slice(s, half, sum);
      if (k + 1 < slices) keep_slice(s, 1 - half, left_along, window_along, a, b);
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int m = first_m + t / 16 * 8 + i;
      if (m >= p.m) break;
      const C add = bias ? C(bias[group * p.m + m]) : C(0);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int n = t % 16 * 4 + j;
        if (first_free + n >= p.free.count) break;
        if (parts)
          parts[part_of(p, z, m, first_free + n)] = sum[i][j];
        else
          out[group * p.out_group + m * p.out_m + s.free[n].own] = T(sum[i][j] + add);
      }
    }
    __syncthreads();
  }
}

/// Adds the `splits` partial sums in order: the product's own, of all launches.
template <class T, class C = compute_t<T>>
__global__ void conv_add_parts(ConvProduct p, int splits, const C* parts, const T* bias, T* out) {
  const uint32_t channels = uint32_t(p.groups) * p.m, all = channels * p.free.count;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x) {
    const uint32_t channel = i / p.free.count;
    const int group = int(channel / p.m), m = int(channel % p.m);
    C sum = 0;
    for (int k = 0; k < splits; ++k) sum += parts[int64_t(k) * all + i];
    if (bias) sum += C(bias[channel]);
    out[group * p.out_group + m * p.out_m + p.free.at(i % p.free.count).own] = T(sum);
  }
}

inline constexpr int conv_listed = 128;

/// For few m per group (depthwise) and for integers: one result at a time, by a thread, or by a block where
/// `whole_block` says that the sums are long. A short `summed` list is kept in shared memory. `channels_fast`: results
/// of one position are adjacent, so they come in turn. `add`: to the contents of `out`.
template <class T>
__global__ void conv_direct(ConvProduct p, bool channels_fast, bool whole_block, bool add, Elements<T> left,
                            Elements<T> window, Elements<T> bias, Elements<T> out) {
  using C = typename Elements<T>::Compute;
  __shared__ C shared[33];
  __shared__ Coordinates list[conv_listed];
  const bool listed = p.summed.count <= conv_listed;
  if (listed) {
    for (uint32_t k = threadIdx.x; k < p.summed.count; k += blockDim.x) list[k] = p.summed.at(k);
    __syncthreads();
  }
  const uint32_t channels = uint32_t(p.groups) * p.m, all = channels * p.free.count;
  const uint32_t mine = whole_block ? blockIdx.x : blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t step = whole_block ? gridDim.x : gridDim.x * blockDim.x;
  const uint32_t first = whole_block ? threadIdx.x : 0, stride = whole_block ? blockDim.x : 1;
  for (uint32_t i = mine; i < all; i += step) {
    const uint32_t channel = channels_fast ? i % channels : i / p.free.count;
    const Coordinates free = p.free.at(channels_fast ? i / channels : i % p.free.count);
    const int group = int(channel / p.m), m = int(channel % p.m);
    const int from = group * p.left_group + m * p.left_m, in = group * p.window_group;
    C sum = 0;
#pragma unroll 1
    for (uint32_t k = first; k < p.summed.count; k += stride) {
      const Coordinates summed = listed ? list[k] : p.summed.at(k);
      const int at = p.find(summed, free);
      if (at >= 0) sum += left[from + summed.own] * window[in + at];
    }
    if (whole_block) sum = block_reduce(sum, Plus(), C(0), shared);
    if (whole_block && threadIdx.x) continue;
    const int to = group * p.out_group + m * p.out_m + free.own;
    if (bias) sum += bias[channel];
    if (add) sum += out[to];
    out.set(to, sum);
  }
}

/// y += bias, for a y that cuDNN has written: [n, channels, area], or [n, area, channels] with `channels_last`.
/// Vectors of n elements, of one channel or of neighbouring ones.
template <class T, int n>
__global__ void conv_add_bias(int64_t vectors, int64_t channels, int64_t area, bool channels_last, const T* bias,
                              T* y) {
  using Vector = AlignedVector<T, n>;
  for (const int64_t i : grid_stride(vectors)) {
    const int64_t e = i * n;
    int64_t channel;
    if (e >> 31 == 0)  // divisions of 32 bits take a tenth of the time
      channel = (channels_last ? uint32_t(e) : uint32_t(e) / uint32_t(area)) % uint32_t(channels);
    else
      channel = (channels_last ? e : e / area) % channels;
    Vector p = reinterpret_cast<const Vector*>(y)[i];
#pragma unroll
    for (int j = 0; j < n; ++j) p.v[j] = narrow<T>(widen(p.v[j]) + widen(bias[channel + (channels_last ? j : 0)]));
    reinterpret_cast<Vector*>(y)[i] = p;
  }
}

}  // namespace luth::cuda
