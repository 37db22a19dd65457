// Elementwise kernels from the operators' scalar functions: operands of any layout, 16 bytes at a time where they are
// contiguous. Includes cuda.h.
#pragma once
#include "core/nest.h"
#include "core/ops/elementwise.h"
#include "devices/cuda/cuda.h"

namespace luth::cuda {

inline constexpr int threads = 256;

/// An input of a kernel: a tensor's elements, or one number for all.
template <class T>
struct Source {
  const T* data;  // null: the number
  compute_t<T> number;

  explicit Source(const Value& v)
      : data(v.is_scalar() ? nullptr : v.tensor().data<T>()),
        number(v.is_scalar() ? static_cast<compute_t<T>>(v.scalar().template to<T>()) : compute_t<T>()) {}
  __device__ compute_t<T> at(int64_t byte) const {
    return data ? static_cast<compute_t<T>>(*reinterpret_cast<const T*>(reinterpret_cast<const char*>(data) + byte))
                : number;
  }
};

/// `n` elements that are loaded and stored at once.
template <class T, int n>
struct alignas(n * sizeof(T)) Pack {
  T v[n];
};
template <int n, class T>
__device__ void load(const Source<T>& s, int64_t i, compute_t<T> (&to)[n]) {
  if (!s.data) {
    for (int k = 0; k < n; ++k) to[k] = s.number;
    return;
  }
  const auto pack = *reinterpret_cast<const Pack<T, n>*>(s.data + i);
  for (int k = 0; k < n; ++k) to[k] = static_cast<compute_t<T>>(pack.v[k]);
}

/// Contiguous operands, aligned to n elements: thread by thread n neighbours, and the last few one by one.
template <int n, class Out, class F, class... In>
__global__ void contiguous_kernel(int64_t numel, F f, Out* out, Source<In>... in) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x * n;
  for (int64_t i = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * n; i < numel; i += step) {
    if (i + n > numel) {
      for (int64_t j = i; j < numel; ++j) out[j] = cast<Out>(ops::call_functor(f, in.at(j * int64_t(sizeof(In)))...));
      return;
    }
    Pack<Out, n> result;
    [&](auto... loaded) {
      (load<n>(in, i, loaded.v), ...);
      for (int k = 0; k < n; ++k) result.v[k] = cast<Out>(ops::call_functor(f, loaded.v[k]...));
    }(Pack<compute_t<In>, n>()...);
    *reinterpret_cast<Pack<Out, n>*>(out + i) = result;
  }
}

/// Operands of any strides, the result first.
template <class Out, class F, class... In>
__global__ void strided_kernel(int64_t numel, F f, Out* out, Nest<sizeof...(In) + 1> nest, Source<In>... in) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < numel; i += step) {
    int64_t at[sizeof...(In) + 1] = {}, rest = i;
    for (int d = nest.dims - 1; d >= 0; --d) {
      const int64_t j = d ? rest % nest.extent[d] : rest;
      rest /= nest.extent[d];
      for (int k = 0; k < int(sizeof...(In)) + 1; ++k) at[k] += j * nest.stride[d][k];
    }
    int k = 0;
    *reinterpret_cast<Out*>(reinterpret_cast<char*>(out) + at[0]) = cast<Out>(ops::call_functor(f, in.at(at[++k])...));
  }
}

template <class Out, class... In>
inline constexpr int per_load = int(16 / std::max({sizeof(Out), sizeof(In)...}));

/// out = f(in…), for element types Out and In….
template <class Out, class... In, class F, class... V>
void elementwise(Tensor& out, F f, const V&... in) {
  const int64_t numel = out.numel();
  if (numel == 0) return;
  constexpr int n = per_load<Out, In...>;
  constexpr int count = sizeof...(In) + 1;
  const Tensor* tensors[] = {&out, (in.is_scalar() ? nullptr : &in.tensor())...};
  const size_t sizes[] = {sizeof(Out), sizeof(In)...};
  const Nest<count> nest(out.shape(), count, tensors, sizes);
  bool contiguous = nest.dims == 1, aligned = true;
  for (int k = 0; k < count; ++k) {
    if (!tensors[k]) continue;
    contiguous = contiguous && nest.stride[0][k] == int64_t(sizes[k]);
    aligned = aligned && reinterpret_cast<uintptr_t>(tensors[k]->raw()) % (n * sizes[k]) == 0;
  }
  if (contiguous && aligned)
    start(out, contiguous_kernel<n, Out, F, In...>, blocks_for((numel + n - 1) / n, threads), threads, 0, numel, f,
          out.data<Out>(), Source<In>(in)...);
  else
    start(out, strided_kernel<Out, F, In...>, blocks_for(numel, threads), threads, 0, numel, f, out.data<Out>(), nest,
          Source<In>(in)...);
}

template <class Op, class... V>
void apply_elementwise(const Op& op, Tensor& y, const V&... in) {
  auto run = [&]<class Out, class T, class F>(Type<Out>, Type<T>, const F& f) {
    elementwise<Out, std::conditional_t<true, T, V>...>(y, f, in...);
  };
  ops::with_types(op, y, run, in...);
}

template <class Op>
void unary(const Op& op, Tensor& y, const Value& x) {
  apply_elementwise(op, y, x);
}
template <class Op>
void binary(const Op& op, Tensor& y, const Value& a, const Value& b) {
  apply_elementwise(op, y, a, b);
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

}  // namespace luth::cuda
