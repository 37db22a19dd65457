// Attention on CUDA: a warp for each query (or key), 32 keys (or queries) at a time. Rows of the other operand come
// through shared memory in slabs that all warps of the block read. Sums go in order, without atomics.
#include "core/ops/nn/native_attention.h"

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

constexpr int lanes = 32, warps = 8, slab_step = lanes + 1;
constexpr size_t shared_limit = 48 * 1024;

/// A matrix; null where the tensor is absent.
template <class T>
struct Rows {
  T* p;
  int64_t row, col;
  __device__ T& at(int64_t i, int64_t j) const { return p[i * row + j * col]; }
};

/// A tensor … x n x m as a matrix for each head; null where the tensor is absent.
template <class T>
struct Heads {
  T* p = nullptr;
  int dims = 0;
  int64_t shape[max_dims]{}, stride[max_dims]{}, row = 0, col = 0;

  Heads(const Tensor& t) {
    if (!t) return;
    p = t.data<T>();
    dims = t.dim() - 2;
    for (int d = 0; d < dims; ++d) shape[d] = t.shape()[d], stride[d] = t.strides()[d];
    row = t.strides()[dims];
    col = t.strides()[dims + 1];
  }
  __device__ Rows<T> of(int64_t head) const {
    T* at = p;
    for (int d = dims - 1; d >= 0; head /= shape[d--]) at += head % shape[d] * stride[d];
    return {at, row, col};
  }
};

template <class T>
struct Sizes {
  int64_t queries, keys, features, values;
  T scale;
  bool causal;
};
/// What all kernels get.
template <class T>
struct Call {
  Sizes<T> sizes;
  Heads<T> query, key, value, mask, kept;

  Call(const auto& op, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& m, const Tensor& f)
      : sizes{q.shape(-2), k.shape(-2), q.shape(-1), v.shape(-1), T(op.scale), op.is_causal},
        query(q),
        key(k),
        value(v),
        mask(m),
        kept(f) {}
};

/// The running block: its warp and lane, and shared memory for a slab and for 32 weights of each warp.
template <class T>
struct Block {
  int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  T* slab = dynamic_shared<T>();
  T* weights = slab + lanes * slab_step + warp * lanes;
  T* rest = slab + lanes * slab_step + warps * lanes;
  static constexpr int64_t used = lanes * slab_step + warps * lanes;

  /// Row i of m, n elements, to the warp's memory; zeros where there is no such row.
  __device__ void load(const Rows<T>& m, int64_t i, int64_t rows, int64_t n, T* to) const {
    for (int64_t c = lane; c < n; c += lanes) to[c] = i < rows ? m.at(i, c) : T(0);
  }
  /// The warp's row, divided by `by`, to row i of m, if there is one.
  __device__ void store(const T* from, T by, const Rows<T>& m, int64_t i, int64_t rows, int64_t n) const {
    if (i < rows)
      for (int64_t c = lane; c < n; c += lanes) m.at(i, c) = from[c] / by;
  }
  __device__ void clear(T* row, int64_t n) const {
    for (int64_t c = lane; c < n; c += lanes) row[c] = 0;
  }
  /// The dot product of the warp's row, in shared memory, with row first + lane of m. All threads of the block call it.
  __device__ T dot(const T* row, const Rows<T>& m, int64_t first, int64_t rows, int64_t n) const {
    T sum = 0;
    for (int64_t f = 0; f < n; f += lanes) {
      __syncthreads();
      for (int r = warp; r < lanes; r += warps)
        slab[r * slab_step + lane] = first + r < rows && f + lane < n ? m.at(first + r, f + lane) : T(0);
      __syncthreads();
      const int64_t count = n - f < lanes ? n - f : lanes;
      for (int c = 0; c < count; ++c) sum += row[f + c] * slab[lane * slab_step + c];
    }
    return sum;
  }
  /// Adds to the warp's row the sum over lanes l of weight * row first + l of m, after `by` times the row.
  __device__ void add(T* row, T by, T weight, const Rows<T>& m, int64_t first, int64_t rows, int64_t n) const {
    __syncthreads();
    weights[lane] = weight;
    __syncthreads();
    const int count = rows - first < lanes ? int(rows - first) : lanes;
    for (int64_t c = lane; c < n; c += lanes) {
      T sum = row[c] * by;
      for (int l = 0; l < count; ++l) sum += weights[l] * m.at(first + l, c);
      row[c] = sum;
    }
  }
};

/// The running warp: its block, head, and query (or key): `own`, of `warps` neighbours from `first` on.
template <class T>
struct Warp : Block<T>, Sizes<T> {
  Rows<T> query, key, value, mask, kept;
  int64_t head, first, own;
  T* row;  // its shared memory

  __device__ Warp(const Call<T>& c, int64_t count, int64_t memory) : Sizes<T>(c.sizes) {
    const int64_t blocks = (count + warps - 1) / warps;
    head = int64_t(blockIdx.x) / blocks;
    first = int64_t(blockIdx.x) % blocks * warps;
    own = first + this->warp;
    row = this->rest + this->warp * memory;
    query = c.query.of(head);
    key = c.key.of(head);
    value = c.value.of(head);
    mask = c.mask.of(head);
    kept = c.kept.of(head);
  }
  /// The keys that the block's queries look at.
  __device__ int64_t seen() const { return this->causal && first + warps < this->keys ? first + warps : this->keys; }
  /// The product of query i and key j, from their dot product; -inf where i must not look at j.
  __device__ T product(T dot, int64_t i, int64_t j) const {
    if (i >= this->queries || j >= this->keys || (this->causal && j > i)) return -INFINITY;
    return dot * this->scale + (mask.p ? mask.at(i, j) : T(0));
  }
  __device__ T factor(int64_t i, int64_t j) const {
    return kept.p && i < this->queries && j < this->keys ? kept.at(i, j) : T(1);
  }
};

template <class T>
__global__ void attention(const Call<T> all, const Heads<T> result, T* logsumexp) {
  const Warp<T> w(all, all.sizes.queries, all.sizes.features + all.sizes.values);
  T* const sum = w.row + w.features;
  w.load(w.query, w.own, w.queries, w.features, w.row);
  w.clear(sum, w.values);
  T top = -INFINITY, total = 0;
  for (int64_t first = 0; first < w.seen(); first += lanes) {
    const int64_t j = first + w.lane;
    const T s = w.product(w.dot(w.row, w.key, first, w.keys, w.features), w.own, j);
    const T now = std::fmax(top, warp_reduce(s, Maximum()));
    const T by = top == -INFINITY ? T(0) : std::exp(top - now), weight = s == -INFINITY ? T(0) : std::exp(s - now);
    total = total * by + warp_reduce(weight, Plus());
    top = now;
    w.add(sum, by, weight * w.factor(w.own, j), w.value, first, w.keys, w.values);
  }
  const bool nowhere = top == -INFINITY;
  w.store(sum, nowhere ? T(1) : total, result.of(w.head), w.own, w.queries, w.values);
  if (w.lane == 0 && w.own < w.queries)
    logsumexp[w.head * w.queries + w.own] = nowhere ? T(INFINITY) : top + std::log(total);
}

/// What the gradients get beside the call.
template <class T>
struct Slopes {
  Heads<T> grad;
  const T *logsumexp, *delta;

  struct Pair {
    T weight, slope;
  };
  /// The weight of query i and key j, times dropout's factor, and the gradient of their product, from dot products.
  __device__ Pair at(const Warp<T>& w, int64_t i, int64_t j, T dot, T grad_dot) const {
    const T s = w.product(dot, i, j), kept = w.factor(i, j);
    if (s == -INFINITY) return {0, 0};
    const int64_t query = w.head * w.queries + i;
    const T weight = std::exp(s - logsumexp[query]);
    return {weight * kept, weight * (grad_dot * kept - delta[query]) * w.scale};
  }
};

template <class T>
__global__ void query_gradient(const Call<T> all, const Slopes<T> slopes, const Heads<T> result) {
  const Warp<T> w(all, all.sizes.queries, 2 * all.sizes.features + all.sizes.values);
  T *const grad_row = w.row + w.features, *const sum = grad_row + w.values;
  w.load(w.query, w.own, w.queries, w.features, w.row);
  w.load(slopes.grad.of(w.head), w.own, w.queries, w.values, grad_row);
  w.clear(sum, w.features);
  for (int64_t first = 0; first < w.seen(); first += lanes) {
    const T dot = w.dot(w.row, w.key, first, w.keys, w.features),
            grad_dot = w.dot(grad_row, w.value, first, w.keys, w.values);
    w.add(sum, T(1), slopes.at(w, w.own, first + w.lane, dot, grad_dot).slope, w.key, first, w.keys, w.features);
  }
  w.store(sum, T(1), result.of(w.head), w.own, w.queries, w.features);
}

template <class T>
__global__ void key_value_gradient(const Call<T> all, const Slopes<T> slopes, const Heads<T> key_result,
                                   const Heads<T> value_result) {
  const Warp<T> w(all, all.sizes.keys, 2 * (all.sizes.features + all.sizes.values));
  const Rows<T> grad = slopes.grad.of(w.head);
  T *const value_row = w.row + w.features, *const key_sum = value_row + w.values,
           *const value_sum = key_sum + w.features;
  w.load(w.key, w.own, w.keys, w.features, w.row);
  w.load(w.value, w.own, w.keys, w.values, value_row);
  w.clear(key_sum, w.features);  // apart, so that each lane clears what it stores
  w.clear(value_sum, w.values);
  for (int64_t first = w.causal ? w.first / lanes * lanes : 0; first < w.queries; first += lanes) {
    const T dot = w.dot(w.row, w.query, first, w.queries, w.features),
            grad_dot = w.dot(value_row, grad, first, w.queries, w.values);
    const auto pair = slopes.at(w, first + w.lane, w.own, dot, grad_dot);
    w.add(key_sum, T(1), pair.slope, w.query, first, w.queries, w.features);
    w.add(value_sum, T(1), pair.weight, grad, first, w.queries, w.values);
  }
  w.store(key_sum, T(1), key_result.of(w.head), w.own, w.keys, w.features);
  w.store(value_sum, T(1), value_result.of(w.head), w.own, w.keys, w.values);
}

int64_t heads_of(const Tensor& q) {
  int64_t n = 1;
  for (int d = 0; d < q.dim() - 2; ++d) n *= q.shape()[d];
  return n;
}
unsigned blocks(const Tensor& q, int64_t count) { return unsigned(heads_of(q) * ((count + warps - 1) / warps)); }
template <class T>
size_t shared_bytes(int64_t per_warp) {
  return size_t(Block<T>::used + warps * per_warp) * sizeof(T);
}

/// For rows that shared memory has no room for.
void decompose(const auto& op, const Inputs& in, std::initializer_list<Tensor*> to) {
  NoGrad no_grad;
  const Tensors from = op.decompose(in);
  int i = 0;
  for (Tensor* t : to) basic::copy_into(*t, from[i++]);
}

void forward(const ops::NativeAttention& op, Tensor& y, Tensor& logsumexp, const Strided& q, const Strided& k,
             const Strided& v, const Strided& mask, const Strided& kept) {
  dispatch(Types<float, double>{}, y.dtype(), [&]<class T>(Type<T>) {
    const Call<T> c(op, q, k, v, mask, kept);
    const size_t shared = shared_bytes<T>(c.sizes.features + c.sizes.values);
    if (shared > shared_limit) return decompose(op, {q, k, v, mask, kept}, {&y, &logsumexp});
    start(y, attention<T>, blocks(q, c.sizes.queries), warps * lanes, shared, c, Heads<T>(y), logsumexp.data<T>());
  });
}

void backward(const ops::NativeAttentionBackward& op, Tensor& dq, Tensor& dk, Tensor& dv, const List& in) {
  dispatch(Types<float, double>{}, dq.dtype(), [&]<class T>(Type<T>) {
    const Call<T> c(op, in[1], in[2], in[3], in[4], in[5]);
    const size_t shared = shared_bytes<T>(2 * (c.sizes.features + c.sizes.values));
    if (shared > shared_limit) return decompose(op, Inputs(in.begin(), in.end()), {&dq, &dk, &dv});
    const Dense logsumexp = in[6], delta = in[7];
    const Slopes<T> slopes{Heads<T>(in[0]), logsumexp.data<T>(), delta.data<T>()};
    start(dq, query_gradient<T>, blocks(dq, c.sizes.queries), warps * lanes, shared, c, slopes, Heads<T>(dq));
    start(dk, key_value_gradient<T>, blocks(dq, c.sizes.keys), warps * lanes, shared, c, slopes, Heads<T>(dk),
          Heads<T>(dv));
  });
}

const Kernel<forward> forward_;
const Kernel<backward> backward_;

}  // namespace
}  // namespace luth::cuda
