// Classification losses on CUDA: logits to losses in one pass, and back from the logarithms of the sums of
// exponentials; probabilities are never stored.
#include "core/ops/nn/loss.h"

#include "core/ops/common/positions.h"
#include "devices/cuda/kernels/common/exponentials.cuh"
#include "devices/cuda/kernels/common/labels.cuh"

namespace luth::cuda {
namespace {

/// Sums over a row of logits. For smoothing: the sums of the weights and of weight * (x - from).
template <class A>
struct RowSums {
  Exponentials<A> logits = Exponentials<A>::none();
  A weights = A(0), distances = A(0);

  __device__ void smooth(A weight, A x, A from) {
    weights += weight;
    distances += weight * (x - from);
  }
};

/// The results per row. `scale` gets each row's share of the loss; the mean divides it later.
template <class T>
struct LossTo {
  using A = compute_t<T>;
  double* total;
  A *scale, *each;  // each: in full precision, for sum and mean
  T* loss;          // null unless each row's is wanted

  /// Makes `full` for `each`, unless the losses of the rows are the result.
  LossTo(std::string_view reduction, const Tensor& row_total, const Tensor& row_scale, const Tensor& row_loss,
         Tensor& full)
      : total(row_total ? row_total.data<double>() : nullptr),
        scale(row_scale.data<A>()),
        each(nullptr),
        loss(nullptr) {
    if (reduction == "none") {
      loss = row_loss.data<T>();
    } else {
      full = Tensor::empty(row_scale.shape(), row_scale.dtype(), row_scale.device());
      each = full.data<A>();
    }
  }
  __device__ void put(int64_t row, const RowSums<A>& sums, const Shares<T>& s, int64_t label, A logit, A from) const {
    const A log_sum = std::log(sums.logits.sum + (sums.logits.top - sums.logits.top)), top = anchor(sums.logits.top);
    total[row] = double(top) + double(log_sum);
    A l = 0, share = 0;
    if (label >= 0) {
      const A w = s.weights.at(label);
      l = s.own * w * ((top - logit) + log_sum);
      share = s.own * w;
      if (s.smooth()) {
        l += s.spread * (sums.weights * ((top - from) + log_sum) - sums.distances);
        share += s.spread * sums.weights;
      }
    }
    scale[row] = share;
    if (loss)
      loss[row] = narrow<T>(l);
    else
      each[row] = l;
  }
};

template <class A>
__device__ A finite_or_zero(A x) {
  return std::isfinite(x) ? x : A(0);
}

template <class T>
__global__ void __launch_bounds__(max_tile)
    cross_entropy_rows(TiledRows rows, const T* x, Labels labels, Shares<T> s, LossTo<T> to) {
  using A = compute_t<T>;
  constexpr A lowest = -std::numeric_limits<A>::infinity();
  for_rows(rows, x, [&](int64_t row, const RowVectors<T>& r) {
    const T* p = x + row * rows.n;
    const bool writes = r.tile.thread_rank == 0 && row < rows.rows;
    const int64_t label = writes ? labels.at(row) : -1;
    const A from = s.smooth() && r.n > 0 ? finite_or_zero(widen(p[0])) : A(0);
    RowSums<A> sums;
    r.for_loads([&](int64_t i) {
      ThreadVectors<T> loaded;
      loaded.load(p, r, i, T(lowest));
#pragma unroll
      for (int k = 0; k < vectors_per_thread; ++k) {
        A w[r.size];
#pragma unroll
        for (int j = 0; j < r.size; ++j) w[j] = loaded.at(k, j);
        sums.logits.add(w);
        if (!s.smooth()) continue;
        const int64_t f = r.first(i + k * r.tile.num_threads);
#pragma unroll 1
        for (int j = 0; j < r.size; ++j)
          if (r.contains(f + j)) sums.smooth(s.weights.at(f + j), widen(p[f + j]), from);
      }
    });
    const A top = tile_reduce(r.tile, sums.logits.top, Maximum(), lowest);
    sums.logits = {top, tile_reduce(r.tile, sums.logits.relative_to(top), Plus(), A(0))};
    if (s.smooth()) {
      sums.weights = tile_reduce(r.tile, sums.weights, Plus(), A(0));
      sums.distances = tile_reduce(r.tile, sums.distances, Plus(), A(0));
    }
    if (writes) to.put(row, sums, s, label, label < 0 ? A(0) : widen(p[label]), from);
  });
}

template <class T>
__global__ void cross_entropy_strided(StridedRows rows, const T* x, Labels labels, Shares<T> s, LossTo<T> to) {
  using A = compute_t<T>;
  const Axis& a = rows.axis;
  for_rows(rows, [&](const StridedRow& row) {
    const int64_t start = row.start(a);
    const A from = row.exists && s.smooth() && a.n > 0 ? finite_or_zero(widen(x[start])) : A(0);
    RowSums<A> sums;
    if (row.exists)
      sums.logits.add_strided(x, start, a, [&](int64_t i, A v) {
        if (s.smooth()) sums.smooth(s.weights.at(i), v, from);
      });
    sums.logits = column_reduce(sums.logits, Plus());
    if (s.smooth()) {
      sums.weights = column_reduce(sums.weights, Plus());
      sums.distances = column_reduce(sums.distances, Plus());
    }
    if (!row.exists || threadIdx.y != 0) return;
    const int64_t label = labels.at(row.index(a));
    to.put(row.index(a), sums, s, label, label < 0 ? A(0) : widen(x[start + label * a.inner]), from);
  });
}

// ---- sums over the labels ------------------------------------------------------------------------------------------

struct LossAndNorm {
  double loss, norm;
  __device__ LossAndNorm operator+(const LossAndNorm& o) const { return {loss + o.loss, norm + o.norm}; }
};
inline constexpr int label_threads = 512;
inline constexpr int64_t labels_per_block = 8192;

/// Of labels [begin, end), by a block; norm: the sum of their weights, for the mean.
template <class T>
__device__ LossAndNorm sum_labels(int64_t begin, int64_t end, const compute_t<T>* each, const Labels& labels,
                                  const Parameter<T>& weights, bool mean) {
  LossAndNorm s{0, 0};
  for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    s.loss += double(each[i]);
    if (!mean) continue;
    const int64_t k = labels.at(i);
    if (k >= 0) s.norm += double(weights.at(k));
  }
  return block_reduce(s, Plus(), LossAndNorm{0, 0}, dynamic_shared<LossAndNorm>());
}
template <class T>
__global__ void __launch_bounds__(label_threads)
    label_sums(int64_t n, const compute_t<T>* each, Labels labels, Parameter<T> weights, bool mean, double* parts) {
  const int64_t begin = blockIdx.x * labels_per_block, end = begin + labels_per_block;
  const LossAndNorm s = sum_labels<T>(begin, end < n ? end : n, each, labels, weights, mean);
  if (threadIdx.x == 0) parts[2 * blockIdx.x] = s.loss, parts[2 * blockIdx.x + 1] = s.norm;
}
/// The loss, and each label's share divided by the norm. Without `parts` one block sums by itself.
template <class T>
__global__ void __launch_bounds__(label_threads)
    finish_labels(int64_t n, const compute_t<T>* each, Labels labels, Parameter<T> weights, bool mean,
                  const double* parts, int64_t count, T* loss, compute_t<T>* scale) {
  LossAndNorm s{0, 0};
  if (parts) {
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) s.loss += parts[2 * i], s.norm += parts[2 * i + 1];
    s = block_reduce(s, Plus(), LossAndNorm{0, 0}, dynamic_shared<LossAndNorm>());
  } else {
    s = sum_labels<T>(0, n, each, labels, weights, mean);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *loss = narrow<T>(compute_t<T>(mean ? s.loss / s.norm : s.loss));
  if (!mean) return;
  for (const int64_t i : grid_stride(n)) scale[i] = compute_t<T>(double(scale[i]) / s.norm);
}

template <class T>
void finish(const Tensor& each, const Labels& labels, const Parameter<T>& weights, bool mean, Tensor& loss,
            Tensor& scale) {
  using A = compute_t<T>;
  const int64_t n = scale.numel(), blocks = (n + labels_per_block - 1) / labels_per_block;
  constexpr size_t shared = 33 * sizeof(LossAndNorm);
  Tensor parts;
  if (blocks > 1) {
    parts = Tensor::empty({2 * blocks}, Dtype::f64, loss.device());
    start(loss, label_sums<T>, unsigned(blocks), label_threads, shared, n, each.data<A>(), labels, weights, mean,
          parts.data<double>());
  }
  start(loss, finish_labels<T>, blocks > 1 && mean ? blocks_for(n, label_threads) : 1, label_threads, shared, n,
        each.data<A>(), labels, weights, mean, parts ? parts.data<double>() : nullptr, blocks, loss.data<T>(),
        scale.data<A>());
}

// ---- gradients -----------------------------------------------------------------------------------------------------

/// The gradient of one row: by * exp(x - log_sum) - part * spread * weights - part * own * weight at the label.
/// factor * exp(x - total) is the first term: total is log_sum, rounded, and factor has what the rounding left.
template <class T>
struct RowGradient {
  using A = compute_t<T>;
  A by, factor, total, smoothed, at_label;  // smoothed: of a class with weight 1
  int64_t label;

  /// `weights`: their sum, where labels are smoothed.
  __device__ RowGradient(const Shares<T>& s, int64_t k, A grad, double log_sum, A weights)
      : total(A(log_sum)), label(k) {
    const A w = k < 0 ? A(0) : s.weights.at(k), share = s.own * w + (s.smooth() ? s.spread * weights : A(0));
    by = k < 0 ? A(0) : grad;
    factor = by * std::exp(A(double(total) - log_sum));
    const A part = share != A(0) ? by / share : A(0);
    smoothed = part * s.spread;
    at_label = part * s.own * w;
  }
  __device__ A at(const Shares<T>& s, int64_t i, A x) const {
    if (by == A(0)) return A(0);
    A d = factor * std::exp(x - total);
    if (s.smooth()) d -= smoothed * s.weights.at(i);
    return i == label ? d - at_label : d;
  }
};

/// The sum of all classes' weights, for every thread of the block.
template <class T>
__device__ compute_t<T> sum_of_weights(const Shares<T>& s, int64_t n) {
  using A = compute_t<T>;
  if (!s.smooth()) return A(0);
  if (!s.weights.data) return A(n);
  const int threads = int(blockDim.x * blockDim.y), me = int(threadIdx.y * blockDim.x + threadIdx.x);
  A* shared = dynamic_shared<A>();
  A sum = 0;
  for (int64_t i = me; i < n; i += threads) sum += s.weights.at(i);
  shared[me] = sum;
  for (int half = threads / 2; half > 0; half /= 2) {  // a power of 2
    __syncthreads();
    if (me < half) shared[me] += shared[me + half];
  }
  __syncthreads();
  return shared[0];
}

template <class T>
__global__ void __launch_bounds__(max_tile, sizeof(T) == 4 ? 2 : 1)  // float: two blocks to a multiprocessor
    cross_entropy_gradient_rows(TiledRows rows, const T* x, const compute_t<T>* grad, const double* totals,
                                Labels labels, Shares<T> s, T* dx) {
  using A = compute_t<T>;
  const A weights = sum_of_weights(s, rows.n);
  for_existing_rows(rows, x, [&](int64_t at, const RowVectors<T>& r) {
    const T* p = x + at * rows.n;
    const RowGradient<T> row(s, labels.at(at), grad[at], totals[at], weights);
    r.for_loads([&](int64_t i) {
      ThreadVectors<T> loaded;
      loaded.load(p, r, i, T(0));
      r.for_vectors(i, [&](int k, int64_t f) {
        A w[r.size];
#pragma unroll
        for (int j = 0; j < r.size; ++j) w[j] = r.contains(f + j) ? row.at(s, f + j, loaded.at(k, j)) : A(0);
        store_vector(dx + at * rows.n, r, f, w);
      });
    });
  });
}

template <class T>
__global__ void cross_entropy_gradient_strided(StridedRows rows, const T* x, const compute_t<T>* grad,
                                               const double* totals, Labels labels, Shares<T> s, T* dx) {
  const Axis& a = rows.axis;
  const compute_t<T> weights = sum_of_weights(s, a.n);
  for_rows(rows, [&](const StridedRow& at) {
    if (!at.exists) return;
    const int64_t start = at.start(a), index = at.index(a);
    const RowGradient<T> row(s, labels.at(index), grad[index], totals[index], weights);
#pragma unroll 4
    for (int64_t i = threadIdx.y; i < a.n; i += blockDim.y) {
      const int64_t e = start + i * a.inner;
      dx[e] = narrow<T>(row.at(s, i, widen(x[e])));
    }
  });
}

// ---- operators -----------------------------------------------------------------------------------------------------

Axis class_axis(const Shape& s) { return axis_of(s, s.size() == 1 ? 0 : 1); }

void cross_entropy(const ops::CrossEntropyLabels& op, Tensor& loss, Tensor& total, Tensor& scale, const Dense& x,
                   const Dense& target, const Dense& weight) {
  const Axis a = class_axis(x.shape());
  const Labels labels(op, target, a.n);
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    Tensor keep, each;
    const Shares<T> s(op.label_smoothing, weight, a.n, keep);
    const LossTo<T> to(op.reduction, total, scale, loss, each);
    start_along(x, a, vector_size<T>, cross_entropy_rows<T>, cross_entropy_strided<T>, x.data<T>(), labels, s, to);
    if (each) finish<T>(each, labels, s.weights, op.reduction == "mean", loss, scale);
  });
}

void cross_entropy_backward(const ops::CrossEntropyBackward& op, Tensor& dx, const Dense& grad, const Dense& x,
                            const Dense& total, const Dense& target, const Dense& weight) {
  const Axis a = class_axis(x.shape());
  const Labels labels(op, target, a.n);
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    Tensor keep;
    const Shares<T> s(op.label_smoothing, weight, a.n, keep);
    const Tensor g = in_dtype(grad, dtype_of<A>), sums = in_dtype(total, Dtype::f64);
    auto launch = [&](auto* kernel, const auto& rows, size_t shared) {
      start(x, kernel, rows.grid, rows.block, shared, rows, x.data<T>(), g.data<A>(), sums.data<double>(), labels, s,
            dx.data<T>());
    };
    if (a.inner == 1) {
      const TiledRows rows(a.outer, a.n, vector_size<T>);
      launch(cross_entropy_gradient_rows<T>, rows, sizeof(A) * rows.block.x);  // for sum_of_weights
    } else {
      const StridedRows rows(a);
      launch(cross_entropy_gradient_strided<T>, rows, rows.shared);
    }
  });
}

template <class T>
__global__ void nll_labels(int64_t count, Axis a, const T* x, Labels labels, Parameter<T> weights, LossTo<T> to) {
  using A = compute_t<T>;
  for (const int64_t i : grid_stride(count)) {
    const int64_t k = labels.at(i), outer = i / a.inner;
    const A w = k < 0 ? A(0) : weights.at(k);
    const A l = k < 0 ? A(0) : -w * widen(x[(outer * a.n + k) * a.inner + (i - outer * a.inner)]);
    to.scale[i] = w;
    if (to.loss)
      to.loss[i] = narrow<T>(l);
    else
      to.each[i] = l;
  }
}
void nll_loss(const ops::NllLossLabels& op, Tensor& loss, Tensor& scale, const Dense& x, const Dense& target,
              const Dense& weight) {
  const Axis a = class_axis(x.shape());
  const Labels labels(op, target, a.n);
  const int64_t count = target.numel();
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    Tensor keep, each;
    const Parameter<T> weights(weight, compute_t<T>(1), keep);
    const LossTo<T> to(op.reduction, {}, scale, loss, each);
    if (count) start_grid_stride(x, nll_labels<T>, count, count, a, x.data<T>(), labels, weights, to);
    if (each) finish<T>(each, labels, weights, op.reduction == "mean", loss, scale);
  });
}

template <class T>
__global__ void nll_gradient(int64_t count, Axis a, const compute_t<T>* grad, Labels labels, T* dx) {
  for (const int64_t i : grid_stride(count)) {
    const int64_t k = labels.at(i), outer = i / a.inner;
    if (k >= 0) dx[(outer * a.n + k) * a.inner + (i - outer * a.inner)] = narrow<T>(-grad[i]);
  }
}
void nll_loss_backward(const ops::NllLossBackward& op, Tensor& dx, const Dense& grad, const Dense& target) {
  const Axis a = class_axis(dx.shape());
  const Labels labels(op, target, a.n);
  const int64_t count = target.numel();
  if (dx.bytes()) dx.device().fill_zero(dx.raw(), dx.bytes());
  dispatch(Floats{}, dx.dtype(), [&]<class T>(Type<T>) {
    const Tensor g = in_dtype(grad, dtype_of<compute_t<T>>);
    if (count) start_grid_stride(dx, nll_gradient<T>, count, count, a, g.data<compute_t<T>>(), labels, dx.data<T>());
  });
}

template <class T>
__global__ void report_no_probabilities(int64_t count, const T* x, IndexCheck check) {
  for (const int64_t i : grid_stride(count)) {
    const double v = double(widen(x[i]));
    if (!(v >= 0 && v <= 1)) check(__double_as_longlong(v), 0, i);
  }
}
// Of a tensor; only users' tensors come here.
void check_probabilities(const char* what, const Value& value) {
  if (!value.is_tensor() || !value.tensor().numel()) return;
  const Dense t(value);
  const IndexCheck check = check_indices(t, probabilities, false, what);
  dispatch(Floats{}, t.dtype(), [&]<class T>(Type<T>) {
    start_grid_stride(t, report_no_probabilities<T>, t.numel(), t.numel(), t.data<const T>(), check);
  });
}
void bce_each(const ops::BceEach& op, Tensor& y, const Value& x, const Value& target) {
  check_probabilities("input", x);
  check_probabilities("target", target);
  binary<ops::BceEach>(op, y, x, target);
}

const Kernel<cross_entropy> cross_entropy_;
const Kernel<cross_entropy_backward> cross_entropy_backward_;
const Kernel<nll_loss> nll_loss_;
const Kernel<nll_loss_backward> nll_loss_backward_;
const Kernel<bce_each> bce_each_;
const TernaryKernels<Types<ops::BackwardOf<ops::BceEach>>> bce_backward_;

}  // namespace
}  // namespace luth::cuda
