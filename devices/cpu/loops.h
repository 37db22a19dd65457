// The loop of elementwise kernels: any layout of inputs and result, collapsed to as few dims as possible, split by
// element ranges that depend on the shape alone. Kernel libraries only.
#pragma once
#include <tuple>

#include "core/op.h"
#include "core/threads.h"

namespace luth::cpu {

inline constexpr int64_t grain_elements = 32768;

/// K operands (the result first) over one shape; strides in bytes; dims merged where every operand allows it, and
/// ordered so that the result's memory is walked forwards.
template <int K>
struct Nest {
  int dims = 0;
  int64_t extent[max_dims], stride[K][max_dims];
  char* data[K];
  int64_t numel = 1;

  /// `tensors[k]` null: a number at data[k], stride 0.
  Nest(const Shape& shape, const Tensor* const (&tensors)[K], char* const (&pointers)[K]) {
    for (int k = 0; k < K; ++k) data[k] = pointers[k];
    numel = shape.numel();
    if (numel == 0) return;
    bool flat = true;
    for (int k = 0; k < K; ++k) flat = flat && (!tensors[k] || tensors[k]->is_contiguous());
    if (flat) {
      dims = 1;
      extent[0] = numel;
      for (int k = 0; k < K; ++k) stride[k][0] = tensors[k] ? int64_t(size_of(tensors[k]->dtype())) : 0;
      return;
    }
    int order[max_dims];
    sort_dims(shape, tensors[0]->strides(), order);
    for (int i = 0; i < shape.size(); ++i) add(shape[order[i]], order[i], tensors);
    if (dims == 0) {  // all extents are 1
      dims = 1;
      extent[0] = 1;
      for (int k = 0; k < K; ++k) stride[k][0] = 0;
    }
  }

  /// Calls row(pointers, n) for stretches of the innermost dim; `pointers` are K addresses.
  template <class Row>
  void run(Row&& row) const {
    if (numel == 0) return;
    int64_t n = extent[dims - 1];
    if (dims == 1) {
      parallel_for(n, grain_elements, [&](int64_t b, int64_t e) {
        char* p[K];
        for (int k = 0; k < K; ++k) p[k] = data[k] + b * stride[k][0];
        row(p, e - b);
      });
      return;
    }
    int64_t rows = numel / n;
    parallel_for(rows, std::max<int64_t>(1, grain_elements / n), [&](int64_t b, int64_t e) { run_rows(b, e, n, row); });
  }

  int64_t inner_stride(int k) const { return stride[k][dims - 1]; }

 private:
  static void sort_dims(const Shape& shape, const Strides& st, int* order) {
    for (int i = 0; i < shape.size(); ++i) order[i] = i;
    for (int i = 1; i < shape.size(); ++i)
      for (int j = i; j > 0 && st[order[j - 1]] < st[order[j]]; --j) std::swap(order[j - 1], order[j]);
  }
  void add(int64_t n, int dim, const Tensor* const (&tensors)[K]) {
    if (n == 1) return;
    int64_t st[K];
    bool merge = dims > 0;
    for (int k = 0; k < K; ++k) {
      st[k] = tensors[k] ? tensors[k]->strides()[dim] * int64_t(size_of(tensors[k]->dtype())) : 0;
      merge = merge && stride[k][dims - 1] == st[k] * n;
    }
    if (merge) {
      extent[dims - 1] *= n;
      for (int k = 0; k < K; ++k) stride[k][dims - 1] = st[k];
      return;
    }
    extent[dims] = n;
    for (int k = 0; k < K; ++k) stride[k][dims] = st[k];
    ++dims;
  }
  template <class Row>
  void run_rows(int64_t begin, int64_t end, int64_t n, Row& row) const {
    int64_t at[max_dims], rest = begin;
    char* p[K];
    for (int k = 0; k < K; ++k) p[k] = data[k];
    for (int d = dims - 2; d >= 0; --d) {
      at[d] = rest % extent[d];
      rest /= extent[d];
      for (int k = 0; k < K; ++k) p[k] += at[d] * stride[k][d];
    }
    for (int64_t r = begin; r < end; ++r) {
      char* q[K];
      for (int k = 0; k < K; ++k) q[k] = p[k];
      row(q, n);
      for (int d = dims - 2; d >= 0; --d) {
        for (int k = 0; k < K; ++k) p[k] += stride[k][d];
        if (++at[d] < extent[d]) break;
        for (int k = 0; k < K; ++k) p[k] -= extent[d] * stride[k][d];
        at[d] = 0;
      }
    }
  }
};

/// out[i] = f(in_0[i], …) where operand k is one number for all i if bit k of Numbers is set, else contiguous.
template <unsigned Numbers, class Out, class... In, size_t... I, class F>
inline void contiguous_stretch(char* const* p, int64_t n, F& f, std::index_sequence<I...>) {
  Out* out = reinterpret_cast<Out*>(p[0]);
  std::tuple<compute_t<In>...> number{static_cast<compute_t<In>>(*reinterpret_cast<const In*>(p[I + 1]))...};
  std::tuple<const In*...> in{reinterpret_cast<const In*>(p[I + 1])...};
  auto at = [&]<size_t K>(std::integral_constant<size_t, K>, int64_t i) {
    using C = std::tuple_element_t<K, std::tuple<compute_t<In>...>>;
    if constexpr (Numbers >> K & 1)
      return std::get<K>(number);
    else
      return static_cast<C>(std::get<K>(in)[i]);
  };
  for (int64_t i = 0; i < n; ++i) out[i] = cast<Out>(f(at(std::integral_constant<size_t, I>(), i)...));
}

/// One stretch: out[i] = f(in_0[i], …). In is the list of element types of the inputs. Contiguous operands, with
/// numbers beside them, get loops of their own, which vectorise.
template <class Out, class... In, size_t... I, class F>
inline void stretch(char* const* p, const int64_t* st, int64_t n, F& f, std::index_sequence<I...> all) {
  bool plain = st[0] == int64_t(sizeof(Out)) && ((st[I + 1] == int64_t(sizeof(In)) || st[I + 1] == 0) && ...);
  unsigned numbers = ((st[I + 1] == 0 ? 1u << I : 0u) | ...);
  bool done = plain&& [&]<size_t... M>(std::index_sequence<M...>) {
    return ((numbers == M && (contiguous_stretch<unsigned(M), Out, In...>(p, n, f, all), true)) || ...);
  }
  (std::make_index_sequence<(1u << sizeof...(In)) - 1>());
  if (done) return;
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<Out*>(p[0] + i * st[0]) =
        cast<Out>(f(static_cast<compute_t<In>>(*reinterpret_cast<const In*>(p[I + 1] + i * st[I + 1]))...));
}

/// out = f(in…) for element types Out and In…; inputs are tensors of those dtypes, already broadcast, or numbers.
template <class Out, class... In, class F, class... V>
void elementwise_loop(Tensor& out, F&& f, const V&... in) {
  constexpr int K = 1 + int(sizeof...(In));
  std::tuple<In...> numbers{(in.is_scalar() ? in.scalar().template to<In>() : In())...};
  const Tensor* tensors[K] = {&out, (in.is_scalar() ? nullptr : &in.tensor())...};
  char* pointers[K];
  pointers[0] = static_cast<char*>(out.raw());
  [&]<size_t... I>(std::index_sequence<I...>) {
    ((pointers[I + 1] =
          in.is_scalar() ? reinterpret_cast<char*>(&std::get<I>(numbers)) : static_cast<char*>(in.tensor().raw())),
     ...);
  }
  (std::index_sequence_for<In...>());
  Nest<K> nest(out.shape(), tensors, pointers);
  if (nest.numel == 0) return;
  int64_t st[K];
  for (int k = 0; k < K; ++k) st[k] = nest.inner_stride(k);
  nest.run([&](char* const* p, int64_t n) { stretch<Out, In...>(p, st, n, f, std::index_sequence_for<In...>()); });
}

}  // namespace luth::cpu
