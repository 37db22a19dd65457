// cuDNN for the fake run-time: the same function, computed plainly by one thread per result in the stream's order, and
// strict about what it is given. LUTH_FAKE_DNN=none: there is no such library; =unordered: gradients of weights are
// summed in another order each time unless they are asked to be deterministic, as the library's fastest algorithms do;
// =full: it finds memory of its own only while nothing is cached.
#include "devices/cuda/libraries/dnn.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "core/tensor/tensor.h"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

using Kind = DnnConv::Kind;

__host__ __device__ int64_t area(const int64_t (&extent)[3]) { return extent[0] * extent[1] * extent[2]; }

// Offsets in the three operands; `p` counts the elements of a channel.
__device__ int64_t image_at(const DnnConv& s, int64_t n, int64_t c, int64_t channels, int64_t p, int64_t area) {
  return s.channels_last ? (n * area + p) * channels + c : (n * channels + c) * area + p;
}
__device__ int64_t filter_at(const DnnConv& s, int64_t o, int64_t c, int64_t p) {
  return image_at(s, o, c, s.ic / s.groups, p, area(s.kernel));
}
/// The element of the input that element `k` of a filter meets at position `p`, or -1 for padding.
__device__ int64_t met_by(const DnnConv& s, int64_t k, int64_t p) {
  int64_t at[3];
  for (int d = 2; d >= 0; --d) {
    at[d] = p % s.out[d] * s.stride[d] - s.before[d] + k % s.kernel[d] * s.dilation[d];
    if (at[d] < 0 || at[d] >= s.in[d]) return -1;
    p /= s.out[d], k /= s.kernel[d];
  }
  return (at[0] * s.in[1] + at[1]) * s.in[2] + at[2];
}

template <class T, class C = compute_t<T>>
__global__ void convolve(DnnConv s, const T* a, const T* b, T* out, int64_t results, int64_t first) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= results) return;
  C sum = 0;
  const int64_t in_group = s.oc / s.groups, of_group = s.ic / s.groups;
  const int64_t in = area(s.in), kernel = area(s.kernel), positions = area(s.out);
  auto x_at = [&](int64_t n, int64_t o, int64_t c, int64_t p) {
    return image_at(s, n, o / in_group * of_group + c, s.ic, p, in);
  };
  if (s.kind == Kind::forward) {
    const int64_t n = i / (s.oc * positions), o = i / positions % s.oc, p = i % positions;
    for (int64_t c = 0; c < of_group; ++c)
      for (int64_t k = 0; k < kernel; ++k)
        if (const int64_t q = met_by(s, k, p); q >= 0) sum += C(a[x_at(n, o, c, q)]) * C(b[filter_at(s, o, c, k)]);
    out[image_at(s, n, o, s.oc, p, positions)] = T(sum);
  } else if (s.kind == Kind::grad_weight) {
    const int64_t o = i / (of_group * kernel), c = i / kernel % of_group, k = i % kernel;
    for (int64_t m = 0; m < s.n; ++m)
      for (int64_t p = 0; p < positions; ++p)
        if (const int64_t q = met_by(s, k, p), n = (first + m) % s.n; q >= 0)
          sum += C(a[image_at(s, n, o, s.oc, p, positions)]) * C(b[x_at(n, o, c, q)]);
    out[filter_at(s, o, c, k)] = T(sum);
  } else {
    const int64_t n = i / (s.ic * in), c = i / in % s.ic, q = i % in;
    for (int64_t o = c / of_group * in_group; o < (c / of_group + 1) * in_group; ++o)
      for (int64_t k = 0; k < kernel; ++k)
        for (int64_t p = 0; p < positions; ++p)
          if (met_by(s, k, p) == q)
            sum += C(a[image_at(s, n, o, s.oc, p, positions)]) * C(b[filter_at(s, o, c % of_group, k)]);
    out[image_at(s, n, c, s.ic, q, in)] = T(sum);
  }
}

void want(bool holds, const char* what) {
  if (!holds) throw Error("fake cuDNN: {}", what);
}
void check_arguments(const DnnConv& s, const void* a, const void* b, const void* out) {
  for (const void* p : {a, b, static_cast<const void*>(out)}) {
    want(p, "a pointer is null");
    want(reinterpret_cast<uintptr_t>(p) % uintptr_t(s.alignment) == 0, "a pointer is not aligned as promised");
  }
  want(s.alignment >= int64_t(size_of(Dtype(s.dtype))) && s.alignment <= 16, "an alignment that is none");
  want(s.dims == 3 || (s.dims == 2 && s.in[0] == 1 && s.kernel[0] == 1), "neither images nor volumes");
  for (int64_t n : {s.n, s.groups, s.ic, s.oc}) want(n > 0, "an extent is not positive");
  want(s.ic % s.groups == 0 && s.oc % s.groups == 0, "channels do not divide into groups");
  for (int d = 0; d < 3; ++d) {
    want(s.in[d] > 0 && s.out[d] > 0 && s.kernel[d] > 0, "an extent is not positive");
    want(s.stride[d] > 0 && s.dilation[d] > 0 && s.before[d] >= 0 && s.after[d] >= 0, "a window that is none");
    const int64_t room = s.in[d] + s.before[d] + s.after[d] - s.dilation[d] * (s.kernel[d] - 1) - 1;
    want(room >= 0 && room / s.stride[d] + 1 == s.out[d], "the window does not give the result's size");
  }
}

bool wanted(const char* behaviour) {
  const char* set = std::getenv("LUTH_FAKE_DNN");
  return set && !std::strcmp(set, behaviour);
}

}  // namespace

bool dnn_convolve(const DnnConv& s, Device& device, const void* a, const void* b, void* out) {
  check_arguments(s, a, b, out);
  if (!std::equal(s.before, s.before + 3, s.after)) return false;  // as most of cuDNN's algorithms have it
  if (wanted("full") && device.memory().reserved > device.memory().allocated)
    throw Error(ErrorCode::memory, "fake cuDNN: no memory for a kernel");
  const int64_t results = s.kind == Kind::forward       ? s.n * s.oc * area(s.out)
                          : s.kind == Kind::grad_weight ? s.oc * s.ic / s.groups * area(s.kernel)
                                                        : s.n * s.ic * area(s.in);
  static std::atomic<int64_t> calls{0};
  const int64_t first = wanted("unordered") && !s.deterministic ? calls++ % s.n : 0;
  OnDevice on(device.index());
  dispatch(Floats{}, Dtype(s.dtype), [&]<class T>(Type<T>) {
    launch(convolve<T>, unsigned((results + 63) / 64), 64, 0, stream_of(device), s, static_cast<const T*>(a),
           static_cast<const T*>(b), static_cast<T*>(out), results, first);
  });
  return true;
}

std::string dnn_missing() { return wanted("none") ? "libcudnn.so.9: cannot open shared object file" : ""; }
int64_t dnn_version() { return dnn_missing().empty() ? 91203 : 0; }

}  // namespace luth::cuda
