// Work along one axis of {outer, n, inner}. Rows of neighbours (inner of 1) are shared out to groups of threads, which
// load 16 bytes at a time and keep the first of a row in registers; other rows are columns of memory, walked by threads
// side by side.
#pragma once
#include <algorithm>

#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"
#include "devices/cuda/kernels/common/half.cuh"

namespace luth::cuda {

/// Packs of a row that a thread keeps: 64 bytes.
inline constexpr int held = 4;
inline constexpr int most_row_threads = 512;

inline int power_of_two_from(int64_t n) {
  int p = 1;
  while (p < n && p < (1 << 30)) p *= 2;
  return p;
}
/// Whether packs of both begin at the same elements of their rows.
inline bool same_phase(const void* a, const void* b) {
  return (reinterpret_cast<uintptr_t>(a) - reinterpret_cast<uintptr_t>(b)) % 16 == 0;
}
/// x in another dtype, on its device; a copy only where it differs.
inline Tensor in_dtype(const Tensor& x, Dtype d) { return x.dtype() == d ? x : dense_copy(cast_to(x.detach(), d)); }

/// How rows of n elements are shared out: `size` neighbouring threads to each, a power of 2; up to a warp several rows
/// to a block, above it one.
struct RowShare {
  int size, block;
  unsigned grid;

  RowShare(int64_t rows, int64_t n, int per) {
    const int64_t packs = (n + per - 1) / per;
    size = packs <= 32 * held ? std::min(32, power_of_two_from(packs))
                              : std::min<int>(most_row_threads, power_of_two_from((packs + held - 1) / held));
    block = size > 32 ? size : 128;
    const int64_t groups = block / size;
    grid = unsigned(std::min<int64_t>((rows + groups - 1) / groups, 1 << 20));
  }
  /// Of a block, for group_reduce with values of up to 16 bytes.
  static constexpr size_t shared = 33 * 16;
};

/// The calling thread's place in a RowShare. Kernels loop `for (at = first(); at < rows; at += step())` with the row
/// at + slot, which may be past the end: all threads of a block take part in reductions.
struct RowThread {
  int size, rank, slot, groups;
  __device__ explicit RowThread(int threads_per_row)
      : size(threads_per_row),
        rank(int(threadIdx.x) & (size - 1)),
        slot(int(threadIdx.x) / size),
        groups(int(blockDim.x) / size) {}
  __device__ int64_t first() const { return int64_t(blockIdx.x) * groups; }
  __device__ int64_t step() const { return int64_t(gridDim.x) * groups; }
};

/// combine() over the `size` threads of a row; all threads of the block call this. combine(a, b) equals combine(b, a).
template <class T, class F>
__device__ T group_reduce(T v, int size, F combine, T none) {
  if (size > 32) return block_reduce(v, combine, none, dynamic_shared<T>());
  for (int mask = size / 2; mask > 0; mask /= 2) v = combine(v, shuffle_xor(v, mask));
  return v;
}

/// A row of n neighbours as packs of 16 bytes, counted from the boundary at or before its start: the first and the last
/// may be partly outside.
template <class T>
struct RowPacks {
  static constexpr int per = per_pack<T>;
  int64_t n, count;
  int lead;  // elements from the boundary to the row

  __device__ RowPacks(const T* row, int64_t elements)
      : n(elements), lead(int(reinterpret_cast<uintptr_t>(row) / sizeof(T)) & (per - 1)) {
    count = n == 0 ? 0 : (lead + n + per - 1) / per;
  }
  /// The element at which a pack begins.
  __device__ int64_t first(int64_t pack) const { return pack * per - lead; }
  __device__ bool whole(int64_t first) const { return first >= 0 && first + per <= n; }
  __device__ bool holds(int64_t i) const { return i >= 0 && i < n; }
};

/// Packs `pack`, `pack + step`, … of a row, loaded together. Elements outside the row are `none`. `aligned`: packs of
/// this tensor begin where those of `r` do.
template <class T>
struct Held {
  static constexpr int per = per_pack<T>;
  Pack<T, per> raw[held];

  __device__ void load(const T* row, const RowPacks<T>& r, int64_t pack, int64_t step, bool aligned, T none) {
#pragma unroll
    for (int k = 0; k < held; ++k) {
      const int64_t f = r.first(pack + k * step);
      if (aligned && r.whole(f)) raw[k] = *reinterpret_cast<const Pack<T, per>*>(row + f);
    }
#pragma unroll
    for (int k = 0; k < held; ++k) {
      const int64_t f = r.first(pack + k * step);
      if (aligned && r.whole(f)) continue;
#pragma unroll
      for (int j = 0; j < per; ++j) raw[k].v[j] = r.holds(f + j) ? row[f + j] : none;
    }
  }
  __device__ compute_t<T> at(int k, int j) const { return widen(raw[k].v[j]); }
};

/// Stores the pack that begins at element `first`.
template <class T>
__device__ void store_pack(T* row, const RowPacks<T>& r, int64_t first, bool aligned,
                           const compute_t<T> (&v)[per_pack<T>]) {
  if (aligned && r.whole(first)) {
    Pack<T, per_pack<T>> out;
#pragma unroll
    for (int j = 0; j < per_pack<T>; ++j) out.v[j] = narrow<T>(v[j]);
    *reinterpret_cast<Pack<T, per_pack<T>>*>(row + first) = out;
  } else {
#pragma unroll
    for (int j = 0; j < per_pack<T>; ++j)
      if (r.holds(first + j)) row[first + j] = narrow<T>(v[j]);
  }
}

/// A number for each element of a row, or of a channel: of type T or of its compute type; without data `other`.
template <class T>
struct Numbers {
  using A = compute_t<T>;
  const void* data = nullptr;
  A other = A(0);
  bool wide = false, aligned = false;

  Numbers() = default;
  /// Keeps what it must convert in `keep`, which outlives the call that starts the kernel.
  Numbers(const Tensor& t, A without, Tensor& keep) : other(without) {
    if (!t) return;
    keep = t.dtype() == dtype_of<T> ? t : in_dtype(t, dtype_of<A>);
    data = keep.raw();
    wide = keep.dtype() == dtype_of<A>;
    aligned = reinterpret_cast<uintptr_t>(data) % 16 == 0;
  }
  __device__ A at(int64_t i) const {
    if (!data) return other;
    return wide ? static_cast<const A*>(data)[i] : widen(static_cast<const T*>(data)[i]);
  }
  /// Those of the elements from `first` on that lie in [0, n); `packed`: all do, and `first` is a multiple of a pack.
  __device__ void load(int64_t first, int64_t n, bool packed, A (&to)[per_pack<T>]) const {
    if (!data || !aligned || !packed) {
#pragma unroll
      for (int j = 0; j < per_pack<T>; ++j) to[j] = first + j >= 0 && first + j < n ? at(first + j) : other;
    } else if (wide) {
      constexpr int q = per_pack<A>;
#pragma unroll
      for (int j = 0; j < per_pack<T>; j += q) {
        const Pack<A, q> p = *reinterpret_cast<const Pack<A, q>*>(static_cast<const A*>(data) + first + j);
        for (int i = 0; i < q; ++i) to[j + i] = p.v[i];
      }
    } else {
      const auto p = *reinterpret_cast<const Pack<T, per_pack<T>>*>(static_cast<const T*>(data) + first);
      for (int j = 0; j < per_pack<T>; ++j) to[j] = widen(p.v[j]);
    }
  }
};

// ---- rows that are columns of memory -------------------------------------------------------------------------------

/// How outer * inner rows of n elements, `inner` apart, are shared out: blockDim.x neighbours at a time, each row to
/// blockDim.y threads. Tiles of neighbours go over the grid.
struct ColumnShare {
  dim3 block;
  unsigned grid;
  int64_t tiles;  // per outer

  explicit ColumnShare(const Axis& a) {
    int x = std::min(256, power_of_two_from(a.inner)), y = 256 / x;
    const int64_t enough = multiprocessors() * 8, most = std::min(8, power_of_two_from(a.n));
    while (y < most && x > 32 && a.outer * ((a.inner + x - 1) / x) < enough) x /= 2, y *= 2;
    block = dim3(unsigned(x), unsigned(y));
    tiles = (a.inner + x - 1) / x;
    grid = unsigned(std::min<int64_t>(a.outer * tiles, 1 << 20));
  }
  /// Of a block, for column_reduce with values of up to 16 bytes.
  static constexpr size_t shared = 256 * 16;
};

/// combine() over the threads with one threadIdx.x; all threads of the block call this, and all get the result.
/// blockDim.y is a power of 2.
template <class T, class F>
__device__ T column_reduce(T v, F combine) {
  if (blockDim.y == 1) return v;
  T* shared = dynamic_shared<T>();
  const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;
  __syncthreads();  // results before this one may still be read
  shared[at] = v;
  for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) shared[at] = combine(shared[at], shared[at + half * blockDim.x]);
  }
  __syncthreads();
  return shared[threadIdx.x];
}

}  // namespace luth::cuda
