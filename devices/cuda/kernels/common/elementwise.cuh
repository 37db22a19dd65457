// Elementwise kernels from the operators' scalar functions. Operands have any layout; contiguous ones are moved 16
// bytes at a time.
#pragma once
#include "core/ops/elementwise/elementwise.h"
#include "core/tensor/nest.h"
#include "devices/cuda/kernels/common/classes.cuh"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {

/// An input of a kernel: a tensor's elements, or one number for all.
template <class T>
struct Source {
  using Compute = typename Elements<T>::Compute;
  Elements<T> elements;  // none: the number
  Compute number;

  /// `d`: the dtype to which a number is converted.
  Source(const Value& v, Dtype d) : elements(v.tensor()), number() {
    if (v.is_scalar()) number = Elements<T>::number(v.scalar(), d);
  }
  __device__ Compute at(int64_t i) const { return elements ? elements[i] : number; }
};
/// `n` neighbours, or the number n times.
template <class T, int n>
struct Lanes {
  typename Elements<T>::Compute v[n];

  __device__ explicit Lanes(const Source<T>& s, int64_t i) {
    if (s.elements)
      s.elements.load(i, v);
    else
      for (auto& lane : v) lane = s.number;
  }
};

/// Offsets of element i of each operand of a kernel, the result first.
template <int count>
struct OperandOffsets {
  Nest<count> nest;
  bool vectorized;  // all are contiguous, and aligned to the vectors that the kernel loads

  /// at[k]: the offset of element i from the start of operand k, in the unit of the strides.
  __device__ void find(int64_t i, int64_t numel, int64_t (&at)[count]) const {
    for (int k = 0; k < count; ++k) at[k] = 0;
    if (numel <= INT32_MAX)
      walk(uint32_t(i), at);
    else
      walk(uint64_t(i), at);
  }

 private:
  template <class I>
  __device__ void walk(I i, int64_t (&at)[count]) const {
#pragma unroll 1
    for (int d = nest.dims - 1; d >= 0; --d) {
      const I n = I(nest.extent[d]), rest = d ? i / n : 0, j = i - rest * n;
      for (int k = 0; k < count; ++k) at[k] += int64_t(j) * nest.stride[d][k];
      i = rest;
    }
  }
};

/// Vectors of n neighbours where the layout allows them, then the remaining elements one by one. One kernel serves all
/// layouts, so f is compiled once for each combination of classes of types.
template <int n, class Out, class F, class... In, size_t... k>
__device__ void elementwise_body(int64_t numel, const F& f, const Elements<Out>& out,
                                 const OperandOffsets<sizeof...(In) + 1>& offsets, std::index_sequence<k...>,
                                 const Source<In>&... in) {
  const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, step = int64_t(gridDim.x) * blockDim.x;
  const int64_t vectors = offsets.vectorized ? numel / n : 0;
  for (int64_t i = first; i < vectors; i += step) {
    [&](const auto&... loaded) {
      decltype(ops::call_functor(f, loaded.v[0]...)) result[n];
#pragma unroll
      for (int j = 0; j < n; ++j) result[j] = ops::call_functor(f, loaded.v[j]...);
      out.store(i * n, result);
    }(Lanes<In, n>(in, i * n)...);
  }
#pragma unroll 1
  for (int64_t i = vectors * n + first; i < numel; i += step) {
    int64_t at[sizeof...(In) + 1];
    offsets.find(i, numel, at);
    out.set(at[0], ops::call_functor(f, in.at(at[k + 1])...));
  }
}
template <int n, class Out, class F, class... In>
__global__ void elementwise_kernel(int64_t numel, F f, Elements<Out> out, OperandOffsets<sizeof...(In) + 1> offsets,
                                   Source<In>... in) {
  elementwise_body<n>(numel, f, out, offsets, std::index_sequence_for<In...>(), in...);
}

/// Elements of a vector: 16 bytes of the widest operand, and no more than 8.
template <class... T>
inline constexpr int per_load = std::min(8, int(16 / std::max({Elements<T>::size...})));

/// Strides are in elements; vectorized where vectors of n can be loaded. `tensors[k]` null: a number.
template <int count>
OperandOffsets<count> operand_offsets(const Tensor* const (&tensors)[count], int n) {
  size_t ones[count];
  std::fill(ones, ones + count, 1);
  OperandOffsets<count> offsets{{tensors[0]->shape(), count, tensors, ones}, true};
  offsets.vectorized = offsets.nest.dims == 1;
  for (int k = 0; k < count; ++k)
    if (tensors[k])
      offsets.vectorized =
          offsets.vectorized && offsets.nest.stride[0][k] == 1 &&
          reinterpret_cast<uintptr_t>(tensors[k]->raw()) % (size_t(n) * size_of(tensors[k]->dtype())) == 0;
  return offsets;
}

/// out = f(in…), for classes of element types Out and In…; `d`: the dtype of numbers among them.
template <class Out, class... In, class F, class... V>
void elementwise(Tensor& out, Dtype d, F f, const V&... in) {
  const int64_t numel = out.numel();
  if (numel == 0) return;
  constexpr int n = per_load<Out, In...>, count = sizeof...(In) + 1;
  const Tensor* tensors[count] = {&out, (in.is_scalar() ? nullptr : &in.tensor())...};
  const auto offsets = operand_offsets(tensors, n);
  start(out, elementwise_kernel<n, Out, F, In...>, blocks_for(offsets.vectorized ? numel / n + 1 : numel, threads),
        threads, 0, numel, f, Elements<Out>(out), offsets, Source<In>(in, d)...);
}

template <class Op, class... V>
void apply_elementwise(const Op& op, Tensor& y, const V&... in) {
  constexpr bool predicate = std::is_base_of_v<ops::Predicate, Op>;
  const Dtype d = ops::operand_dtype(in...);
  // Otherwise the dtypes are one, or bool is counted in int64.
  dispatch_class(typename Op::Dtypes{}, predicate ? d : y.dtype(), [&]<class T>(Type<T>) {
    elementwise<std::conditional_t<predicate, bool, T>, std::conditional_t<true, T, V>...>(
        y, d, ops::functor_of<typename Elements<T>::Compute>(op, d), in...);
  });
}

template <class Op>
void unary(const Op& op, Tensor& y, const Value& x) {
  apply_elementwise(op, y, x);
}
template <class Op>
void binary(const Op& op, Tensor& y, const Value& a, const Value& b) {
  apply_elementwise(op, y, a, b);
}
template <class Op>
void ternary(const Op& op, Tensor& y, const Value& a, const Value& b, const Value& c) {
  apply_elementwise(op, y, a, b, c);
}

template <class List>
struct UnaryKernels {
  UnaryKernels() {
    for_each(List{}, []<class Op>(Type<Op>) { Kernel<unary<Op>>(); });
  }
};
template <class List>
struct BinaryKernels {
  BinaryKernels() {
    for_each(List{}, []<class Op>(Type<Op>) { Kernel<binary<Op>>(); });
  }
};
template <class List>
struct TernaryKernels {
  TernaryKernels() {
    for_each(List{}, []<class Op>(Type<Op>) { Kernel<ternary<Op>>(); });
  }
};

}  // namespace luth::cuda
