// Separable linear maps on CUDA: one sparse matrix per dim, of up to three. Each result gathers its terms, so that
// adjoints need no atomics. The matrices lie in one small buffer, which is copied to the device with the launch.
#include "core/ops/window/resample.h"

#include <cstring>

#include "core/ops/window/resample_layout.h"
#include "devices/cuda/kernels/common/classes.cuh"
#include "devices/cuda/kernels/common/divisor.h"
#include "devices/cuda/kernels/common/element.cuh"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

/// A map on the device; weights float or double. Not where the dim is padded.
struct DeviceMap {
  const int32_t *start, *index;
  const void* weight;
  int64_t from, to;
};
struct DevicePlan {
  DeviceMap maps[3];
  ops::PadDim pad[3];
  bool pads;
  int64_t inner, numel;
  Divisor inner_by, to_by[3];  // where numel fits 31 bits

  /// Coordinates of element i: `outer`, one along each of the three dims, and `in` among the inner elements.
  __device__ void find(int64_t i, int64_t& outer, int (&at)[3], int64_t& in) const {
    if (numel <= INT32_MAX) {
      uint32_t rest = inner_by.divide(uint32_t(i));
      in = i - int64_t(rest) * inner;
#pragma unroll
      for (int d = 2; d >= 0; --d) {
        const uint32_t next = to_by[d].divide(rest);
        at[d] = int(rest - next * to_by[d].d);
        rest = next;
      }
      outer = rest;
      return;
    }
    int64_t rest = i / inner;
    in = i - rest * inner;
#pragma unroll
    for (int d = 2; d >= 0; --d) {
      const int64_t next = rest / maps[d].to;
      at[d] = int(rest - next * maps[d].to);
      rest = next;
    }
    outer = rest;
  }
};

/// Elements that are only moved.
template <class U>
__global__ void gather_elements(DevicePlan p, const U* x, U fill, U* y) {
  for (const int64_t i : grid_stride(p.numel)) {
    int64_t from, in;
    int at[3];
    p.find(i, from, at, in);
    bool inside = true;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      int64_t picked = -1;
      if (p.pads)
        picked = p.pad[d].at(at[d]);
      else if (const int32_t k = p.maps[d].start[at[d]]; k < p.maps[d].start[at[d] + 1])
        picked = p.maps[d].index[k];
      inside = inside && picked >= 0;
      from = from * p.maps[d].from + picked;
    }
    y[i] = inside ? x[from * p.inner + in] : fill;
  }
}

template <class T, class W>
__global__ void sum_elements(DevicePlan p, Elements<T> x, Elements<T> y) {
  using C = typename Elements<T>::Compute;
  for (const int64_t i : grid_stride(p.numel)) {
    int64_t outer, in;
    int at[3];
    p.find(i, outer, at, in);
    int32_t begin[3], end[3];
    const W* weight[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      begin[d] = p.maps[d].start[at[d]], end[d] = p.maps[d].start[at[d] + 1];
      weight[d] = static_cast<const W*>(p.maps[d].weight);
    }
    C sum = 0;
    for (int32_t k = begin[0]; k < end[0]; ++k)
      for (int32_t l = begin[1]; l < end[1]; ++l) {
        const int64_t row = (outer * p.maps[0].from + p.maps[0].index[k]) * p.maps[1].from + p.maps[1].index[l];
        C part = 0;
        for (int32_t m = begin[2]; m < end[2]; ++m)
          part += x[(row * p.maps[2].from + p.maps[2].index[m]) * p.inner + in] * C(weight[2][m]);
        sum += part * C(weight[0][k] * weight[1][l]);
      }
    y.set(i, sum);
  }
}

/// The maps in one buffer on the device. It must live until the kernel is started.
class Uploaded {
 public:
  Uploaded(const ops::ResamplePlan& p, const Tensor& y, bool wide) {
    plan_.inner = p.inner, plan_.numel = y.numel(), plan_.pads = p.pads;
    for (int d = 0; d < 3; ++d) {
      plan_.pad[d] = p.pad[d];
      plan_.maps[d].from = p.pads ? p.pad[d].from : p.maps[d].from;
      plan_.maps[d].to = p.pads ? p.pad[d].to : p.maps[d].to;
      if (y.numel() <= INT32_MAX) plan_.to_by[d] = Divisor(plan_.maps[d].to);
    }
    if (y.numel() <= INT32_MAX) plan_.inner_by = Divisor(p.inner);
    if (!p.pads) upload(p, y.device(), wide);
  }
  const DevicePlan& plan() const { return plan_; }

 private:
  void upload(const ops::ResamplePlan& p, Device& device, bool wide) {
    size_t bytes = 0, at = 0;
    for (auto& m : p.maps) bytes += write_map(nullptr, m, wide);
    const Tensor here = Tensor::empty({int64_t(bytes)}, Dtype::u8, host());
    buffer_ = Tensor::empty({int64_t(bytes)}, Dtype::u8, device);
    for (int d = 0; d < 3; ++d) {
      const ops::AxisMap& m = p.maps[d];
      char* there = static_cast<char*>(buffer_.raw()) + at;
      const size_t n = m.weight.size() * (wide ? 8 : 4), index = n + m.index.size() * 4;
      plan_.maps[d].weight = there;
      plan_.maps[d].index = reinterpret_cast<int32_t*>(there + n);
      plan_.maps[d].start = reinterpret_cast<int32_t*>(there + index);
      at += write_map(static_cast<char*>(here.raw()) + at, m, wide);
    }
    copy_bytes(buffer_.raw(), device, here.raw(), host(), bytes);
  }
  // Weights, indices, starts; a multiple of 16 bytes. Null: only counts.
  static size_t write_map(char* to, const ops::AxisMap& m, bool wide) {
    const size_t n = m.weight.size(), weights = n * (wide ? 8 : 4), indices = n * 4, starts = m.start.size() * 4;
    if (to) {
      for (size_t i = 0; i < n; ++i)
        if (wide)
          reinterpret_cast<double*>(to)[i] = m.weight[i];
        else
          reinterpret_cast<float*>(to)[i] = float(m.weight[i]);
      if (n) std::memcpy(to + weights, m.index.data(), indices);
      std::memcpy(to + weights + indices, m.start.data(), starts);
    }
    return (weights + indices + starts + 15) / 16 * 16;
  }
  Tensor buffer_;
  DevicePlan plan_{};
};

template <class Op>
void resample(const Op& op, Tensor& y, const Strided& input) {
  if (y.numel() == 0) return;
  const ops::ResampleLayout layout(op, y, input);
  const Tensor& x = layout.x;
  const ops::ResamplePlan& p = layout.plan;
  const bool wide = y.dtype() == Dtype::f64;
  const Uploaded maps(p, y, wide);
  const unsigned blocks = blocks_for(y.numel(), threads);
  if (p.picks) {
    const Tensor value = Tensor::scalar(p.value, y.dtype());
    return by_width(y.dtype(), [&]<class U>(Type<U>) {
      start(y, gather_elements<U>, blocks, threads, 0, maps.plan(), static_cast<const U*>(x.raw()),
            *static_cast<const U*>(value.raw()), static_cast<U*>(y.raw()));
    });
  }
  if (!is_floating(y.dtype()) && y.dtype() != Dtype::i64) throw_unsupported(y.dtype());
  dispatch_class(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    using W = std::conditional_t<std::is_same_v<T, double>, double, float>;
    start(y, sum_elements<T, W>, blocks, threads, 0, maps.plan(), Elements<T>(x), Elements<T>(y));
  });
}

const Kernel<resample<ops::PadNd>> pad_;
const Kernel<resample<ops::InterpolateNd>> interpolate_;
const Kernel<resample<ops::UnfoldNd>> unfold_;

}  // namespace
}  // namespace luth::cuda
