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
template <class T, int n>
struct Lanes {
  compute_t<T> v[n];
};
template <int n, class T>
__device__ void load(const Source<T>& s, int64_t i, Lanes<T, n>& to) {
  const Pack<T, n> pack = s.data ? *reinterpret_cast<const Pack<T, n>*>(s.data + i) : Pack<T, n>();
  for (int k = 0; k < n; ++k) to.v[k] = s.data ? static_cast<compute_t<T>>(pack.v[k]) : s.number;
}

/// The operands of a kernel: where element i of each lies, the result first.
template <int count>
struct Places {
  Nest<count> nest;
  bool packed;  // all are contiguous, and aligned to the packs that the kernel loads

  /// Bytes from the starts of the operands to their elements i.
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

/// Packs of n neighbours where the layout allows them, then what is left one by one. One kernel serves all layouts, so
/// f is compiled once for each combination of types.
template <int n, class Out, class F, class... In, size_t... k>
__device__ void elementwise_body(int64_t numel, const F& f, Out* out, const Places<sizeof...(In) + 1>& places,
                                 std::index_sequence<k...>, const Source<In>&... in) {
  const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, step = int64_t(gridDim.x) * blockDim.x;
  const int64_t packs = places.packed ? numel / n : 0;
  for (int64_t i = first; i < packs; i += step) {
    Pack<Out, n> result;
    [&](auto... loaded) {
      (load<n>(in, i * n, loaded), ...);
#pragma unroll
      for (int j = 0; j < n; ++j) result.v[j] = cast<Out>(ops::call_functor(f, loaded.v[j]...));
    }(Lanes<In, n>()...);
    reinterpret_cast<Pack<Out, n>*>(out)[i] = result;
  }
#pragma unroll 1
  for (int64_t i = packs * n + first; i < numel; i += step) {
    int64_t at[sizeof...(In) + 1];
    places.find(i, numel, at);
    *reinterpret_cast<Out*>(reinterpret_cast<char*>(out) + at[0]) =
        cast<Out>(ops::call_functor(f, in.at(at[k + 1])...));
  }
}
template <int n, class Out, class F, class... In>
__global__ void elementwise_kernel(int64_t numel, F f, Out* out, Places<sizeof...(In) + 1> places, Source<In>... in) {
  elementwise_body<n>(numel, f, out, places, std::index_sequence_for<In...>(), in...);
}

/// Elements of a pack: 16 bytes of the widest operand, and no more than 8.
template <class... T>
inline constexpr int per_load = std::min(8, int(16 / std::max({sizeof(T)...})));

/// out = f(in…), for element types Out and In….
template <class Out, class... In, class F, class... V>
void elementwise(Tensor& out, F f, const V&... in) {
  const int64_t numel = out.numel();
  if (numel == 0) return;
  constexpr int n = per_load<Out, In...>, count = sizeof...(In) + 1;
  const Tensor* tensors[] = {&out, (in.is_scalar() ? nullptr : &in.tensor())...};
  const size_t sizes[] = {sizeof(Out), sizeof(In)...};
  Places<count> places{{out.shape(), count, tensors, sizes}, true};
  places.packed = places.nest.dims == 1;
  for (int k = 0; k < count; ++k)
    places.packed =
        places.packed && (!tensors[k] || (places.nest.stride[0][k] == int64_t(sizes[k]) &&
                                          reinterpret_cast<uintptr_t>(tensors[k]->raw()) % (n * sizes[k]) == 0));
  start(out, elementwise_kernel<n, Out, F, In...>, blocks_for(places.packed ? numel / n + 1 : numel, threads), threads,
        0, numel, f, out.data<Out>(), places, Source<In>(in)...);
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
