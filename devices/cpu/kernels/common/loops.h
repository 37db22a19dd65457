// The loop of elementwise kernels. Inputs and result may have any layout; dims are merged where possible, and ranges of
// elements depend on the shape alone. The walk and the packing of strided operands are compiled once (loops.cpp); each
// function has only its loops over contiguous memory. Kernel libraries only.
#pragma once
#include <algorithm>

#include "core/base/threads.h"
#include "core/op/define.h"
#include "devices/cpu/kernels/common/convert.h"

namespace luth::cpu {

inline constexpr int64_t grain_elements = 32768;
inline constexpr int max_operands = 6;

/// A loop over n elements of contiguous operands; p[0] is the result. Input k is one scalar for all elements if bit k
/// of `scalars` is set: at most one of two inputs, none of other counts. Loops know no 16-bit floats, which come and go
/// as float.
using LoopFn = void (*)(const void* f, unsigned scalars, char* const* p, int64_t n);

/// The operands of a loop, the result first.
struct Operands {
  int count;
  bool copies;                         // the loop moves elements as they are
  const Dtype* dtype;                  // of each; null where none is a 16-bit float, or the LoopFn takes them so
  size_t size[max_operands];           // of an element
  const Tensor* tensor[max_operands];  // null: a scalar at `data`, of compute type if there are two inputs
  char* data[max_operands];
  void set(size_t k, size_t bytes, const Tensor* t, void* at) {
    size[k] = bytes;
    tensor[k] = t;
    data[k] = static_cast<char*>(at);
  }
};

/// Calls `fn` for contiguous parts of the operands, which have the shape `shape`.
void run_elementwise(const Shape& shape, const Operands& operands, LoopFn fn, const void* f);

/// Element i. A bool is read as the byte that it is: g++ vectorises no loop that loads bool.
template <class T>
inline compute_t<T> element(const T* p, int64_t i) {
  if constexpr (std::is_same_v<T, bool>)
    return reinterpret_cast<const uint8_t*>(p)[i] != 0;
  else
    return static_cast<compute_t<T>>(p[i]);
}

/// cast, where a truth value becomes a float by a selection: g++ vectorises no conversion of bool to float.
template <class Out, class V>
inline Out stored(V v) {
  if constexpr (std::is_same_v<V, bool> && is_float<Out>)
    return v ? Out(1.0f) : Out(0.0f);
  else
    return cast<Out>(v);
}

/// An input of a loop: one scalar for all elements, or a contiguous operand.
template <bool scalar, class T>
struct LoopInput {
  const T* p;
  compute_t<T> number;
  explicit LoopInput(const char* data)
      : p(reinterpret_cast<const T*>(data)), number(scalar ? compute_t<T>(*p) : compute_t<T>()) {}
  compute_t<T> operator[](int64_t i) const {
    if constexpr (scalar)
      return number;
    else
      return element(p, i);
  }
};

/// A function with quick(x…), which is right where is_quick(x…) is true, as it is for almost all operands, and calls
/// nothing, where f(x…) itself would keep a loop from being vectorised.
template <class F, class... X>
concept HasQuick = requires(const F& f, X... x) {
  f.quick(x...);
  f.is_quick(x...);
};

/// out[i] = f(in_0[i], …) by blocks: all elements quickly, then those again that need f itself.
template <class Out, class F, class... In>
inline void quick_loop(Out* out, int64_t n, const F& f, const In&... in) {
  constexpr int64_t block = 128;
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t m = std::min(block, n - begin);
    Out results[block];
    int slow = 0;
    for (int64_t i = 0; i < m; ++i) {
      results[i] = cast<Out>(f.quick(in[begin + i]...));
      slow |= !f.is_quick(in[begin + i]...);
    }
    if (slow)
      for (int64_t i = 0; i < m; ++i)
        if (!f.is_quick(in[begin + i]...)) results[i] = cast<Out>(f(in[begin + i]...));
    std::copy(results, results + m, out + begin);
  }
}

/// out[i] = f(in_0[i], …). The result may be an input, element for element; no other overlap comes here.
template <class Out, class F, class... In>
inline void plain_loop(Out* out, int64_t n, const F& f, const In&... in) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = stored<Out>(f(in[i]...));
}

/// The function of loops that only convert. Between float and a 16-bit float they do it directly.
struct Converts {
  template <class T>
  T operator()(T x) const {
    return x;
  }
};
template <class F, class... T>
inline constexpr bool converts_directly = std::is_same_v<F, Converts> && (std::is_same_v<T, float> || ...) &&
                                          (is_half<T> || ...);

template <unsigned Scalars, class Out, class... In, size_t... I, class F>
inline void contiguous_loop(char* const* p, int64_t n, const F& f, std::index_sequence<I...>) {
  auto run = [&](const auto&... in) {
    if constexpr (HasQuick<F, compute_t<In>...>)
      quick_loop(reinterpret_cast<Out*>(p[0]), n, f, in...);
    else
      plain_loop(reinterpret_cast<Out*>(p[0]), n, f, in...);
  };
  run(LoopInput<(Scalars >> I & 1), In>(p[I + 1])...);
}

/// A LoopFn. All that f calls is inlined, whatever its size: a call in a loop keeps it from being vectorised.
template <class F, class Out, class... In>
[[gnu::flatten]] void loop_fn(const void* context, unsigned scalars, char* const* p, int64_t n) {
  const F f = *static_cast<const F*>(context);  // a local copy: the compiler knows that no store changes it
  constexpr auto all = std::index_sequence_for<In...>();
  if constexpr (converts_directly<F, Out, In...>) {
    static_assert(sizeof...(In) == 1);
    (convert_row(reinterpret_cast<const In*>(p[1]), reinterpret_cast<Out*>(p[0]), n), ...);
  } else {
    if constexpr (sizeof...(In) == 2) {
      if (scalars & 1) return contiguous_loop<1, Out, In...>(p, n, f, all);
      if (scalars & 2) return contiguous_loop<2, Out, In...>(p, n, f, all);
    }
    contiguous_loop<0, Out, In...>(p, n, f, all);
  }
}

template <class F, bool direct, class Out, class... In>
LoopFn loop_of() {
  if constexpr (direct)
    return &loop_fn<F, Out, In...>;
  else
    return &loop_fn<F, compute_t<Out>, compute_t<In>...>;
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
    constexpr bool direct = converts_directly<std::remove_cvref_t<F>, Out, In...>;
    constexpr bool widens = !direct && (is_half<Out> || (is_half<In> || ...));
    Operands operands;  // not `Operands{…}`, which would clear what no operand needs
    operands.count = 1 + int(sizeof...(In));
    operands.copies = std::is_same_v<std::tuple<std::remove_cvref_t<F>, Out>, std::tuple<Converts, In...>>;
    operands.dtype = nullptr;
    if constexpr (widens) {
      static constexpr Dtype dtypes[] = {dtype_of<Out>, dtype_of<In>...};
      operands.dtype = dtypes;
    }
    operands.set(0, sizeof(Out), &out, out.raw());
    (operands.set(I + 1, sizeof(In), in.is_scalar() ? nullptr : &in.tensor(),
                  in.is_scalar() ? &std::get<I>(scalars) : in.tensor().raw()),
     ...);
    run_elementwise(out.shape(), operands, loop_of<std::remove_cvref_t<F>, direct, Out, In...>(), &f);
  }
  (std::index_sequence_for<In...>());
}

}  // namespace luth::cpu
