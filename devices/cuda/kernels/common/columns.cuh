// Sums down the columns of a row-major matrix, and over channels: each block makes a part of a sum, and a second launch
// joins the parts in order, so that the same bits come every time.
#pragma once
#include "devices/cuda/kernels/common/rows.cuh"

namespace luth::cuda {

/// Mean and sum of squared distances from it, of `count` numbers; joined as Chan, Golub and LeVeque do ("Updating
/// formulae and a pairwise algorithm for computing sample variances", 1979).
template <class A>
struct Moments {
  A count = A(0), mean = A(0), square = A(0);

  /// `share`: o.count / (count + o.count).
  __device__ void join(const Moments& o, A share) {
    const A d = o.mean - mean;
    mean += d * share;
    square += o.square + d * d * (count * share);
    count += o.count;
  }
  __device__ Moments joined(const Moments& o) const {
    Moments m = *this;
    const A n = count + o.count;
    if (n > A(0)) m.join(o, o.count / n);
    return m;
  }
};
template <class A>
struct TwoSums {
  A dot = A(0), sum = A(0);
  __device__ TwoSums joined(const TwoSums& o) const { return {dot + o.dot, sum + o.sum}; }
};

/// Where the parts of sums per column go: parts[split][item][column], or, for a single split, the results.
template <class A>
struct MomentsTo {
  static constexpr int items = 3;
  A *parts, *mean, *var;  // var: biased

  __device__ void put(int64_t split, int64_t columns, int64_t c, const Moments<A>& m) const {
    if (!parts) return finish(c, m);
    A* to = parts + split * items * columns + c;
    to[0] = m.count, to[columns] = m.mean, to[2 * columns] = m.square;
  }
  __device__ Moments<A> part(int64_t split, int64_t columns, int64_t c) const {
    const A* from = parts + split * items * columns + c;
    return {from[0], from[columns], from[2 * columns]};
  }
  __device__ void finish(int64_t c, const Moments<A>& m) const {
    mean[c] = m.mean;
    var[c] = m.square / m.count;
  }
};
template <class A>
struct SumsTo {
  static constexpr int items = 2;
  A *parts, *dot, *sum;
  const A* variance;  // null, or dot is divided by sqrt(variance + eps)
  A eps;

  __device__ void put(int64_t split, int64_t columns, int64_t c, const TwoSums<A>& s) const {
    if (!parts) return finish(c, s);
    A* to = parts + split * items * columns + c;
    to[0] = s.dot, to[columns] = s.sum;
  }
  __device__ TwoSums<A> part(int64_t split, int64_t columns, int64_t c) const {
    const A* from = parts + split * items * columns + c;
    return {from[0], from[columns]};
  }
  __device__ void finish(int64_t c, const TwoSums<A>& s) const {
    dot[c] = variance ? s.dot / std::sqrt(variance[c] + eps) : s.dot;
    sum[c] = s.sum;
  }
};

template <class To>
__global__ void join_parts(int64_t columns, int64_t splits, To to) {
  const int64_t c = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  decltype(to.part(0, 0, 0)) all;
  if (c < columns)
    for (int64_t i = threadIdx.y; i < splits; i += blockDim.y) all = all.joined(to.part(i, columns, c));
  all = column_reduce(all, [](const auto& a, const auto& b) { return a.joined(b); });
  if (c < columns && threadIdx.y == 0) to.finish(c, all);
}

/// Calls launch(to), which starts a kernel that makes `splits` parts of `columns` sums, and joins them. `on`: a tensor
/// of the device, and of dtype A.
template <class A, class To, class F>
void in_parts(const Tensor& on, int64_t columns, int64_t splits, To to, F launch) {
  Tensor parts;
  if (splits > 1) {
    parts = Tensor::empty(Shape{splits * To::items * columns}, dtype_of<A>, on.device());
    to.parts = parts.data<A>();
  }
  launch(to);
  if (splits > 1)
    start(on, join_parts<To>, unsigned((columns + 31) / 32), dim3(32, 8), 256 * 3 * sizeof(A), columns, splits, to);
}

// ---- a matrix of rows x columns ------------------------------------------------------------------------------------

/// How a matrix is shared out: a thread has `per` neighbouring columns, blockDim.y threads take turns at the rows of a
/// chunk.
struct ColumnTiles {
  dim3 block;
  int64_t tiles, chunk, splits;
  unsigned grid;

  ColumnTiles(int64_t rows, int64_t columns, int per) {
    const int x = std::min(32, power_of_two_from((columns + per - 1) / per)), y = 256 / x;
    block = dim3(unsigned(x), unsigned(y));
    tiles = (columns + x * per - 1) / (x * per);
    const int64_t wanted = std::max<int64_t>(1, multiprocessors() * 8 / std::max<int64_t>(1, tiles));
    const int64_t most = std::max<int64_t>(1, rows / (int64_t(held) * y));
    chunk = std::max<int64_t>(1, (rows + std::min(wanted, most) - 1) / std::min(wanted, most));
    splits = std::max<int64_t>(1, (rows + chunk - 1) / chunk);
    grid = unsigned(tiles * splits);
  }
  static constexpr size_t shared = 256 * 24;  // for column_reduce
};

/// The calling thread's columns and rows.
struct ColumnThread {
  int64_t column, split, begin, end;  // rows [begin, end), by blockDim.y from begin + threadIdx.y
  __device__ ColumnThread(int64_t rows, int64_t tiles, int64_t chunk, int per) {
    split = blockIdx.x / tiles;
    column = ((blockIdx.x - split * tiles) * blockDim.x + threadIdx.x) * per;
    begin = split * chunk + threadIdx.y;
    end = split * chunk + chunk < rows ? split * chunk + chunk : rows;
  }
};

/// `held` rows of a thread's columns, loaded together; what lies outside the matrix is 0. `packed`: the columns are a
/// whole number of packs, on 16-byte boundaries.
template <class T>
struct HeldRows {
  static constexpr int per = per_pack<T>;
  Pack<T, per> raw[held];

  __device__ void load(const T* x, int64_t columns, int64_t column, int64_t row, int64_t end, bool packed) {
#pragma unroll
    for (int k = 0; k < held; ++k) {
      const int64_t r = row + k * int64_t(blockDim.y);
      if (packed && r < end && column < columns)
        raw[k] = *reinterpret_cast<const Pack<T, per>*>(x + r * columns + column);
    }
#pragma unroll
    for (int k = 0; k < held; ++k) {
      const int64_t r = row + k * int64_t(blockDim.y);
      if (packed && r < end && column < columns) continue;
#pragma unroll
      for (int j = 0; j < per; ++j) raw[k].v[j] = r < end && column + j < columns ? x[r * columns + column + j] : T(0);
    }
  }
  __device__ compute_t<T> at(int k, int j) const { return widen(raw[k].v[j]); }
};
/// Whether `columns` columns of elements of `size` bytes at these addresses go in packs.
template <class... P>
bool packed_columns(int64_t columns, size_t size, const P*... p) {
  return columns * int64_t(size) % 16 == 0 && ((reinterpret_cast<uintptr_t>(p) % 16 == 0) && ...);
}

template <class T>
__global__ void __launch_bounds__(256, 2) column_moments(int64_t rows, int64_t columns, int64_t tiles, int64_t chunk,
                                                         const T* x, bool packed, MomentsTo<compute_t<T>> to) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const ColumnThread me(rows, tiles, chunk, per);
  Moments<A> all[per];  // their counts are equal
  for (int64_t r = me.begin; r < me.end; r += held * int64_t(blockDim.y)) {
    HeldRows<T> loaded;
    loaded.load(x, columns, me.column, r, me.end, packed);
    int have = 0;
#pragma unroll
    for (int k = 0; k < held; ++k) have += r + k * int64_t(blockDim.y) < me.end;
    const A by = A(1) / A(have), share = A(have) / (all[0].count + A(have));
#pragma unroll
    for (int j = 0; j < per; ++j) {
      Moments<A> m{A(have)};
#pragma unroll
      for (int k = 0; k < held; ++k) m.mean += loaded.at(k, j);
      m.mean *= by;
#pragma unroll
      for (int k = 0; k < held; ++k) {
        const A d = loaded.at(k, j) - m.mean;
        m.square += k < have ? d * d : A(0);
      }
      all[j].join(m, share);
    }
  }
#pragma unroll
  for (int j = 0; j < per; ++j) {
    const Moments<A> m = column_reduce(all[j], [](const auto& a, const auto& b) { return a.joined(b); });
    if (threadIdx.y == 0 && me.column + j < columns) to.put(me.split, columns, me.column + j, m);
  }
}

/// Sums of grad and of grad * (x - mean) * scale; mean and scale are per row, or (not `by_row`) mean is per column and
/// there is no scale.
template <class T>
__global__ void __launch_bounds__(256, 2)
    column_sums(int64_t rows, int64_t columns, int64_t tiles, int64_t chunk, const T* grad, const T* x,
                const compute_t<T>* mean, const compute_t<T>* scale, bool by_row, bool packed,
                SumsTo<compute_t<T>> to) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const ColumnThread me(rows, tiles, chunk, per);
  TwoSums<A> all[per];
  A centre[per];
#pragma unroll
  for (int j = 0; j < per; ++j) centre[j] = me.column + j < columns && !by_row ? mean[me.column + j] : A(0);
  for (int64_t r = me.begin; r < me.end; r += held * int64_t(blockDim.y)) {
    HeldRows<T> g, p;
    g.load(grad, columns, me.column, r, me.end, packed);
    p.load(x, columns, me.column, r, me.end, packed);
#pragma unroll
    for (int k = 0; k < held; ++k) {
      const int64_t row = r + k * int64_t(blockDim.y);
      const bool here = by_row && row < me.end;
      const A m = here ? mean[row] : A(0), s = here ? scale[row] : A(1);
#pragma unroll
      for (int j = 0; j < per; ++j) {
        all[j].dot += g.at(k, j) * ((p.at(k, j) - (by_row ? m : centre[j])) * s);
        all[j].sum += g.at(k, j);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < per; ++j) {
    const TwoSums<A> s = column_reduce(all[j], [](const auto& a, const auto& b) { return a.joined(b); });
    if (threadIdx.y == 0 && me.column + j < columns) to.put(me.split, columns, me.column + j, s);
  }
}

/// The sums of column_sums into dot and sum; without `by_row`, `scale` is not read.
template <class T, class A>
void sum_columns(int64_t rows, int64_t columns, const Tensor& grad, const Tensor& x, const A* mean, const A* scale,
                 bool by_row, const SumsTo<A>& to) {
  const ColumnTiles t(rows, columns, per_pack<T>);
  const T *g = grad.data<T>(), *p = x.data<T>();
  in_parts<A>(x, columns, t.splits, to, [&](const SumsTo<A>& parts) {
    start(x, column_sums<T>, t.grid, t.block, t.shared, rows, columns, t.tiles, t.chunk, g, p, mean, scale, by_row,
          packed_columns(columns, sizeof(T), g, p), parts);
  });
}

}  // namespace luth::cuda
