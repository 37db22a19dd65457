// Sums down the columns of a row-major matrix, and over channels. Each block makes a partial sum, and a second launch
// adds the partial sums in order, so that the same bits come every time.
#pragma once
#include "devices/cuda/kernels/common/rows.cuh"

namespace luth::cuda {

/// Count, mean and sum of squared distances from the mean. a + b are those of both sets of numbers, by Chan, Golub and
/// LeVeque ("Updating formulae and a pairwise algorithm for computing sample variances", 1979).
template <class A>
struct Moments {
  static constexpr int items = 3;
  A count = A(0), mean = A(0), square = A(0);

  /// `share`: o.count / (count + o.count).
  __device__ void merge(const Moments& o, A share) {
    const A d = o.mean - mean;
    mean += d * share;
    square += o.square + d * d * (count * share);
    count += o.count;
  }
  __device__ Moments operator+(const Moments& o) const {
    Moments m = *this;
    const A n = count + o.count;
    if (n > A(0)) m.merge(o, o.count / n);
    return m;
  }
  __device__ void store(A* to, int64_t stride) const { to[0] = count, to[stride] = mean, to[2 * stride] = square; }
  __device__ static Moments load(const A* from, int64_t stride) { return {from[0], from[stride], from[2 * stride]}; }
};
template <class A>
struct TwoSums {
  static constexpr int items = 2;
  A dot = A(0), sum = A(0);
  __device__ TwoSums operator+(const TwoSums& o) const { return {dot + o.dot, sum + o.sum}; }
  __device__ void store(A* to, int64_t stride) const { to[0] = dot, to[stride] = sum; }
  __device__ static TwoSums load(const A* from, int64_t stride) { return {from[0], from[stride]}; }
};

// Where sums per column go: parts[split][item][column], or, of a single split (`parts` is null), to the results.
template <class A>
struct MomentsTo {
  using Sums = Moments<A>;
  A *parts, *mean, *var;  // var: biased
  __device__ void finish(int64_t c, const Sums& m) const {
    mean[c] = m.mean;
    var[c] = m.square / m.count;
  }
};
template <class A>
struct SumsTo {
  using Sums = TwoSums<A>;
  A *parts, *dot, *sum;
  const A* variance;  // null, or dot is divided by sqrt(variance + eps)
  A eps;
  __device__ void finish(int64_t c, const Sums& s) const {
    dot[c] = variance ? s.dot / std::sqrt(variance[c] + eps) : s.dot;
    sum[c] = s.sum;
  }
};
/// Writes the sums of column c over one split of the rows.
template <class To>
__device__ void put_sums(const To& to, int64_t split, int64_t columns, int64_t c, const typename To::Sums& s) {
  if (to.parts)
    s.store(to.parts + split * s.items * columns + c, columns);
  else
    to.finish(c, s);
}

template <class To>
__global__ void add_parts(int64_t columns, int64_t splits, To to) {
  using Sums = typename To::Sums;
  const int64_t c = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  Sums all;
  if (c < columns)
    for (int64_t i = threadIdx.y; i < splits; i += blockDim.y)
      all = all + Sums::load(to.parts + i * Sums::items * columns + c, columns);
  all = column_reduce(all, Plus());
  if (c < columns && threadIdx.y == 0) to.finish(c, all);
}

/// Calls launch(to), which starts a kernel that makes `splits` partial sums of each of `columns` columns, and adds
/// them. `on`: a tensor of the device, and of dtype A.
template <class A, class To, class F>
void in_parts(const Tensor& on, int64_t columns, int64_t splits, To to, F launch) {
  Tensor parts;
  if (splits > 1) {
    parts = Tensor::empty(Shape{splits * To::Sums::items * columns}, dtype_of<A>, on.device());
    to.parts = parts.data<A>();
  }
  launch(to);
  if (splits > 1)
    start(on, add_parts<To>, unsigned((columns + 31) / 32), dim3(32, 8), 256 * 3 * sizeof(A), columns, splits, to);
}

// ---- a matrix of rows x columns ------------------------------------------------------------------------------------

/// A matrix, and how it is shared out: a thread has a vector of neighbouring columns, blockDim.y threads take turns at
/// the rows of a chunk.
struct MatrixTiles {
  int64_t rows, columns, tiles, chunk, splits;  // tiles: in a row; chunk: rows of a split
  dim3 block;
  unsigned grid;

  MatrixTiles(int64_t rows, int64_t columns, int vector_size) : rows(rows), columns(columns) {
    const int x = std::min(32, power_of_two_from((columns + vector_size - 1) / vector_size)), y = 256 / x;
    block = dim3(unsigned(x), unsigned(y));
    tiles = (columns + x * vector_size - 1) / (x * vector_size);
    const int64_t wanted = std::max<int64_t>(1, multiprocessors() * 8 / std::max<int64_t>(1, tiles));
    const int64_t most = std::max<int64_t>(1, rows / (int64_t(vectors_per_thread) * y));
    chunk = std::max<int64_t>(1, (rows + std::min(wanted, most) - 1) / std::min(wanted, most));
    splits = std::max<int64_t>(1, (rows + chunk - 1) / chunk);
    grid = unsigned(tiles * splits);
  }
  static constexpr size_t shared = 256 * 24;  // for column_reduce
};

/// The calling thread's columns and rows.
struct ThreadColumns {
  int64_t columns, column, split, begin, end;  // rows begin, begin + blockDim.y, … below end
  __device__ ThreadColumns(const MatrixTiles& m, int vector_size) : columns(m.columns) {
    split = blockIdx.x / m.tiles;
    column = ((blockIdx.x - split * m.tiles) * blockDim.x + threadIdx.x) * vector_size;
    begin = split * m.chunk + threadIdx.y;
    end = split * m.chunk + m.chunk < m.rows ? split * m.chunk + m.chunk : m.rows;
  }
  /// f(row) where the thread loads rows row, row + blockDim.y, … together: `vectors_per_thread` of them.
  template <class F>
  __device__ void for_loads(F f) const {
    for (int64_t row = begin; row < end; row += vectors_per_thread * int64_t(blockDim.y)) f(row);
  }
};

/// The vectors of a thread's columns in several rows, loaded together. Elements outside the matrix are 0.
/// `vectorized`: a row is a whole number of vectors, on 16-byte boundaries.
template <class T>
struct ColumnVectors {
  static constexpr int size = vector_size<T>;
  AlignedVector<T, size> vector[vectors_per_thread];

  __device__ void load(const T* x, const ThreadColumns& me, int64_t row, bool vectorized) {
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
      const int64_t r = row + k * int64_t(blockDim.y);
      if (vectorized && r < me.end && me.column < me.columns)
        vector[k] = *reinterpret_cast<const AlignedVector<T, size>*>(x + r * me.columns + me.column);
    }
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
      const int64_t r = row + k * int64_t(blockDim.y);
      if (vectorized && r < me.end && me.column < me.columns) continue;
#pragma unroll
      for (int j = 0; j < size; ++j)
        vector[k].v[j] = r < me.end && me.column + j < me.columns ? x[r * me.columns + me.column + j] : T(0);
    }
  }
  __device__ compute_t<T> at(int k, int j) const { return widen(vector[k].v[j]); }
};
/// Whether rows of `columns` elements of `size` bytes at these addresses are whole numbers of aligned vectors.
template <class... P>
bool vectorized_columns(int64_t columns, size_t size, const P*... p) {
  return columns * int64_t(size) % 16 == 0 && ((reinterpret_cast<uintptr_t>(p) % 16 == 0) && ...);
}

/// Writes the sums of the block's rows; `own`: those of the thread's rows, for each of its columns.
template <class To, int n>
__device__ void put_column_sums(const To& to, const ThreadColumns& me, const typename To::Sums (&own)[n]) {
#pragma unroll
  for (int j = 0; j < n; ++j) {
    const auto all = column_reduce(own[j], Plus());
    if (threadIdx.y == 0 && me.column + j < me.columns) put_sums(to, me.split, me.columns, me.column + j, all);
  }
}

template <class T>
__global__ void __launch_bounds__(256, 2)
    column_moments(MatrixTiles m, const T* x, bool vectorized, MomentsTo<compute_t<T>> to) {
  using A = compute_t<T>;
  constexpr int size = vector_size<T>;
  const ThreadColumns me(m, size);
  Moments<A> all[size];  // their counts are equal
  me.for_loads([&](int64_t row) {
    ColumnVectors<T> loaded;
    loaded.load(x, me, row, vectorized);
    int have = 0;
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) have += row + k * int64_t(blockDim.y) < me.end;
    const A by = A(1) / A(have), share = A(have) / (all[0].count + A(have));
#pragma unroll
    for (int j = 0; j < size; ++j) {
      Moments<A> m{A(have)};
#pragma unroll
      for (int k = 0; k < vectors_per_thread; ++k) m.mean += loaded.at(k, j);
      m.mean *= by;
#pragma unroll
      for (int k = 0; k < vectors_per_thread; ++k) {
        const A d = loaded.at(k, j) - m.mean;
        m.square += k < have ? d * d : A(0);
      }
      all[j].merge(m, share);
    }
  });
  put_column_sums(to, me, all);
}

/// Sums of grad and of grad * (x - mean) * scale; mean and scale are per row, or (not `by_row`) mean is per column and
/// there is no scale.
template <class T>
__global__ void __launch_bounds__(256, 2)
    column_sums(MatrixTiles m, const T* grad, const T* x, const compute_t<T>* mean, const compute_t<T>* scale,
                bool by_row, bool vectorized, SumsTo<compute_t<T>> to) {
  using A = compute_t<T>;
  constexpr int size = vector_size<T>;
  const ThreadColumns me(m, size);
  TwoSums<A> all[size];
  A centre[size];
#pragma unroll
  for (int j = 0; j < size; ++j) centre[j] = me.column + j < me.columns && !by_row ? mean[me.column + j] : A(0);
  me.for_loads([&](int64_t r) {
    ColumnVectors<T> g, p;
    g.load(grad, me, r, vectorized);
    p.load(x, me, r, vectorized);
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
      const int64_t row = r + k * int64_t(blockDim.y);
      const bool here = by_row && row < me.end;
      const A m = here ? mean[row] : A(0), s = here ? scale[row] : A(1);
#pragma unroll
      for (int j = 0; j < size; ++j) {
        all[j].dot += g.at(k, j) * ((p.at(k, j) - (by_row ? m : centre[j])) * s);
        all[j].sum += g.at(k, j);
      }
    }
  });
  put_column_sums(to, me, all);
}

/// The sums of column_sums into dot and sum; without `by_row`, `scale` is not read.
template <class T, class A>
void sum_columns(int64_t rows, int64_t columns, const Tensor& grad, const Tensor& x, const A* mean, const A* scale,
                 bool by_row, const SumsTo<A>& to) {
  const MatrixTiles m(rows, columns, vector_size<T>);
  const T *g = grad.data<T>(), *p = x.data<T>();
  in_parts<A>(x, columns, m.splits, to, [&](const SumsTo<A>& parts) {
    start(x, column_sums<T>, m.grid, m.block, m.shared, m, g, p, mean, scale, by_row,
          vectorized_columns(columns, sizeof(T), g, p), parts);
  });
}

}  // namespace luth::cuda
