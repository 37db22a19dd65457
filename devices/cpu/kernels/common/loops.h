// The loop of elementwise kernels. Inputs and result may have any layout; dims are merged where possible, and ranges of
// elements depend on the shape alone. The walk and the packing of strided operands are compiled once (loops.cpp); each
// function has only its loops over contiguous memory. Kernel libraries only.
#pragma once
#include <tuple>

#include "core/base/threads.h"
#include "core/op/define.h"

namespace luth::cpu {

inline constexpr int64_t grain_elements = 32768;
inline constexpr int max_operands = 6;

/// A loop over n elements of contiguous operands; p[0] is the result. Input k is one scalar for all elements if bit k
/// of `scalars` is set: at most one of two inputs, none of other counts. The scalar has the type of the elements or,
/// with the bit `wide`, the type in which they are computed.
inline constexpr unsigned wide = 4;
using LoopFn = void (*)(const void* f, unsigned scalars, char* const* p, int64_t n);

/// The operands of a loop, the result first.
struct Operands {
  int count;
  size_t size[max_operands];           // of an element
  const Tensor* tensor[max_operands];  // null: a scalar at `data`, wide if there are two inputs
  char* data[max_operands];
};

/// Calls `loop` for contiguous parts of the operands, which have the shape `shape`.
void run_elementwise(const Shape& shape, const Operands& operands, LoopFn loop, const void* f);

template <class T>
compute_t<T> scalar_at(const char* p, unsigned scalars) {
  if (scalars & wide) return *reinterpret_cast<const compute_t<T>*>(p);
  return static_cast<compute_t<T>>(*reinterpret_cast<const T*>(p));
}

/// out[i] = f(in_0[i], …). The result may be an input, element for element; no other overlap comes here.
template <unsigned Scalars, class Out, class... In, size_t... I, class F>
inline void contiguous_loop(char* const* p, int64_t n, const F& f, unsigned scalars, std::index_sequence<I...>) {
  Out* out = reinterpret_cast<Out*>(p[0]);
  std::tuple<compute_t<In>...> scalar{Scalars >> I & 1 ? scalar_at<In>(p[I + 1], scalars) : compute_t<In>()...};
  std::tuple<const In*...> in{reinterpret_cast<const In*>(p[I + 1])...};
  auto at = [&]<size_t K>(std::integral_constant<size_t, K>, int64_t i) {
    using C = std::tuple_element_t<K, std::tuple<compute_t<In>...>>;
    if constexpr (Scalars >> K & 1)
      return std::get<K>(scalar);
    else
      return static_cast<C>(std::get<K>(in)[i]);
  };
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = cast<Out>(f(at(std::integral_constant<size_t, I>(), i)...));
}

/// A LoopFn.
template <class F, class Out, class... In>
void loop_fn(const void* context, unsigned scalars, char* const* p, int64_t n) {
  const F f = *static_cast<const F*>(context);  // a local copy: the compiler knows that no store changes it
  constexpr auto all = std::index_sequence_for<In...>();
  if constexpr (sizeof...(In) == 2) {
    if (scalars & 1) return contiguous_loop<1, Out, In...>(p, n, f, scalars, all);
    if (scalars & 2) return contiguous_loop<2, Out, In...>(p, n, f, scalars, all);
  }
  contiguous_loop<0, Out, In...>(p, n, f, 0, all);
}

/// A scalar in the type in which a loop takes it as input of element type T: the compute type if there are two inputs.
template <class T, size_t inputs>
auto scalar_for(const Value& v) {
  return v.scalar().template to<std::conditional_t<inputs == 2, compute_t<T>, T>>();
}

/// out = f(in…) for element types Out and In…; inputs are scalars, or tensors of these dtypes, already broadcast.
template <class Out, class... In, class F, class... V>
void elementwise_loop(Tensor& out, F&& f, const V&... in) {
  static_assert(sizeof...(In) >= 1 && sizeof...(In) < max_operands);
  [&]<size_t... I>(std::index_sequence<I...>) {
    std::tuple scalars{scalar_for<In, sizeof...(In)>(in)...};
    Operands operands{1 + int(sizeof...(In)),
                      {sizeof(Out), sizeof(In)...},
                      {&out, (in.is_scalar() ? nullptr : &in.tensor())...},
                      {static_cast<char*>(out.raw())}};
    ((operands.data[I + 1] =
          in.is_scalar() ? reinterpret_cast<char*>(&std::get<I>(scalars)) : static_cast<char*>(in.tensor().raw())),
     ...);
    run_elementwise(out.shape(), operands, &loop_fn<std::remove_cvref_t<F>, Out, In...>, &f);
  }
  (std::index_sequence_for<In...>());
}

}  // namespace luth::cpu
