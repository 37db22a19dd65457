// Labels of classes as losses read them: of any integer dtype, checked, ignored, weighted, smoothed.
#pragma once
#include "devices/cuda/kernels/common/rows.cuh"
#include "devices/cuda/runtime/index_check.h"

namespace luth::cuda {

/// Labels of any integer dtype.
struct Labels {
  const void* data;
  int size;        // bytes of an element
  bool is_signed;  // only uint8 is not
  int base;
  int64_t classes, ignore;
  IndexCheck check;

  template <class Op>
  Labels(const Op& op, const Tensor& target, int64_t n)
      : data(target.raw()),
        size(int(size_of(target.dtype()))),
        is_signed(target.dtype() != Dtype::u8),
        base(op.base),
        classes(n),
        ignore(op.ignore_index),
        check(check_indices(target, op.base, false, "target")) {}

  /// The class from 0 that label i names; -1 where it is ignored.
  __device__ int64_t at(int64_t i) const {
    const int64_t v = value(i), k = v < 0 ? v : v - base;
    if (k == ignore && !(v == 0 && base)) return -1;
    const int64_t index = check(v, classes, i);
    return classes ? index : -1;
  }

 private:
  __device__ int64_t value(int64_t i) const {
    switch (size) {
      case 1: return is_signed ? int64_t(static_cast<const int8_t*>(data)[i]) : static_cast<const uint8_t*>(data)[i];
      case 2: return static_cast<const int16_t*>(data)[i];
      case 4: return static_cast<const int32_t*>(data)[i];
      default: return static_cast<const int64_t*>(data)[i];
    }
  }
};

/// A label's share of the loss is own * weights[label] + spread * (sum over classes of weights).
template <class T>
struct Shares {
  using A = compute_t<T>;
  Parameter<T> weights;
  A own, spread;

  Shares(double smoothing, const Tensor& weight, int64_t classes, Tensor& keep)
      : weights(weight, A(1), keep), own(A(1 - smoothing)), spread(A(smoothing / double(classes))) {}
  __device__ bool smooth() const { return spread > A(0); }
};

}  // namespace luth::cuda
