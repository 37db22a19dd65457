// Integers of any dtype behind one instance of a kernel: computed in int64_t, wrapped to the dtype when stored.
// Includes the core's vocabulary.
#pragma once
#include "core/tensor.h"

namespace luth::cuda {

/// Stands for every integer dtype in the list of a kernel's types.
struct AnyInteger {};
using FloatsAndIntegers = Types<float, double, half, bfloat16, AnyInteger>;

/// The elements of a tensor (null: none), loaded and stored in the type that kernels compute in.
template <class T>
struct Elements {
  using Compute = compute_t<T>;
  T* data;

  explicit Elements(const Tensor& t) : data(t ? t.data<T>() : nullptr) {}
  __device__ explicit operator bool() const { return data; }
  __device__ Compute operator[](int64_t i) const { return Compute(data[i]); }
  __device__ void set(int64_t i, Compute v) const { data[i] = T(v); }
  /// `v` as an element would hold it, before it is rounded.
  __device__ Compute wrap(Compute v) const { return v; }
  void advance(int64_t n) { data += n; }
};

template <>
struct Elements<AnyInteger> {
  using Compute = int64_t;
  char* data;
  Dtype dtype;

  explicit Elements(const Tensor& t) : data(t ? t.data<char>() : nullptr), dtype(t ? t.dtype() : Dtype::i64) {}
  __device__ explicit operator bool() const { return data; }
  __device__ int64_t operator[](int64_t i) const {
    switch (dtype) {
      case Dtype::u8: return reinterpret_cast<const uint8_t*>(data)[i];
      case Dtype::i8: return reinterpret_cast<const int8_t*>(data)[i];
      case Dtype::i16: return reinterpret_cast<const int16_t*>(data)[i];
      case Dtype::i32: return reinterpret_cast<const int32_t*>(data)[i];
      default: return reinterpret_cast<const int64_t*>(data)[i];
    }
  }
  __device__ void set(int64_t i, int64_t v) const {
    switch (dtype) {
      case Dtype::u8: reinterpret_cast<uint8_t*>(data)[i] = uint8_t(v); break;
      case Dtype::i8: reinterpret_cast<int8_t*>(data)[i] = int8_t(v); break;
      case Dtype::i16: reinterpret_cast<int16_t*>(data)[i] = int16_t(v); break;
      case Dtype::i32: reinterpret_cast<int32_t*>(data)[i] = int32_t(v); break;
      default: reinterpret_cast<int64_t*>(data)[i] = v;
    }
  }
  __device__ int64_t wrap(int64_t v) const {
    switch (dtype) {
      case Dtype::u8: return uint8_t(v);
      case Dtype::i8: return int8_t(v);
      case Dtype::i16: return int16_t(v);
      case Dtype::i32: return int32_t(v);
      default: return v;
    }
  }
  void advance(int64_t n) { data += n * int64_t(size_of(dtype)); }
};

/// f(Type<T>()) for the member of FloatsAndIntegers that serves `d`.
template <class F>
void dispatch_numbers(Dtype d, F&& f) {
  if (is_integral(d))
    f(Type<AnyInteger>());
  else
    dispatch(Floats{}, d, f);
}

}  // namespace luth::cuda
