// batch_norm on CUDA, in either memory order: statistics and sums per channel, then one pass over the elements.
#include "core/ops/nn/norm.h"

#include "core/ops/elementwise/copy.h"
#include "devices/cuda/kernels/common/columns.cuh"

namespace luth::cuda {
namespace {

/// The memory of N x C x …: `rows` = N * C runs of `inner` neighbours, or (`last`) a matrix of `count` rows of C
/// columns. count: numbers per channel.
struct Channels {
  int64_t n, c, inner, count;
  bool last;

  explicit Channels(const Tensor& t) {
    const Shape& s = t.shape();
    n = s[0];
    c = s[1];
    count = c ? s.numel() / c : 0;
    inner = n ? count / n : 0;
    last = inner == 1 || !t.is_contiguous();
  }
};
/// `t` in the memory order of `like` (which is row-major or channels-last).
Tensor ordered(const Tensor& t, const Tensor& like) {
  if (t.is_contiguous() ? like.is_contiguous() : t.strides() == like.strides()) return t;
  Tensor out = Tensor::empty(t.shape(), t.dtype(), t.device(), &like.strides());
  copy.into(out, t.detach());
  return out;
}

// ---- sums over the runs of a channel -------------------------------------------------------------------------------

/// How the runs of channels are shared out: a block sums over `length` elements of `samples` runs of one channel, a
/// tile of threads at each run.
struct ChannelRuns {
  int64_t n, c, inner, samples, length, along, splits;  // along: blocks to a run
  int tile;                                             // threads

  ChannelRuns(const Channels& ch, int vector_size) : n(ch.n), c(ch.c), inner(ch.inner) {
    int64_t wanted = std::max<int64_t>(1, multiprocessors() * 8 / std::max<int64_t>(1, c));
    wanted = std::min(wanted, std::max<int64_t>(1, ch.count / 4096));
    samples = (n + std::min(wanted, std::max<int64_t>(1, n)) - 1) / std::min(wanted, std::max<int64_t>(1, n));
    const int64_t over = samples ? (n + samples - 1) / samples : 1;
    along = std::clamp<int64_t>(wanted / over, 1, std::max<int64_t>(1, inner / 4096));
    length = (inner + along - 1) / along;
    splits = over * along;
    tile = std::min(threads, TiledRows(1, length, vector_size).tile);
  }
  unsigned grid() const { return unsigned(c * splits); }
  __device__ int64_t channel() const { return blockIdx.x % c; }
  __device__ int64_t split() const { return blockIdx.x / c; }

  /// f(start, vectors, i) for what the thread loads together: vectors i, i + num_threads, … of the part of a run that
  /// begins at element `start`.
  template <class T, class F>
  __device__ void for_loads(const T* x, F f) const {
    const Tile me(tile);
    const int64_t split = blockIdx.x / c, channel = blockIdx.x - split * c, sample = split / along * samples;
    const int64_t begin = (split - split / along * along) * length,
                  end = begin + length < inner ? begin + length : inner;
    const int64_t last = begin >= end ? 0 : sample + samples < n ? sample + samples : n;
    for (int64_t s = sample + me.meta_group_rank; s < last; s += me.meta_group_size) {
      const int64_t start = (s * c + channel) * inner + begin;
      const RowVectors<T> r(me, x + start, end - begin);
      r.for_loads([&](int64_t i) { f(start, r, i); });
    }
  }
  /// Writes the sums over the block; `own`: those of the thread.
  template <class To>
  __device__ void put_block_sums(const To& to, const typename To::Sums& own) const {
    using Sums = typename To::Sums;
    const Sums all = block_reduce(own, Plus(), Sums(), dynamic_shared<Sums>());
    if (threadIdx.x == 0) put_sums(to, split(), c, channel(), all);
  }
};

/// Starts a kernel whose blocks write sums over the runs of channels to its last parameter.
template <class T, class To, class... P, class... A>
void sum_runs(const Tensor& on, const Channels& ch, const To& to, void (*kernel)(ChannelRuns, P...), const A&... args) {
  const ChannelRuns runs(ch, vector_size<T>);
  in_parts<compute_t<T>>(on, ch.c, runs.splits, to, [&](const To& parts) {
    start(on, kernel, runs.grid(), threads, 33 * sizeof(typename To::Sums), runs, args..., parts);
  });
}

template <class T>
__global__ void __launch_bounds__(256, 2) run_moments(ChannelRuns runs, const T* x, MomentsTo<compute_t<T>> to) {
  using A = compute_t<T>;
  Moments<A> all;
  runs.for_loads(x, [&](int64_t start, const RowVectors<T>& r, int64_t i) {
    ThreadVectors<T> p;
    p.load(x + start, r, i, T(0));
    Moments<A> m;
    int have = 0;
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
      const int64_t f = r.first(i + k * r.tile.num_threads), e = f + r.size;
      have += f >= r.n ? 0 : int((e < r.n ? e : r.n) - (f > 0 ? f : 0));
#pragma unroll
      for (int j = 0; j < r.size; ++j) m.mean += p.at(k, j);
    }
    m.count = A(have);
    m.mean /= m.count;
    for_items<T>([&](int k, int j) {
      const A d = p.at(k, j) - m.mean;
      m.square += r.contains(r.first(i + k * r.tile.num_threads) + j) ? d * d : A(0);
    });
    all.merge(m, m.count / (all.count + m.count));
  });
  runs.put_block_sums(to, all);
}

/// Sums of grad and of grad * (x - mean).
template <class T>
__global__ void __launch_bounds__(256, 2)
    run_sums(ChannelRuns runs, const T* grad, const T* x, const compute_t<T>* mean, SumsTo<compute_t<T>> to) {
  using A = compute_t<T>;
  const A m = mean[runs.channel()];
  TwoSums<A> all;
  runs.for_loads(x, [&](int64_t start, const RowVectors<T>& r, int64_t i) {
    ThreadVectors<T> g, p;
    g.load(grad + start, r, i, T(0));
    p.load(x + start, r, i, T(0));
    for_items<T>([&](int k, int j) {
      all.dot += g.at(k, j) * (p.at(k, j) - m);  // grad is 0 outside the run
      all.sum += g.at(k, j);
    });
  });
  runs.put_block_sums(to, all);
}

// ---- elements ------------------------------------------------------------------------------------------------------

/// out = (x - shift) * scale + offset + grad * slope
template <class A>
struct Line {
  A shift = A(0), scale = A(0), offset = A(0), slope = A(0);
  __device__ A at(A x, A grad) const { return (x - shift) * scale + offset + grad * slope; }
};
/// The line of each channel. Without `var`: shift, weight and offset as they are; with it, scaled by
/// s = 1 / sqrt(var + eps); with `dweight` too, the gradient in the input
/// weight s (grad - dbias / count - (x - mean) s dweight / count).
template <class T>
struct Lines {
  using A = compute_t<T>;
  Parameter<T> shift, weight, offset;
  const A *var = nullptr, *dweight = nullptr, *dbias = nullptr;
  A eps = A(0), count = A(0);

  __device__ Line<A> at(int64_t c) const {
    const A m = shift.at(c), w = weight.at(c);
    if (!var) return {m, w, offset.at(c), A(0)};
    const A s = A(1) / std::sqrt(var[c] + eps), k = w * s;
    if (!dweight) return {m, k, offset.at(c), A(0)};
    return {m, -k * s * dweight[c] / count, -k * dbias[c] / count, k};
  }
};

template <class T>
__global__ void __launch_bounds__(max_tile)
    map_runs(TiledRows runs, int64_t channels, const T* x, const T* grad, Lines<T> lines, T* y) {
  using A = compute_t<T>;
  for_existing_rows(runs, x, [&](int64_t run, const RowVectors<T>& r) {
    const Line<A> line = lines.at(run % channels);
    const int64_t start = run * runs.n;
    r.for_loads([&](int64_t i) {
      ThreadVectors<T> p, g;
      p.load(x + start, r, i, T(0));
      if (grad) g.load(grad + start, r, i, T(0));
      r.for_vectors(i, [&](int k, int64_t f) {
        A w[r.size];
#pragma unroll
        for (int j = 0; j < r.size; ++j) w[j] = line.at(p.at(k, j), grad ? g.at(k, j) : A(0));
        store_vector(y + start, r, f, w);
      });
    });
  });
}

template <class T>
__global__ void __launch_bounds__(256, 2)
    map_columns(MatrixTiles m, const T* x, const T* grad, Lines<T> lines, T* y, bool vectorized) {
  using A = compute_t<T>;
  constexpr int size = vector_size<T>;
  const ThreadColumns me(m, size);
  Line<A> line[size];
#pragma unroll
  for (int j = 0; j < size; ++j)
    if (me.column + j < me.columns) line[j] = lines.at(me.column + j);
  me.for_loads([&](int64_t r) {
    ColumnVectors<T> p, g;
    p.load(x, me, r, vectorized);
    if (grad) g.load(grad, me, r, vectorized);
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
      const int64_t row = r + k * int64_t(blockDim.y);
      if (row >= me.end || me.column >= me.columns) break;
      AlignedVector<T, size> out;
#pragma unroll
      for (int j = 0; j < size; ++j) out.v[j] = narrow<T>(line[j].at(p.at(k, j), grad ? g.at(k, j) : A(0)));
      T* to = y + row * me.columns + me.column;
      if (vectorized)
        *reinterpret_cast<AlignedVector<T, size>*>(to) = out;
      else
        for (int j = 0; j < size; ++j)
          if (me.column + j < me.columns) to[j] = out.v[j];
    }
  });
}

/// y from x and, for gradients, grad (else null), all in one memory order.
template <class T>
void map(const Channels& ch, const Tensor& x, const Tensor& grad, const Lines<T>& lines, Tensor& y) {
  const T *p = x.data<T>(), *g = grad ? grad.data<T>() : nullptr;
  T* q = y.data<T>();
  if (y.numel() == 0) return;
  if (ch.last) {
    const MatrixTiles m(ch.count, ch.c, vector_size<T>);
    start(y, map_columns<T>, m.grid, m.block, 0, m, p, g, lines, q, vectorized_columns(ch.c, sizeof(T), p, q, g));
  } else {
    const TiledRows runs(ch.n * ch.c, ch.inner, vector_size<T>);
    start(y, map_runs<T>, runs.grid, runs.block, 0, runs, ch.c, p, g, lines, q);
  }
}

// ---- operators -----------------------------------------------------------------------------------------------------

void batch_norm_train(const ops::BatchNormTrain& op, Tensor& y, Tensor& mean, Tensor& var, const Strided& input,
                      const Dense& weight, const Dense& bias) {
  const Tensor x = ordered(input, y);
  const Channels ch(y);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    const MomentsTo<A> to{nullptr, mean.data<A>(), var.data<A>()};
    if (ch.last) {
      const MatrixTiles m(ch.count, ch.c, vector_size<T>);
      in_parts<A>(y, ch.c, m.splits, to, [&](const MomentsTo<A>& parts) {
        start(y, column_moments<T>, m.grid, m.block, m.shared, m, x.data<T>(),
              vectorized_columns(ch.c, sizeof(T), x.data<T>()), parts);
      });
    } else {
      sum_runs<T>(y, ch, to, run_moments<T>, x.data<T>());
    }
    Tensor keep[3];
    Lines<T> lines{{mean, A(0), keep[0]}, {weight, A(1), keep[1]}, {bias, A(0), keep[2]}, var.data<A>()};
    lines.eps = A(op.eps);
    map(ch, x, Tensor(), lines, y);
  });
}

void channel_affine(const ops::ChannelAffine&, Tensor& y, const Strided& input, const Dense& shift, const Dense& scale,
                    const Dense& offset) {
  const Tensor x = ordered(input, y);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    Tensor keep[3];
    map(Channels(y), x, Tensor(), Lines<T>{{shift, A(0), keep[0]}, {scale, A(1), keep[1]}, {offset, A(0), keep[2]}}, y);
  });
}

void batch_norm_backward(const ops::BatchNormBackward& op, Tensor& dx, Tensor& dweight, Tensor& dbias,
                         const Strided& gradient, const Strided& input, const Dense& weight, const Dense& mean,
                         const Dense& var) {
  const Tensor x = ordered(input, dx), grad = ordered(gradient, dx);
  const Channels ch(dx);
  dispatch(Floats{}, dx.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    const Tensor means = in_dtype(mean, dtype_of<A>), vars = in_dtype(var, dtype_of<A>);
    const A* m = means.data<A>();
    const SumsTo<A> to{nullptr, dweight.data<A>(), dbias.data<A>(), vars.data<A>(), A(op.eps)};
    if (ch.last) {
      sum_columns<T, A>(ch.count, ch.c, grad, x, m, nullptr, false, to);
    } else {
      sum_runs<T>(dx, ch, to, run_sums<T>, grad.data<T>(), x.data<T>(), m);
    }
    Tensor keep[2];
    const Lines<T> lines{{means, A(0), keep[0]}, {weight, A(1), keep[1]}, {},        vars.data<A>(),
                         dweight.data<A>(),      dbias.data<A>(),         A(op.eps), A(ch.count)};
    map(ch, x, grad, lines, dx);
  });
}

void batch_norm_move(const ops::BatchNormMove& op, Tensor& y, const Value& running, const Value& now,
                     const Value& weight) {
  apply_elementwise(op, y, running, now, weight);
}

const Kernel<batch_norm_move> batch_norm_move_;
const Kernel<batch_norm_train> batch_norm_train_;
const Kernel<batch_norm_backward> batch_norm_backward_;
const Kernel<channel_affine> channel_affine_;

}  // namespace
}  // namespace luth::cuda
