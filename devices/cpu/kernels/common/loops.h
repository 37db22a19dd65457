// The loop of elementwise kernels: any layout of inputs and result, collapsed to as few dims as possible, split by
// element ranges that depend on the shape alone. The walk and the packing of strided operands are compiled once
// (loops.cpp); each function brings its loops over contiguous memory only. Kernel libraries only.
#pragma once
#include <tuple>

#include "core/base/threads.h"
#include "core/op/define.h"

namespace luth::cpu {

inline constexpr int64_t grain_elements = 32768;
inline constexpr int max_operands = 6;

/// The work of one function on n elements of contiguous operands, `p[0]` the result; input k is one number for all
/// elements where bit k of `numbers` is set, which is so for at most one of two inputs, and never for other counts. It
/// lies there as elements do, or in the type that they are computed in, where the bit `wide` is set too.
inline constexpr unsigned wide = 4;
using StretchFn = void (*)(const void* f, unsigned numbers, char* const* p, int64_t n);

/// The operands of a loop, the result first.
struct Operands {
  int count;
  size_t size[max_operands];           // of an element
  const Tensor* tensor[max_operands];  // null: a number at `data`, wide if there are two inputs
  char* data[max_operands];
};

/// Walks the operands over `shape`, calling `stretch` for parts of them.
void run_elementwise(const Shape& shape, const Operands& operands, StretchFn stretch, const void* f);

template <class T>
compute_t<T> number_at(const char* p, unsigned numbers) {
  if (numbers & wide) return *reinterpret_cast<const compute_t<T>*>(p);
  return static_cast<compute_t<T>>(*reinterpret_cast<const T*>(p));
}

/// out[i] = f(in_0[i], …). The result may be an input, element for element; no other overlap comes here.
template <unsigned Numbers, class Out, class... In, size_t... I, class F>
inline void contiguous_stretch(char* const* p, int64_t n, const F& f, unsigned numbers, std::index_sequence<I...>) {
  Out* out = reinterpret_cast<Out*>(p[0]);
  std::tuple<compute_t<In>...> number{Numbers >> I & 1 ? number_at<In>(p[I + 1], numbers) : compute_t<In>()...};
  std::tuple<const In*...> in{reinterpret_cast<const In*>(p[I + 1])...};
  auto at = [&]<size_t K>(std::integral_constant<size_t, K>, int64_t i) {
    using C = std::tuple_element_t<K, std::tuple<compute_t<In>...>>;
    if constexpr (Numbers >> K & 1)
      return std::get<K>(number);
    else
      return static_cast<C>(std::get<K>(in)[i]);
  };
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = cast<Out>(f(at(std::integral_constant<size_t, I>(), i)...));
}

/// A StretchFn.
template <class F, class Out, class... In>
void stretch(const void* context, unsigned numbers, char* const* p, int64_t n) {
  const F f = *static_cast<const F*>(context);  // a copy, of which the compiler knows that no store changes it
  constexpr auto all = std::index_sequence_for<In...>();
  if constexpr (sizeof...(In) == 2) {
    if (numbers & 1) return contiguous_stretch<1, Out, In...>(p, n, f, numbers, all);
    if (numbers & 2) return contiguous_stretch<2, Out, In...>(p, n, f, numbers, all);
  }
  contiguous_stretch<0, Out, In...>(p, n, f, 0, all);
}

/// What a number is handed over as in place of elements of type T: one of two inputs in the type of the computation.
template <class T, size_t inputs>
auto number_for(const Value& v) {
  return v.scalar().template to<std::conditional_t<inputs == 2, compute_t<T>, T>>();
}

/// out = f(in…) for element types Out and In…; inputs are tensors of those dtypes, already broadcast, or numbers.
template <class Out, class... In, class F, class... V>
void elementwise_loop(Tensor& out, F&& f, const V&... in) {
  static_assert(sizeof...(In) >= 1 && sizeof...(In) < max_operands);
  [&]<size_t... I>(std::index_sequence<I...>) {
    std::tuple numbers{number_for<In, sizeof...(In)>(in)...};
    Operands operands{1 + int(sizeof...(In)),
                      {sizeof(Out), sizeof(In)...},
                      {&out, (in.is_scalar() ? nullptr : &in.tensor())...},
                      {static_cast<char*>(out.raw())}};
    ((operands.data[I + 1] =
          in.is_scalar() ? reinterpret_cast<char*>(&std::get<I>(numbers)) : static_cast<char*>(in.tensor().raw())),
     ...);
    run_elementwise(out.shape(), operands, &stretch<std::remove_cvref_t<F>, Out, In...>, &f);
  }
  (std::index_sequence_for<In...>());
}

}  // namespace luth::cpu
