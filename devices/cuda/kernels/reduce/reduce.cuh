// Reductions over any set of dims of tensors in any layout: one engine for all operators that combine many elements
// into one. Results do not depend on the order in which threads and blocks run.
//
// An operator is a struct, copied to the device, with
//   - Number: the type in which elements are loaded; Acc: the type in which they are combined;
//   - Acc none() const: combine()'s identity;
//   - Acc of(Number v, int64_t i) const: reduced element i as an Acc. With one reduced dim i is its position in that
//     dim, else elements count in order of memory;
//   - Acc combine(Acc a, Acc b) const, associative but for rounding;
//   - void store(int64_t at, Acc) const: writes element `at` of the result's memory;
//   - and, if several elements are better taken at once, Acc of_all(const Number (&v)[n]) const.
#pragma once
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {

/// How the elements of a tensor are shared out over threads. A result belongs to `lanes` threads of a block, which take
/// its elements in turn; `columns` says whether neighbouring threads have neighbouring results (true) or neighbouring
/// elements of one result. Where results are few and long, the blocks in y share the elements in chunks.
struct Reduction {
  OperandOffsets<2> kept;     // the input in bytes, the result in elements
  OperandOffsets<1> reduced;  // the input in bytes; vectorized: 16 bytes can be loaded at a time
  int64_t results, n;
  int lanes = 1;  // a power of two
  bool columns = false;
  int64_t chunk, chunks = 1;

  int per_block() const { return threads / lanes; }
  unsigned blocks() const { return unsigned((results + per_block() - 1) / per_block()); }
};

/// `vector_size`: elements in 16 bytes. y is row-major and has x's dims without those of the mask.
inline Reduction plan_reduction(const Tensor& x, const Tensor& y, uint32_t mask, int vector_size) {
  Shape kept, reduced;
  Strides kept_strides, reduced_strides;
  for (int i = 0; i < x.dim(); ++i) {
    const bool gone = mask >> i & 1;
    (gone ? reduced : kept).push_back(x.shape()[i]);
    (gone ? reduced_strides : kept_strides).push_back(x.strides()[i]);
  }
  const Tensor from = Tensor::alias(x.storage(), kept, kept_strides, x.offset(), x.dtype());
  const Tensor to = Tensor::alias(y.storage(), kept, contiguous_strides(kept), y.offset(), y.dtype());
  const Tensor each = Tensor::alias(x.storage(), reduced, reduced_strides, x.offset(), x.dtype());
  const Tensor* both[] = {&from, &to};
  const Tensor* one[] = {&each};
  const size_t size = size_of(x.dtype()), sizes[] = {size, 1};
  Reduction r{{{kept, 2, both, sizes}, false},
              {{reduced, 1, one, &size}, false},
              kept.numel(),
              reduced.numel(),
              1,
              false,
              0,
              1};

  // vectors must not cross the end of a run of elements, and must start at multiples of 16 bytes
  const Nest<2>& k = r.kept.nest;
  const Nest<1>& e = r.reduced.nest;
  bool vectorized = r.n >= vector_size && e.inner_stride()[0] == int64_t(size) &&
                    reinterpret_cast<uintptr_t>(x.raw()) % 16 == 0 && (e.dims == 1 || e.inner() % vector_size == 0);
  for (int d = 0; d + 1 < e.dims; ++d) vectorized = vectorized && e.stride[d][0] % 16 == 0;
  for (int d = 0; d < k.dims; ++d) vectorized = vectorized && (k.extent[d] == 1 || k.stride[d][0] % 16 == 0);

  const int64_t device_threads = multiprocessors() * 2048;
  const int64_t m = std::max<int64_t>(r.results, 1);
  r.columns = m > 1 && r.n > 1 && k.inner_stride()[0] < e.inner_stride()[0];
  r.reduced.vectorized = vectorized && !r.columns;
  const int64_t batch = r.reduced.vectorized ? vector_size : 4, batches = (r.n + batch - 1) / batch;
  if (r.columns) {  // a warp reads 32 neighbours
    while (r.lanes < 8 && batches / r.lanes >= 4) r.lanes *= 2;
    while (r.per_block() / 2 >= m && batches / r.lanes >= 2) r.lanes *= 2;
  } else {  // barriers only where a warp would have too much to do
    while (r.lanes < 32 && batches / r.lanes >= 2) r.lanes *= 2;
    while (r.lanes < threads && batches / r.lanes >= 8 && (m * r.lanes < device_threads || batches / r.lanes > 64))
      r.lanes *= 2;
  }
  const int64_t wanted = device_threads / threads / std::max<int64_t>(r.blocks(), 1);
  r.chunks = std::max<int64_t>(1, std::min(wanted, batches / r.lanes / 8));
  r.chunk = ((r.n + r.chunks - 1) / r.chunks + batch - 1) / batch * batch;
  r.chunks = r.n ? (r.n + r.chunk - 1) / r.chunk : 1;
  return r;
}

// Not inlined: otherwise they would be most of the code.
[[gnu::noinline]] inline __device__ int64_t element_offset(const OperandOffsets<1>& offsets, int64_t i, int64_t n) {
  int64_t at[1];
  offsets.find(i, n, at);
  return at[0];
}
struct ResultOffset {
  int64_t from, to;  // of a result's first element in bytes; of the result in elements
};
[[gnu::noinline]] inline __device__ ResultOffset result_offset(const OperandOffsets<2>& offsets, int64_t i, int64_t n) {
  int64_t at[2];
  offsets.find(i, n, at);
  return {at[0], at[1]};
}

/// Combines elements [v0, v1, …] of one result: its elements i, i + step, …
template <class Op, int n>
__device__ typename Op::Acc take(const Op& op, const typename Op::Number (&v)[n], int64_t i, int64_t step) {
  if constexpr (requires { op.of_all(v); }) {
    return op.of_all(v);
  } else {
    typename Op::Acc part[n];
#pragma unroll
    for (int k = 0; k < n; ++k) part[k] = op.of(v[k], i + k * step);
#pragma unroll
    for (int width = n / 2; width > 0; width /= 2)
#pragma unroll
      for (int k = 0; k < width; ++k) part[k] = op.combine(part[k], part[k + width]);
    return part[0];
  }
}

/// Combines this thread's part of elements [begin, end) of the result whose first element is at `row`.
template <class T, class Op>
__device__ typename Op::Acc reduce_own(const Reduction& r, const Op& op, const char* row, int64_t begin, int64_t end,
                                       int lane) {
  using Number = typename Op::Number;
  constexpr int n = per_load<T>;
  auto at = [&](int64_t i) {
    return row + (r.reduced.nest.dims == 1 ? i * r.reduced.nest.stride[0][0] : element_offset(r.reduced, i, r.n));
  };
  const int64_t step = r.lanes;
  typename Op::Acc acc = op.none();
  int64_t i = begin + lane;
  if (r.reduced.vectorized) {
#pragma unroll 2
    for (int64_t p = begin / n + lane; p < end / n; p += step) {
      const AlignedVector<T, n> vector = *reinterpret_cast<const AlignedVector<T, n>*>(at(p * n));
      Number v[n];
#pragma unroll
      for (int k = 0; k < n; ++k) v[k] = Number(static_cast<compute_t<T>>(vector.v[k]));
      acc = op.combine(acc, take(op, v, p * n, 1));
    }
    i = end / n * n + lane;
  }
#pragma unroll 1
  for (; i + 3 * step < end; i += 4 * step) {
    Number v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = Number(static_cast<compute_t<T>>(*reinterpret_cast<const T*>(at(i + k * step))));
    acc = op.combine(acc, take(op, v, i, step));
  }
#pragma unroll 1
  for (; i < end; i += step)
    acc = op.combine(acc, op.of(Number(static_cast<compute_t<T>>(*reinterpret_cast<const T*>(at(i)))), i));
  return acc;
}

/// Combines the values of all lanes of each result; the result's first lane gets it. All threads of the block call
/// this.
template <class Op, class Acc>
__device__ Acc combine_lanes(const Reduction& r, const Op& op, Acc v, int lane, int mine) {
  if (r.lanes == 1) return v;
  Acc* shared = dynamic_shared<Acc>();
  const int per_block = blockDim.x / r.lanes;
  int parts = r.lanes, first = mine, step = per_block;
  if (!r.columns) {
#pragma unroll 1
    for (int mask = (r.lanes < 32 ? r.lanes : 32) / 2; mask > 0; mask /= 2) v = op.combine(v, shuffle_xor(v, mask));
    if (r.lanes <= 32) return v;
    parts = r.lanes / 32, first = mine * parts, step = 1;
  }
  if (r.columns)
    shared[threadIdx.x] = v;
  else if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = v;
  __syncthreads();
  if (lane == 0) {
    v = shared[first];
#pragma unroll 1
    for (int p = 1; p < parts; ++p) v = op.combine(v, shared[first + p * step]);
  }
  return v;
}

/// Writes results, or with several chunks parts[chunk][result] for join_kernel.
template <class T, class Op>
__global__ void __launch_bounds__(threads)
    reduce_kernel(const __grid_constant__ Reduction r, const __grid_constant__ Op op, const char* x,
                  typename Op::Acc* parts) {
  const int thread = int(threadIdx.x), per_block = int(blockDim.x) / r.lanes;
  const int lane = r.columns ? thread / per_block : thread % r.lanes;
  const int mine = r.columns ? thread % per_block : thread / r.lanes;
  const int64_t begin = blockIdx.y * r.chunk, end = begin + r.chunk < r.n ? begin + r.chunk : r.n;
  const int64_t o = int64_t(blockIdx.x) * per_block + mine;
  const bool valid = o < r.results;
  ResultOffset at{};
  typename Op::Acc acc = op.none();
  if (valid) {
    at = result_offset(r.kept, o, r.results);
    acc = reduce_own<T>(r, op, x + at.from, begin, end, lane);
  }
  acc = combine_lanes(r, op, acc, lane, mine);
  if (!valid || lane != 0) return;
  if (parts)
    parts[int64_t(blockIdx.y) * r.results + o] = acc;
  else
    op.store(at.to, acc);
}

/// The results from their chunks, one warp for each.
template <class Op>
__global__ void __launch_bounds__(threads)
    join_kernel(const __grid_constant__ Reduction r, const __grid_constant__ Op op, const typename Op::Acc* parts) {
  const int64_t o = int64_t(blockIdx.x) * (threads / 32) + threadIdx.x / 32;
  typename Op::Acc acc = op.none();
  if (o < r.results)
#pragma unroll 4
    for (int64_t c = threadIdx.x % 32; c < r.chunks; c += 32) acc = op.combine(acc, parts[c * r.results + o]);
#pragma unroll 1
  for (int mask = 16; mask > 0; mask /= 2) acc = op.combine(acc, shuffle_xor(acc, mask));
  if (o >= r.results || threadIdx.x % 32 != 0) return;
  op.store(result_offset(r.kept, o, r.results).to, acc);
}

/// Reduces the dims of the mask, x having elements of type T; the operator holds where to write, y says its layout.
template <class T, class Op>
void reduce(const Op& op, const Tensor& x, const Tensor& y, uint32_t mask) {
  using Acc = typename Op::Acc;
  const Reduction r = plan_reduction(x, y, mask, per_load<T>);
  if (r.results == 0) return;
  const bool in_parts = r.chunks > 1;
  Tensor parts;
  if (in_parts) parts = Tensor::empty({r.chunks * r.results * int64_t(sizeof(Acc))}, Dtype::u8, y.device());
  Acc* memory = in_parts ? parts.data<Acc>() : nullptr;
  start(y, reduce_kernel<T, Op>, dim3(r.blocks(), unsigned(r.chunks)), threads, threads * sizeof(Acc), r, op,
        x.data<const char>(), memory);
  if (in_parts)
    start(y, join_kernel<Op>, unsigned((r.results + threads / 32 - 1) / (threads / 32)), threads, 0, r, op,
          static_cast<const Acc*>(memory));
}

}  // namespace luth::cuda
