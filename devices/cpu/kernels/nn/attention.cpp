// Attention, head by head: products of a block of queries with all keys, their softmax, and the product with the
// values. The backward pass makes the same weights again. Where there are several blocks, they share the packed keys
// and values of their head.
#include "core/ops/nn/native_attention.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/packed_operand.h"
#include "devices/cpu/kernels/common/rows.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

constexpr int64_t block_elements = 64 * 1024;  // of the products of a block of queries: they stay in the second cache

/// A tensor … x n x m as a matrix for each head; absent where the tensor is.
template <class T>
struct Heads {
  explicit Heads(const Tensor& t) : t_(t) {}
  explicit operator bool() const { return bool(t_); }
  T* data(int64_t head) const {
    int64_t at = 0;
    for (int d = t_.dim() - 3; d >= 0; head /= t_.shape()[d--]) at += head % t_.shape()[d] * t_.strides()[d];
    return t_.data<T>() + at;
  }
  Matrix<T> matrix(int64_t head) const { return {data(head), row(), t_.strides()[t_.dim() - 1]}; }
  int64_t row() const { return t_.strides()[t_.dim() - 2]; }

 private:
  const Tensor& t_;
};

/// The extents of a call. Queries come in parts of `part`, each of which meets the same keys; backward, gradients are
/// summed over blocks of `rows`, which are whole parts.
struct Extents {
  int64_t heads, queries, keys, features, values, rows, part;
  Extents(const Tensor& q, const Tensor& k, const Tensor& v, bool causal)
      : heads(1), queries(q.shape(-2)), keys(k.shape(-2)), features(q.shape(-1)), values(v.shape(-1)) {
    for (int d = 0; d < q.dim() - 2; ++d) heads *= q.shape()[d];
    rows = std::clamp<int64_t>(block_elements / std::max<int64_t>(keys, 1), 8, 128);
    // a part meets all keys of its last query: small parts leave few products for nothing
    part = causal ? std::min<int64_t>(rows, 32) : rows;
  }
  int64_t parts() const { return (queries + part - 1) / part; }
  /// How many parts a thread takes at a time: of one head, unless there are few heads.
  int64_t grain() const { return std::clamp<int64_t>(heads * parts() / 64, 1, std::max<int64_t>(parts(), 1)); }
  /// How many keys query i looks at, at most.
  int64_t keys_of(int64_t i, bool causal) const { return causal ? std::min(keys, i + 1) : keys; }
};

template <class T>
void add_row(Matrix<T> mask, int64_t i, int64_t n, T* __restrict to) {
  const T* row = mask.p + i * mask.row;
  if (mask.col == 1)
    for (int64_t j = 0; j < n; ++j) to[j] += row[j];
  else
    for (int64_t j = 0; j < n; ++j) to[j] += row[j * mask.col];
}
template <class T>
void multiply_row(Matrix<T> kept, int64_t i, int64_t n, T* __restrict to) {
  const T* row = kept.p + i * kept.row;
  for (int64_t j = 0; j < n; ++j) to[j] *= row[j * kept.col];
}

/// Rows of products are read to a multiple of so many elements, so that no loop has a rest of single elements.
constexpr int64_t row_unit = 64;
constexpr int64_t row_end(int64_t n) { return (n + row_unit - 1) / row_unit * row_unit; }
/// Their distance, with a gap as that of pack_block().
constexpr int64_t row_step(int64_t n) { return row_end(n) + gap; }

/// x becomes its softmax; returns the logarithm of the sum. A row of -inf becomes zeros, with inf.
template <class T>
T softmax_row(T* __restrict x, int64_t n) {
  const T top = row_max(x, n);
  if (top == -std::numeric_limits<T>::infinity()) return std::fill_n(x, n, T(0)), -top;
  for (int64_t j = 0; j < n; ++j) x[j] = math::exp(x[j] - top);
  const T total = row_sum(x, n), factor = T(1) / total;
  for (int64_t j = 0; j < n; ++j) x[j] *= factor;
  return top + std::log(total);
}

void forward(const ops::NativeAttention& op, Tensor& y, Tensor& logsumexp, const Strided& q, const Strided& k,
             const Strided& v, const Strided& mask, const Strided& kept) {
  if (!y.numel() && !logsumexp.numel()) return;
  const Extents e(q, k, v, op.is_causal);
  dispatch(Types<float, double>{}, y.dtype(), [&]<class T>(Type<T>) {
    const Heads<T> query(q), key(k), value(v), masks(mask), factors(kept), result(y);
    T* const sums = logsumexp.data<T>();
    const int64_t step = row_step(e.keys);
    // queries [first, end) of head h
    const auto some = [&](int64_t h, int64_t first, int64_t end, T* s) {
      const int64_t most = e.keys_of(end - 1, op.is_causal);
      const bool often = end - first > e.part;
      const PackedOperand<T> keys(e.features, most, key.matrix(h).transposed(), often),
          values(most, e.values, value.matrix(h), often);
      for (; first < end; first += e.part) {
        const int64_t rows = std::min(e.part, end - first), n = e.keys_of(first + rows - 1, op.is_causal);
        keys.multiply(rows, n, e.features, T(op.scale), query.matrix(h).at(first, 0), 0, s, step);
        for (int64_t i = 0; i < rows; ++i) {  // in a loop of its own: loads of what was just stored would wait
          const int64_t own = e.keys_of(first + i, op.is_causal);
          T* const row = s + i * step;
          if (masks) add_row(masks.matrix(h), first + i, own, row);
          std::fill(row + own, row + row_end(own), -std::numeric_limits<T>::infinity());
        }
        for (int64_t i = 0; i < rows; ++i) {
          const int64_t own = e.keys_of(first + i, op.is_causal);
          T* const row = s + i * step;
          sums[h * e.queries + first + i] = softmax_row(row, row_end(own));
          if (row_end(own) < n) std::fill(row + row_end(own), row + n, T(0));
          if (factors) multiply_row(factors.matrix(h), first + i, own, row);
        }
        values.multiply(rows, e.values, n, 1, {s, step, 1}, 0, result.data(h) + first * result.row(), result.row());
      }
    };
    parallel_for(e.heads * e.parts(), e.grain(), [&](int64_t begin, int64_t end) {
      Buffer<T> products(e.part * step);
      for (int64_t next; begin < end; begin = next) {
        const int64_t h = begin / e.parts(), before = h * e.parts();
        next = std::min(end, before + e.parts());
        some(h, (begin - before) * e.part, std::min(e.queries, (next - before) * e.part), products.get());
      }
    });
  });
}

/// One head of the backward pass.
template <class T>
struct Gradients {
  const ops::NativeAttentionBackward& op;
  const Extents& e;
  Matrix<T> grad, query, key, value, mask, kept;  // the last two may be null
  const T *logsumexp, *delta;
  T* weights;  // room for the weights of a block, and for their gradients: rows are row_step(keys) apart
  T* slopes;

  /// Makes the weights of query i, times the factors of dropout, and the gradients of its products.
  void row(int64_t i, T* __restrict w, T* __restrict s, int64_t n) const {
    const int64_t own = e.keys_of(i, op.is_causal), end = row_end(own);
    if (mask.p) add_row(mask, i, own, w);
    const T sum = logsumexp[i], d = delta[i];
    for (int64_t j = 0; j < end; ++j) w[j] = math::exp(w[j] - sum);
    if (kept.p) multiply_row(kept, i, own, s);
    for (int64_t j = 0; j < end; ++j) s[j] = w[j] * (s[j] - d);
    if (kept.p) multiply_row(kept, i, own, w);
    std::fill(w + own, w + n, T(0));
    std::fill(s + own, s + n, T(0));
  }
  void run(T* dq, int64_t dq_row, T* dk, int64_t dk_row, T* dv, int64_t dv_row) const {
    const bool often = e.queries > e.part;
    const PackedOperand<T> keys(e.keys, e.features, key, often),
        keys_across(e.features, e.keys, key.transposed(), often),
        values_across(e.values, e.keys, value.transposed(), often);
    const int64_t step = row_step(e.keys);
    const Matrix<T> w{weights, step, 1}, s{slopes, step, 1};
    for (int64_t first = 0; first < e.queries; first += e.rows) {
      const int64_t rows = std::min(e.rows, e.queries - first);
      for (int64_t at = 0; at < rows; at += e.part) {
        const int64_t m = std::min(e.part, rows - at), q = first + at, n = e.keys_of(q + m - 1, op.is_causal);
        keys_across.multiply(m, n, e.features, T(op.scale), query.at(q, 0), 0, weights + at * step, step);
        values_across.multiply(m, n, e.values, 1, grad.at(q, 0), 0, slopes + at * step, step);
        for (int64_t i = at; i < at + m; ++i) row(first + i, weights + i * step, slopes + i * step, n);
        keys.multiply(m, e.features, n, T(op.scale), s.at(at, 0), 0, dq + q * dq_row, dq_row);
      }
      // what keys [j, j + n) get from the block's queries from `at` on; `more`: they have got some before
      const auto give = [&](int64_t j, int64_t n, int64_t at, bool more) {
        gemm<T>(n, e.features, rows - at, T(op.scale), s.at(at, j).transposed(), query.at(first + at, 0), more,
                dk + j * dk_row, dk_row);
        gemm<T>(n, e.values, rows - at, 1, w.at(at, j).transposed(), grad.at(first + at, 0), more, dv + j * dv_row,
                dv_row);
      };
      give(0, op.is_causal ? std::min(first, e.keys) : e.keys, 0, first > 0);
      for (int64_t at = 0; op.is_causal && at < rows; at += e.part)
        give(first + at, std::min({e.part, rows - at, e.keys - first - at}), at, false);
    }
    // keys that no query looks at
    for (int64_t j = e.queries ? e.keys_of(e.queries - 1, op.is_causal) : 0; j < e.keys; ++j) {
      std::fill_n(dk + j * dk_row, e.features, T(0));
      std::fill_n(dv + j * dv_row, e.values, T(0));
    }
  }
};

void backward(const ops::NativeAttentionBackward& op, Tensor& dq, Tensor& dk, Tensor& dv, const List& in) {
  const Tensor &q = in[1], &k = in[2], &v = in[3];
  const Dense logsumexp = in[6], delta = in[7];
  const Extents e(q, k, v, op.is_causal);
  if (!e.keys && dq.numel()) std::memset(dq.raw(), 0, dq.bytes());
  if (!e.keys) return;
  dispatch(Types<float, double>{}, q.dtype(), [&]<class T>(Type<T>) {
    const Heads<T> to_q(dq), to_k(dk), to_v(dv);
    auto matrix = [](const Tensor& t, int64_t h) { return t ? Heads<T>(t).matrix(h) : Matrix<T>{nullptr, 0, 0}; };
    parallel_for(e.heads, 1, [&](int64_t begin, int64_t end) {
      const int64_t room = e.rows * row_step(e.keys);
      Buffer<T> scratch(2 * room);
      for (int64_t h = begin; h < end; ++h) {
        const Gradients<T> one{op,
                               e,
                               matrix(in[0], h),
                               matrix(q, h),
                               matrix(k, h),
                               matrix(v, h),
                               matrix(in[4], h),
                               matrix(in[5], h),
                               logsumexp.data<T>() + h * e.queries,
                               delta.data<T>() + h * e.queries,
                               scratch.get(),
                               scratch.get() + room};
        one.run(to_q.data(h), to_q.row(), to_k.data(h), to_k.row(), to_v.data(h), to_v.row());
      }
    });
  });
}

const Kernel<forward> forward_;
const Kernel<backward> backward_;

}  // namespace
}  // namespace luth::cpu
