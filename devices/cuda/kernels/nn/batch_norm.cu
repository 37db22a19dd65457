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

/// How the runs of channels are shared out: a block sums over `length` elements of `samples` runs of one channel,
/// `size` threads at each run.
struct RunShare {
  int64_t n, c, inner, samples, length, along, splits;  // along: blocks to a run
  int size;

  RunShare(const Channels& ch, int per) : n(ch.n), c(ch.c), inner(ch.inner) {
    int64_t wanted = std::max<int64_t>(1, multiprocessors() * 8 / std::max<int64_t>(1, c));
    wanted = std::min(wanted, std::max<int64_t>(1, ch.count / 4096));
    samples = (n + std::min(wanted, std::max<int64_t>(1, n)) - 1) / std::min(wanted, std::max<int64_t>(1, n));
    const int64_t over = samples ? (n + samples - 1) / samples : 1;
    along = std::clamp<int64_t>(wanted / over, 1, std::max<int64_t>(1, inner / 4096));
    length = (inner + along - 1) / along;
    splits = over * along;
    size = std::min(threads, RowShare(1, length, per).size);
  }
  unsigned grid() const { return unsigned(c * splits); }

  /// Calls f(where a part of a run begins, its elements) for those of the calling thread's group.
  template <class F>
  __device__ void each(const RowThread& me, F f) const {
    const int64_t split = blockIdx.x / c, channel = blockIdx.x - split * c, sample = split / along * samples;
    const int64_t begin = (split - split / along * along) * length,
                  end = begin + length < inner ? begin + length : inner;
    const int64_t last = sample + samples < n ? sample + samples : n;
    for (int64_t s = sample + me.slot; s < last; s += me.groups)
      if (begin < end) f((s * c + channel) * inner + begin, end - begin);
  }
};

template <class T>
__global__ void __launch_bounds__(256, 2) run_moments(RunShare share, const T* x, MomentsTo<compute_t<T>> to) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const RowThread me(share.size);
  Moments<A> all;
  share.each(me, [&](int64_t start, int64_t n) {
    const RowPacks<T> r(x + start, n);
    for (int64_t i = me.rank; i < r.count; i += int64_t(held) * me.size) {
      Held<T> p;
      p.load(x + start, r, i, me.size, true, T(0));
      Moments<A> m;
      int have = 0;
#pragma unroll
      for (int k = 0; k < held; ++k) {
        const int64_t f = r.first(i + k * me.size), e = f + per;
        have += f >= n ? 0 : int((e < n ? e : n) - (f > 0 ? f : 0));
#pragma unroll
        for (int j = 0; j < per; ++j) m.mean += p.at(k, j);
      }
      m.count = A(have);
      m.mean /= m.count;
#pragma unroll
      for (int k = 0; k < held; ++k)
#pragma unroll
        for (int j = 0; j < per; ++j) {
          const A d = p.at(k, j) - m.mean;
          m.square += r.holds(r.first(i + k * me.size) + j) ? d * d : A(0);
        }
      all.join(m, m.count / (all.count + m.count));
    }
  });
  all = block_reduce(
      all, [](const auto& a, const auto& b) { return a.joined(b); }, Moments<A>(), dynamic_shared<Moments<A>>());
  if (threadIdx.x == 0) to.put(blockIdx.x / share.c, share.c, blockIdx.x % share.c, all);
}

/// Sums of grad and of grad * (x - mean).
template <class T>
__global__ void __launch_bounds__(256, 2) run_sums(RunShare share, const T* grad, const T* x, const compute_t<T>* mean,
                                                   bool aligned, SumsTo<compute_t<T>> to) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const RowThread me(share.size);
  const A m = mean[blockIdx.x % share.c];
  TwoSums<A> all;
  share.each(me, [&](int64_t start, int64_t n) {
    const RowPacks<T> r(x + start, n);
    for (int64_t i = me.rank; i < r.count; i += int64_t(held) * me.size) {
      Held<T> g, p;
      g.load(grad + start, r, i, me.size, aligned, T(0));
      p.load(x + start, r, i, me.size, true, T(0));
#pragma unroll
      for (int k = 0; k < held; ++k)
#pragma unroll
        for (int j = 0; j < per; ++j) {
          all.dot += g.at(k, j) * (p.at(k, j) - m);  // grad is 0 outside the run
          all.sum += g.at(k, j);
        }
    }
  });
  all = block_reduce(
      all, [](const auto& a, const auto& b) { return a.joined(b); }, TwoSums<A>(), dynamic_shared<TwoSums<A>>());
  if (threadIdx.x == 0) to.put(blockIdx.x / share.c, share.c, blockIdx.x % share.c, all);
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
  Numbers<T> shift, weight, offset;
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
__global__ void __launch_bounds__(most_row_threads)
    map_runs(int64_t rows, int64_t channels, int64_t n, int size, const T* x, const T* grad, Lines<T> lines, T* y,
             bool aligned_grad, bool aligned_y) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const RowThread me(size);
  for (int64_t row = me.first() + me.slot; row < rows; row += me.step()) {
    const Line<A> line = lines.at(row % channels);
    const int64_t start = row * n;
    const RowPacks<T> r(x + start, n);
    for (int64_t i = me.rank; i < r.count; i += int64_t(held) * size) {
      Held<T> p, g;
      p.load(x + start, r, i, size, true, T(0));
      if (grad) g.load(grad + start, r, i, size, aligned_grad, T(0));
#pragma unroll
      for (int k = 0; k < held; ++k) {
        const int64_t f = r.first(i + k * size);
        if (f >= n) break;
        A w[per];
#pragma unroll
        for (int j = 0; j < per; ++j) w[j] = line.at(p.at(k, j), grad ? g.at(k, j) : A(0));
        store_pack(y + start, r, f, aligned_y, w);
      }
    }
  }
}

template <class T>
__global__ void __launch_bounds__(256, 2) map_columns(int64_t rows, int64_t columns, int64_t tiles, int64_t chunk,
                                                      const T* x, const T* grad, Lines<T> lines, T* y, bool packed) {
  using A = compute_t<T>;
  constexpr int per = per_pack<T>;
  const ColumnThread me(rows, tiles, chunk, per);
  Line<A> line[per];
#pragma unroll
  for (int j = 0; j < per; ++j)
    if (me.column + j < columns) line[j] = lines.at(me.column + j);
  for (int64_t r = me.begin; r < me.end; r += held * int64_t(blockDim.y)) {
    HeldRows<T> p, g;
    p.load(x, columns, me.column, r, me.end, packed);
    if (grad) g.load(grad, columns, me.column, r, me.end, packed);
#pragma unroll
    for (int k = 0; k < held; ++k) {
      const int64_t row = r + k * int64_t(blockDim.y);
      if (row >= me.end || me.column >= columns) break;
      Pack<T, per> out;
#pragma unroll
      for (int j = 0; j < per; ++j) out.v[j] = narrow<T>(line[j].at(p.at(k, j), grad ? g.at(k, j) : A(0)));
      T* to = y + row * columns + me.column;
      if (packed)
        *reinterpret_cast<Pack<T, per>*>(to) = out;
      else
        for (int j = 0; j < per; ++j)
          if (me.column + j < columns) to[j] = out.v[j];
    }
  }
}

/// y from x and, for gradients, grad (else null), all in one memory order.
template <class T>
void map(const Channels& ch, const Tensor& x, const Tensor& grad, const Lines<T>& lines, Tensor& y) {
  const T *p = x.data<T>(), *g = grad ? grad.data<T>() : nullptr;
  T* q = y.data<T>();
  if (y.numel() == 0) return;
  if (ch.last) {
    const ColumnTiles t(ch.count, ch.c, per_pack<T>);
    start(y, map_columns<T>, t.grid, t.block, 0, ch.count, ch.c, t.tiles, t.chunk, p, g, lines, q,
          packed_columns(ch.c, sizeof(T), p, q, g));
  } else {
    const RowShare share(ch.n * ch.c, ch.inner, per_pack<T>);
    start(y, map_runs<T>, share.grid, unsigned(share.block), 0, ch.n * ch.c, ch.c, ch.inner, share.size, p, g, lines, q,
          same_phase(p, g), same_phase(p, q));
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
      const ColumnTiles t(ch.count, ch.c, per_pack<T>);
      in_parts<A>(y, ch.c, t.splits, to, [&](const MomentsTo<A>& parts) {
        start(y, column_moments<T>, t.grid, t.block, t.shared, ch.count, ch.c, t.tiles, t.chunk, x.data<T>(),
              packed_columns(ch.c, sizeof(T), x.data<T>()), parts);
      });
    } else {
      const RunShare share(ch, per_pack<T>);
      in_parts<A>(y, ch.c, share.splits, to, [&](const MomentsTo<A>& parts) {
        start(y, run_moments<T>, share.grid(), threads, 33 * sizeof(Moments<A>), share, x.data<T>(), parts);
      });
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
      const RunShare share(ch, per_pack<T>);
      const T *g = grad.data<T>(), *p = x.data<T>();
      in_parts<A>(dx, ch.c, share.splits, to, [&](const SumsTo<A>& parts) {
        start(dx, run_sums<T>, share.grid(), threads, 33 * sizeof(TwoSums<A>), share, g, p, m, same_phase(p, g), parts);
      });
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
