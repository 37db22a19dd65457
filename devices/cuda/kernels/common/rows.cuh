// Kernels along one axis of {outer, n, inner}. Where `inner` is 1, a row has its elements side by side: a tile of
// threads works on each row, loads 16 bytes at a time and keeps the beginning of the row in registers. Other rows are
// strided: neighbouring threads work on neighbouring rows.
#pragma once
#include <algorithm>

#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"
#include "devices/cuda/kernels/common/half.cuh"

namespace luth::cuda {

/// Vectors of 16 bytes that a thread keeps in registers.
inline constexpr int vectors_per_thread = 4;
inline constexpr int max_tile = 512;  // threads

inline int power_of_two_from(int64_t n) {
  int p = 1;
  while (p < n && p < (1 << 30)) p *= 2;
  return p;
}
/// x in another dtype, on its device; a copy only where it differs.
inline Tensor in_dtype(const Tensor& x, Dtype d) { return x.dtype() == d ? x : dense_copy(cast_to(x.detach(), d)); }

// ---- rows of neighbours --------------------------------------------------------------------------------------------

/// Neighbouring threads that work on one row together. Their number is a power of 2: up to 32, or all of the block. The
/// members are named as in cooperative groups.
struct Tile {
  int num_threads, thread_rank, meta_group_rank, meta_group_size;
  __device__ explicit Tile(int threads)
      : num_threads(threads),
        thread_rank(int(threadIdx.x) & (threads - 1)),
        meta_group_rank(int(threadIdx.x) / threads),
        meta_group_size(int(blockDim.x) / threads) {}
};

/// combine() over the threads of a tile; all threads of the block call this. combine(a, b) equals combine(b, a).
template <class T, class F>
__device__ T tile_reduce(const Tile& tile, T v, F combine, T none) {
  if (tile.num_threads > 32) return block_reduce(v, combine, none, dynamic_shared<T>());
  for (int mask = tile.num_threads / 2; mask > 0; mask /= 2) v = combine(v, shuffle_xor(v, mask));
  return v;
}

/// `rows` rows of n elements, and the launch that gives a tile of threads to each. n of 0 is a row without elements.
struct TiledRows {
  int64_t rows, n;
  int tile;  // threads
  dim3 block;
  unsigned grid;

  TiledRows(int64_t rows, int64_t n, int vector_size) : rows(rows), n(n) {
    const int64_t vectors = (n + vector_size - 1) / vector_size;
    tile = vectors <= 32 * vectors_per_thread
               ? std::min(32, power_of_two_from(vectors))
               : std::min<int>(max_tile, power_of_two_from((vectors + vectors_per_thread - 1) / vectors_per_thread));
    block = dim3(tile > 32 ? unsigned(tile) : 128);
    const int64_t tiles = block.x / unsigned(tile);
    grid = unsigned(std::min<int64_t>((rows + tiles - 1) / tiles, 1 << 20));
  }
  static constexpr size_t shared = 33 * 16;  // for tile_reduce of values of up to 16 bytes
};

template <class... P, class... A>
void start_tiled(const Tensor& on, void (*kernel)(TiledRows, P...), const TiledRows& rows, const A&... args) {
  start(on, kernel, rows.grid, rows.block, rows.shared, rows, args...);
}

/// A row of n neighbours, cut at multiples of 16 bytes into vectors, as a thread of its tile sees it. The first and the
/// last vector may lie partly outside the row.
template <class T>
struct RowVectors {
  static constexpr int size = vector_size<T>;
  Tile tile;
  int64_t n, count;
  uintptr_t address;
  int lead;  // elements of the first vector that are before the row

  __device__ RowVectors(const Tile& t, const T* row, int64_t elements)
      : tile(t), n(elements), address(reinterpret_cast<uintptr_t>(row)), lead(int(address / sizeof(T)) & (size - 1)) {
    count = n == 0 ? 0 : (lead + n + size - 1) / size;
  }
  /// The element at which a vector begins.
  __device__ int64_t first(int64_t vector) const { return vector * size - lead; }
  __device__ bool whole(int64_t first) const { return first >= 0 && first + size <= n; }
  __device__ bool contains(int64_t i) const { return i >= 0 && i < n; }
  /// Whether vectors of a row of another tensor begin at the same elements, so that whole ones can be moved at once.
  __device__ bool aligned(const T* row) const { return (reinterpret_cast<uintptr_t>(row) - address) % 16 == 0; }

  /// What the tile loads at once; the registers hold the whole row if it has no more vectors.
  __device__ int64_t step() const { return int64_t(vectors_per_thread) * tile.num_threads; }
  /// f(i) where this thread loads vectors i, i + num_threads, … together: `vectors_per_thread` of them. The tile begins
  /// at vector `from`.
  template <class F>
  __device__ void for_loads(F f, int64_t from = 0) const {
    for (int64_t i = from + tile.thread_rank; i < count; i += step()) f(i);
  }
  /// f(k, first element) for those of the vectors loaded at i that begin before the end of the row.
  template <class F>
  __device__ void for_vectors(int64_t i, F f) const {
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
      const int64_t e = first(i + k * tile.num_threads);
      if (e >= n) break;
      f(k, e);
    }
  }
};

/// f(row, vectors) for the rows of a tile. All threads of a block call f equally often, so f may have barriers; the
/// last rows may be past the end: they have no elements.
template <class T, class F>
__device__ void for_rows(const TiledRows& rows, const T* x, F f) {
  const Tile tile(rows.tile);
  const int64_t step = int64_t(gridDim.x) * tile.meta_group_size;
  for (int64_t at = int64_t(blockIdx.x) * tile.meta_group_size; at < rows.rows; at += step) {
    const int64_t row = at + tile.meta_group_rank;
    f(row, RowVectors<T>(tile, x + row * rows.n, row < rows.rows ? rows.n : 0));
  }
}

/// The same for an f without barriers: only the rows that exist.
template <class T, class F>
__device__ void for_existing_rows(const TiledRows& rows, const T* x, F f) {
  const Tile tile(rows.tile);
  const int64_t step = int64_t(gridDim.x) * tile.meta_group_size;
  for (int64_t row = int64_t(blockIdx.x) * tile.meta_group_size + tile.meta_group_rank; row < rows.rows; row += step)
    f(row, RowVectors<T>(tile, x + row * rows.n, rows.n));
}

/// The vectors of a row that a thread loads together. Elements outside the row are `none`.
template <class T>
struct ThreadVectors {
  static constexpr int size = vector_size<T>;
  AlignedVector<T, size> vector[vectors_per_thread];

  __device__ void load(const T* row, const RowVectors<T>& r, int64_t i, T none) {
    const bool aligned = r.aligned(row);
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
      const int64_t f = r.first(i + k * r.tile.num_threads);
      if (aligned && r.whole(f)) vector[k] = *reinterpret_cast<const AlignedVector<T, size>*>(row + f);
    }
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
      const int64_t f = r.first(i + k * r.tile.num_threads);
      if (aligned && r.whole(f)) continue;
#pragma unroll
      for (int j = 0; j < size; ++j) vector[k].v[j] = r.contains(f + j) ? row[f + j] : none;
    }
  }
  __device__ compute_t<T> at(int k, int j) const { return widen(vector[k].v[j]); }
};
/// f(k, j) for element j of vector k of all that a thread has loaded.
template <class T, class F>
__device__ void for_items(F f) {
#pragma unroll
  for (int k = 0; k < vectors_per_thread; ++k)
#pragma unroll
    for (int j = 0; j < vector_size<T>; ++j) f(k, j);
}

/// Stores those elements of the vector beginning at element `first` that lie in the row.
template <class T>
__device__ void store_vector(T* row, const RowVectors<T>& r, int64_t first, const compute_t<T> (&v)[vector_size<T>]) {
  if (r.aligned(row) && r.whole(first)) {
    AlignedVector<T, vector_size<T>> out;
#pragma unroll
    for (int j = 0; j < vector_size<T>; ++j) out.v[j] = narrow<T>(v[j]);
    *reinterpret_cast<AlignedVector<T, vector_size<T>>*>(row + first) = out;
  } else {
#pragma unroll
    for (int j = 0; j < vector_size<T>; ++j)
      if (r.contains(first + j)) row[first + j] = narrow<T>(v[j]);
  }
}

/// A parameter with one number for each element of a row, or for each channel: of dtype T or of the type in which T is
/// computed. Without a tensor all numbers are `constant`.
template <class T>
struct Parameter {
  using A = compute_t<T>;
  const void* data = nullptr;
  A constant = A(0);
  bool wide = false, aligned = false;

  Parameter() = default;
  /// Keeps what it must convert in `keep`, which outlives the call that starts the kernel.
  Parameter(const Tensor& t, A without, Tensor& keep) : constant(without) {
    if (!t) return;
    keep = t.dtype() == dtype_of<T> ? t : in_dtype(t, dtype_of<A>);
    data = keep.raw();
    wide = keep.dtype() == dtype_of<A>;
    aligned = reinterpret_cast<uintptr_t>(data) % 16 == 0;
  }
  __device__ A at(int64_t i) const {
    if (!data) return constant;
    return wide ? static_cast<const A*>(data)[i] : widen(static_cast<const T*>(data)[i]);
  }
  /// The numbers of a vector of a row; `first`: the element at which it begins.
  __device__ void load(const RowVectors<T>& r, int64_t first, A (&to)[vector_size<T>]) const {
    if (!data || !aligned || r.lead != 0 || !r.whole(first)) {
#pragma unroll
      for (int j = 0; j < vector_size<T>; ++j) to[j] = r.contains(first + j) ? at(first + j) : constant;
    } else if (wide) {
      constexpr int n = vector_size<A>;
#pragma unroll
      for (int j = 0; j < vector_size<T>; j += n) {
        const auto p = *reinterpret_cast<const AlignedVector<A, n>*>(static_cast<const A*>(data) + first + j);
        for (int i = 0; i < n; ++i) to[j + i] = p.v[i];
      }
    } else {
      const auto p = *reinterpret_cast<const AlignedVector<T, vector_size<T>>*>(static_cast<const T*>(data) + first);
      for (int j = 0; j < vector_size<T>; ++j) to[j] = widen(p.v[j]);
    }
  }
};

// ---- strided rows --------------------------------------------------------------------------------------------------

/// outer * inner rows whose elements are `inner` apart, and the launch: blockDim.x neighbouring rows at a time, each of
/// them shared by blockDim.y threads.
struct StridedRows {
  Axis axis;
  int64_t blocks_per_outer;
  dim3 block;
  unsigned grid;

  explicit StridedRows(const Axis& a) : axis(a) {
    int x = std::min(256, power_of_two_from(a.inner)), y = 256 / x;
    const int64_t enough = multiprocessors() * 8, most = std::min(8, power_of_two_from(a.n));
    while (y < most && x > 32 && a.outer * ((a.inner + x - 1) / x) < enough) x /= 2, y *= 2;
    block = dim3(unsigned(x), unsigned(y));
    blocks_per_outer = (a.inner + x - 1) / x;
    grid = unsigned(std::min<int64_t>(a.outer * blocks_per_outer, 1 << 20));
  }
  static constexpr size_t shared = 256 * 16;  // for column_reduce of values of up to 16 bytes
};

/// One of these rows; past the last, `exists` is false.
struct StridedRow {
  int64_t outer, column;
  bool exists;
  __device__ int64_t index(const Axis& a) const { return outer * a.inner + column; }
  /// The first element; element i lies at start + i * inner.
  __device__ int64_t start(const Axis& a) const { return outer * a.n * a.inner + column; }
};
/// f(row) for the rows of a thread. All threads of a block call f equally often, so f may have barriers.
template <class F>
__device__ void for_rows(const StridedRows& rows, F f) {
  const Axis& a = rows.axis;
  for (int64_t i = blockIdx.x; i < a.outer * rows.blocks_per_outer; i += gridDim.x) {
    const int64_t outer = i / rows.blocks_per_outer;
    const int64_t column = (i - outer * rows.blocks_per_outer) * blockDim.x + threadIdx.x;
    f(StridedRow{outer, column, column < a.inner});
  }
}

/// combine() over the threads with one threadIdx.x; all threads of the block call this, and all get the result.
/// blockDim.y is a power of 2.
template <class T, class F>
__device__ T column_reduce(T v, F combine) {
  if (blockDim.y == 1) return v;
  T* shared = dynamic_shared<T>();
  const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;
  __syncthreads();  // `shared` may still be read for a result before this one
  shared[at] = v;
  for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) shared[at] = combine(shared[at], shared[at + half * blockDim.x]);
  }
  __syncthreads();
  return shared[threadIdx.x];
}

/// Starts the one of two kernels that suits the axis; both get the same arguments.
template <class... P, class... A>
void start_along(const Tensor& on, const Axis& axis, int vector_size, void (*tiled)(TiledRows, P...),
                 void (*strided)(StridedRows, P...), const A&... args) {
  if (axis.inner == 1) {
    start_tiled(on, tiled, TiledRows(axis.outer, axis.n, vector_size), args...);
  } else {
    const StridedRows rows(axis);
    start(on, strided, rows.grid, rows.block, rows.shared, rows, args...);
  }
}

}  // namespace luth::cuda
