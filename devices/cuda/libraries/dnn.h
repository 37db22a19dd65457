// Convolution by cuDNN, behind one function of ours: dnn.cpp is the only file that knows the library, and
// tests/fakecuda/libraries/dnn.cpp stands for it where there is no GPU. Includes core/device.
#pragma once
#include <string>

#include "core/base/dtype.h"
#include "core/device/device.h"

namespace luth::cuda {

/// One convolution of dense images x [n, ic, ih, iw] with filters w [oc, ic / groups, kh, kw] to y [n, oc, oh, ow], or
/// one of its two gradients; also the key of the cache of plans. Pairs are height and width.
struct DnnConv {
  enum class Kind : int64_t { forward, grad_input, grad_weight };
  Kind kind;
  int64_t dtype;  // a luth::Dtype: f16, bf16, f32 or f64
  int64_t n, groups, ic, ih, iw, oc, oh, ow, kh, kw;
  int64_t stride[2], dilation[2], before[2], after[2];  // padding before and after, never negative
  int64_t channels_last;                                // 1: all three lie as NHWC (filters OHWI); 0: NCHW (OIHW)
  int64_t alignment;                                    // of all three, in bytes: a power of two, at most 16
  int64_t tf32;                                         // 1: float32 may be rounded to 10 bits before it is multiplied
  int64_t deterministic;                                // 1: the same bits each time
  int64_t benchmark;                                    // 1: times several algorithms first, which waits for the device

  bool operator==(const DnnConv&) const = default;
};

/// forward: out = y of (x, w); grad_input: out = dx of (dy, w); grad_weight: out = dw of (dy, x). In the current stream
/// of `device`, whose memory it all is; scratch memory comes from the device's allocator. False, and nothing done,
/// where there is no cuDNN or it has no algorithm for this: then our own kernels serve. Throws what cuDNN reports.
bool dnn_convolve(const DnnConv& conv, Device& device, const void* a, const void* b, void* out);

/// 91900 of cuDNN 9.19.0; 0 where there is none that serves. Opens it.
int64_t dnn_version();
/// Why there is none: "" where there is one. Opens it.
std::string dnn_missing();

}  // namespace luth::cuda
