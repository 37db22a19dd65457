// cuDNN for the fake run-time: the same function, computed plainly by one thread per result in the stream's order, and
// strict about what it is given. LUTH_FAKE_DNN=none: there is no such library; =unordered: gradients of weights are
// summed in another order each time unless they are asked to be deterministic, as the library's fastest algorithms do.
#include "devices/cuda/libraries/dnn.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "core/tensor/tensor.h"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

using Kind = DnnConv::Kind;

// Offsets in the three operands.
__device__ int64_t image_at(const DnnConv& s, int64_t n, int64_t c, int64_t channels, int64_t h, int64_t height,
                            int64_t w, int64_t width) {
  return s.channels_last ? ((n * height + h) * width + w) * channels + c
                         : ((n * channels + c) * height + h) * width + w;
}
__device__ int64_t filter_at(const DnnConv& s, int64_t o, int64_t c, int64_t r, int64_t q) {
  const int64_t channels = s.ic / s.groups;
  return s.channels_last ? ((o * s.kh + r) * s.kw + q) * channels + c : ((o * channels + c) * s.kh + r) * s.kw + q;
}

/// Calls f(n, o, c of the group, r, q, i, j, h, w) for every product that the convolution has, in which the named
/// numbers, where they are not -1, are fixed.
template <class F>
__device__ void each_product(const DnnConv& s, const int64_t (&want)[6], F&& f) {
  const int64_t to[6] = {s.n, s.oc, s.ic / s.groups, s.kh, s.kw, s.oh * s.ow};
  int64_t at[6];
  auto walk = [&](auto& self, int d) -> void {
    if (d == 6) {
      const int64_t i = at[5] / s.ow, j = at[5] % s.ow;
      const int64_t h = i * s.stride[0] - s.before[0] + at[3] * s.dilation[0];
      const int64_t w = j * s.stride[1] - s.before[1] + at[4] * s.dilation[1];
      if (h >= 0 && h < s.ih && w >= 0 && w < s.iw) f(at[0], at[1], at[2], at[3], at[4], i, j, h, w);
      return;
    }
    for (at[d] = want[d] < 0 ? 0 : want[d]; at[d] < (want[d] < 0 ? to[d] : want[d] + 1); ++at[d]) self(self, d + 1);
  };
  walk(walk, 0);
}

template <class T, class C = compute_t<T>>
__global__ void convolve(DnnConv s, const T* a, const T* b, T* out, int64_t results, int64_t first) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= results) return;
  C sum = 0;
  const int64_t in_group = s.oc / s.groups, of_group = s.ic / s.groups;
  auto x_at = [&](int64_t n, int64_t o, int64_t c, int64_t h, int64_t w) {
    return image_at(s, n, o / in_group * of_group + c, s.ic, h, s.ih, w, s.iw);
  };
  if (s.kind == Kind::forward) {
    const int64_t n = i / (s.oc * s.oh * s.ow), o = i / (s.oh * s.ow) % s.oc, p = i % (s.oh * s.ow);
    each_product(s, {n, o, -1, -1, -1, p},
                 [&](int64_t, int64_t, int64_t c, int64_t r, int64_t q, int64_t, int64_t, int64_t h, int64_t w) {
                   sum += C(a[x_at(n, o, c, h, w)]) * C(b[filter_at(s, o, c, r, q)]);
                 });
    out[image_at(s, n, o, s.oc, p / s.ow, s.oh, p % s.ow, s.ow)] = T(sum);
  } else if (s.kind == Kind::grad_weight) {
    const int64_t o = i / (of_group * s.kh * s.kw), c = i / (s.kh * s.kw) % of_group, r = i / s.kw % s.kh, q = i % s.kw;
    for (int64_t k = 0; k < s.n; ++k)
      each_product(s, {(first + k) % s.n, o, c, r, q, -1},
                   [&](int64_t n, int64_t, int64_t, int64_t, int64_t, int64_t u, int64_t v, int64_t h, int64_t w) {
                     sum += C(a[image_at(s, n, o, s.oc, u, s.oh, v, s.ow)]) * C(b[x_at(n, o, c, h, w)]);
                   });
    out[filter_at(s, o, c, r, q)] = T(sum);
  } else {
    const int64_t n = i / (s.ic * s.ih * s.iw), c = i / (s.ih * s.iw) % s.ic, h = i / s.iw % s.ih, w = i % s.iw;
    for (int64_t o = c / of_group * in_group; o < (c / of_group + 1) * in_group; ++o)
      each_product(
          s, {n, o, c % of_group, -1, -1, -1},
          [&](int64_t, int64_t, int64_t k, int64_t r, int64_t q, int64_t u, int64_t v, int64_t hh, int64_t ww) {
            if (hh == h && ww == w)
              sum += C(a[image_at(s, n, o, s.oc, u, s.oh, v, s.ow)]) * C(b[filter_at(s, o, k, r, q)]);
          });
    out[image_at(s, n, c, s.ic, h, s.ih, w, s.iw)] = T(sum);
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
  for (int64_t n : {s.n, s.groups, s.ic, s.ih, s.iw, s.oc, s.oh, s.ow, s.kh, s.kw})
    want(n > 0, "an extent is not positive");
  want(s.ic % s.groups == 0 && s.oc % s.groups == 0, "channels do not divide into groups");
  const int64_t image[2] = {s.ih, s.iw}, filter[2] = {s.kh, s.kw}, positions[2] = {s.oh, s.ow};
  for (int d = 0; d < 2; ++d) {
    want(s.stride[d] > 0 && s.dilation[d] > 0 && s.before[d] >= 0 && s.after[d] >= 0, "a window that is none");
    const int64_t room = image[d] + s.before[d] + s.after[d] - s.dilation[d] * (filter[d] - 1) - 1;
    want(room >= 0 && room / s.stride[d] + 1 == positions[d], "the window does not give the result's size");
  }
}

bool wanted(const char* behaviour) {
  const char* set = std::getenv("LUTH_FAKE_DNN");
  return set && !std::strcmp(set, behaviour);
}

}  // namespace

bool dnn_convolve(const DnnConv& s, Device& device, const void* a, const void* b, void* out) {
  check_arguments(s, a, b, out);
  if (s.before[0] != s.after[0] || s.before[1] != s.after[1]) return false;  // as most of cuDNN's algorithms have it
  const int64_t results = s.kind == Kind::forward       ? s.n * s.oc * s.oh * s.ow
                          : s.kind == Kind::grad_weight ? s.oc * s.ic / s.groups * s.kh * s.kw
                                                        : s.n * s.ic * s.ih * s.iw;
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
