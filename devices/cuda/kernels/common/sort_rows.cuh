// Rows whose elements are ordered by unsigned keys (core/math/sort_key.h), and radix selection: the key of one rank in
// a row, found by counting digits from the highest down. For sort.cu and order_statistics.cu.
#pragma once
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/element.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"
#include "devices/cuda/kernels/common/sort_keys.cuh"

namespace luth::cuda {

inline constexpr int select_threads = 1024;

/// Rows to be ordered, and the results: the first `keep` elements of each.
struct Rows {
  OperandOffsets<2> first;  // a row's first element, in the input and in the results, in elements
  int64_t count, n, keep, in_step, out_step;
  const void* in;
  void* values;
  int64_t* positions;
  Dtype dtype;
  int width, base;
  bool descending;

  struct Offset {
    int64_t in, out;
  };
  __device__ Offset offset(int64_t row) const {
    int64_t at[2];
    first.find(row, count, at);
    return {at[0], at[1]};
  }
  template <class K>
  __device__ K key_at(int64_t at) const {
    return with_key_type<K>(dtype,
                            [&]<class T>(Type<T>) { return K(sort_key(static_cast<const T*>(in)[at], descending)); });
  }
  __device__ void write(const Offset& row, int64_t rank, int64_t position) const {
    const int64_t to = row.out + rank * out_step;
    copy_element(values, to, in, row.in + position * in_step, width);
    positions[to] = position + base;
  }
};

/// Keys j, j + blockDim.x, … of a row; those past its end are the largest. Loaded together, which hides their latency.
constexpr int keys_at_once = 4;
template <class K>
__device__ void load_keys(const Rows& r, int64_t first, int64_t j, K (&keys)[keys_at_once]) {
#pragma unroll
  for (int k = 0; k < keys_at_once; ++k) {
    const int64_t at = j + k * int64_t(blockDim.x);
    keys[k] = at < r.n ? r.key_at<K>(first + at * r.in_step) : K(~K(0));
  }
}

struct Digit {
  int value, before, count;  // keys with smaller digits; keys with this one
};
/// The digit of the key of rank `rank`, from the histogram counts[256]; by the first warp.
__device__ inline void find_digit(const int* counts, int rank, Digit* found) {
  const int lane = threadIdx.x;
  int own = 0;
  for (int k = 0; k < 8; ++k) own += counts[lane * 8 + k];
  const int sum = warp_inclusive_scan(own, Plus());
  int before = sum - own;
  if (rank < before || rank >= sum) return;
  int value = lane * 8;
  for (; rank >= before + counts[value]; ++value) before += counts[value];
  *found = {value, before, counts[value]};
}

template <class K>
struct Threshold {
  K key;      // of the last element that is kept
  int equal;  // elements with this key that are kept: the first ones
};
/// Radix selection: the key of rank `rank` in the row, digit by digit. All threads of the block call this.
template <class K>
__device__ Threshold<K> find_threshold(const Rows& r, int64_t first, int rank, int* counts, Digit* found) {
  K prefix = 0, known = 0;  // `rank` becomes the rank among the keys that begin with the prefix
#pragma unroll 1
  for (int shift = 8 * r.width - 8; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (int64_t j = threadIdx.x; j < r.n; j += keys_at_once * blockDim.x) {
      K keys[keys_at_once];
      load_keys(r, first, j, keys);
#pragma unroll
      for (int k = 0; k < keys_at_once; ++k)
        if (j + k * int64_t(blockDim.x) < r.n && (keys[k] & known) == prefix)
          atomicAdd(&counts[int(keys[k] >> shift) & 255], 1);
    }
    __syncthreads();
    if (threadIdx.x < 32) find_digit(counts, rank, found);
    __syncthreads();
    rank -= found->before;
    prefix |= K(found->value) << shift;
    known |= K(255) << shift;
  }
  return {prefix, rank + 1};
}

inline int power_of_two(int64_t n) {
  int p = 2;
  while (p < n) p *= 2;
  return p;
}

inline Shape without(const Shape& s, int dim) {
  Shape rest = s;
  if (s.size()) rest.erase(dim);
  return rest;
}
inline Tensor first_of_rows(const Tensor& t, int dim) {
  return Tensor::alias(t.storage(), without(t.shape(), dim), without(t.strides(), dim), t.offset(), t.dtype());
}
/// `to`: the slots of the rows' first results; further ones are `out_step` apart.
inline Rows rows_of(const Tensor& x, int dim, const Tensor& to, int64_t out_step, Tensor& positions, int64_t keep,
                    bool descending, int base) {
  const int64_t n = x.dim() ? x.shape()[dim] : 1;
  if (n >= int64_t(1) << 31) throw Error("cannot order {} elements along one dim; the most is 2^31 - 1", n);
  const Tensor from = first_of_rows(x, dim);
  const Tensor* both[] = {&from, &to};
  const size_t elements[] = {1, 1};
  return {{{from.shape(), 2, both, elements}, false},
          from.numel(),
          n,
          keep,
          x.dim() ? x.strides()[dim] : 0,
          out_step,
          x.raw(),
          to.raw(),
          positions.data<int64_t>(),
          x.dtype(),
          int(size_of(x.dtype())),
          base,
          descending};
}

}  // namespace luth::cuda
