// Classes of element types, so that one instance of a kernel serves several dtypes: 16-bit floats are computed in
// float, integers in int64_t and wrapped to their dtype when stored.
#pragma once
#include "core/tensor/tensor.h"
#include "devices/cuda/kernels/common/half.cuh"

namespace luth::cuda {

/// Stands for float16 and bfloat16 in the list of a kernel's types.
struct AnyHalf {};
/// Stands for every integer dtype, and for bool as 0 and 1.
struct AnyInteger {};

/// f(Type<C>()) for the class C that serves `d`: float, double, AnyHalf, AnyInteger or bool. Throws where the list has
/// no such dtype. A list has all dtypes of a class or none.
template <class... T, class F>
void dispatch_class(Types<T...>, Dtype d, F&& f) {
  if constexpr ((std::is_same_v<T, float> || ...))
    if (d == Dtype::f32) return f(Type<float>());
  if constexpr ((std::is_same_v<T, double> || ...))
    if (d == Dtype::f64) return f(Type<double>());
  if constexpr ((std::is_same_v<T, half> || ...))
    if (d == Dtype::f16 || d == Dtype::bf16) return f(Type<AnyHalf>());
  if constexpr ((std::is_same_v<T, int64_t> || ...))
    if (is_integral(d)) return f(Type<AnyInteger>());
  if constexpr ((std::is_same_v<T, bool> || ...))
    if (d == Dtype::boolean) return f(Type<bool>());
  throw_unsupported(d);
}

/// n elements that are loaded and stored at once.
template <class T, int n>
struct alignas(n * sizeof(T)) AlignedVector {
  T v[n];
};
/// Elements of an aligned vector of 16 bytes.
template <class T>
inline constexpr int vector_size = 16 / int(sizeof(T));

/// The type in which elements of type T are summed.
template <class T>
using sum_t = std::conditional_t<is_float<T>, compute_t<T>, int64_t>;

/// The elements of a tensor (null: none), loaded and stored in the type that kernels compute in: `Compute`. `load` and
/// `store` move `n` neighbours, aligned to n elements. Self::widened and Self::rounded convert one element.
template <class Self, class T, class C>
struct TypedElements {
  using Compute = C;
  static constexpr size_t size = sizeof(T);
  T* data;

  explicit TypedElements(const Tensor& t) : data(t ? t.data<T>() : nullptr) {}
  /// A number that stands for elements of dtype `d`, as a kernel computes with it.
  static C number(const Scalar& s, Dtype) { return s.to<C>(); }
  __device__ explicit operator bool() const { return data; }
  __device__ C operator[](int64_t i) const { return self().widened(data[i]); }
  template <class V>
  __device__ void set(int64_t i, V v) const {
    data[i] = self().rounded(v);
  }
  template <int n>
  __device__ void load(int64_t i, C (&to)[n]) const {
    const auto vector = *reinterpret_cast<const AlignedVector<T, n>*>(data + i);
    for (int k = 0; k < n; ++k) to[k] = self().widened(vector.v[k]);
  }
  template <int n, class V>
  __device__ void store(int64_t i, const V (&from)[n]) const {
    AlignedVector<T, n> vector;
    for (int k = 0; k < n; ++k) vector.v[k] = self().rounded(from[k]);
    *reinterpret_cast<AlignedVector<T, n>*>(data + i) = vector;
  }
  /// `v` as the dtype holds it: integers wrap, floats are not rounded.
  __device__ C wrap(C v) const { return v; }
  void advance(int64_t n) { data += n; }

 private:
  __device__ const Self& self() const { return static_cast<const Self&>(*this); }
};

template <class T>
struct Elements : TypedElements<Elements<T>, T, compute_t<T>> {
  using TypedElements<Elements<T>, T, compute_t<T>>::TypedElements;
  __device__ static compute_t<T> widened(T v) { return widen(v); }
  template <class V>
  __device__ static T rounded(V v) {
    if constexpr (is_half<T>)
      return narrow<T>(float(v));
    else
      return cast<T>(v);
  }
};

template <>
struct Elements<AnyHalf> : TypedElements<Elements<AnyHalf>, uint16_t, float> {
  bool brain;  // bfloat16

  explicit Elements(const Tensor& t) : TypedElements(t), brain(t && t.dtype() == Dtype::bf16) {}
  __device__ float widened(uint16_t b) const { return brain ? widen(bfloat16::raw(b)) : widen(half::raw(b)); }
  template <class V>
  __device__ uint16_t rounded(V v) const {
    return brain ? narrow<bfloat16>(float(v)).bits : narrow<half>(float(v)).bits;
  }
};

template <>
struct Elements<AnyInteger> {
  using Compute = int64_t;
  static constexpr size_t size = 4;  // of the usual dtypes
  void* data;
  Dtype dtype;

  explicit Elements(const Tensor& t) : data(t ? t.raw() : nullptr), dtype(t ? t.dtype() : Dtype::i64) {}
  static int64_t number(const Scalar& s, Dtype d) {
    int64_t v = 0;
    dispatch(IntegersAndBool{}, d, [&]<class T>(Type<T>) { v = s.to<T>(); });
    return v;
  }
  __device__ explicit operator bool() const { return data; }
  __device__ int64_t operator[](int64_t i) const {
    int64_t v;
    visit([&](auto* p) { v = p[i]; });
    return v;
  }
  template <class V>
  __device__ void set(int64_t i, V v) const {
    visit([&]<class T>(T* p) { p[i] = cast<T>(v); });
  }
  template <int n>
  __device__ void load(int64_t i, int64_t (&to)[n]) const {
    visit([&]<class T>(T* p) {
      const auto vector = *reinterpret_cast<const AlignedVector<T, n>*>(p + i);
      for (int k = 0; k < n; ++k) to[k] = vector.v[k];
    });
  }
  template <int n, class V>
  __device__ void store(int64_t i, const V (&from)[n]) const {
    visit([&]<class T>(T* p) {
      AlignedVector<T, n> vector;
      for (int k = 0; k < n; ++k) vector.v[k] = cast<T>(from[k]);
      *reinterpret_cast<AlignedVector<T, n>*>(p + i) = vector;
    });
  }
  __device__ int64_t wrap(int64_t v) const {
    int64_t w;
    visit([&]<class T>(T*) { w = cast<T>(v); });
    return w;
  }
  void advance(int64_t n) { data = static_cast<char*>(data) + n * int64_t(size_of(dtype)); }

 private:
  template <class F>
  __device__ __forceinline__ void visit(F f) const {
    switch (dtype) {
      case Dtype::boolean: return f(static_cast<bool*>(data));
      case Dtype::u8: return f(static_cast<uint8_t*>(data));
      case Dtype::i8: return f(static_cast<int8_t*>(data));
      case Dtype::i16: return f(static_cast<int16_t*>(data));
      case Dtype::i32: return f(static_cast<int32_t*>(data));
      default: return f(static_cast<int64_t*>(data));
    }
  }
};

}  // namespace luth::cuda
