// What a convolution is, for dnn.h and the graphs of dnn_graph.h.
#pragma once
#include <cstdint>

namespace luth::cuda {

/// One convolution of dense images or volumes x [n, ic, in…] with filters w [oc, ic / groups, kernel…] to y
/// [n, oc, out…], or one of its two gradients; also the key of the cache of plans. Lists are of depth, height and
/// width; images have one plane.
struct DnnConv {
  enum class Kind : int64_t { forward, grad_input, grad_weight };
  Kind kind;
  int64_t dtype;  // a luth::Dtype: f16, bf16, f32 or f64
  int64_t dims;   // 2 or 3
  int64_t n, groups, ic, oc;
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3];
  int64_t before[3], after[3];  // padding before and after, never negative
  int64_t channels_last;        // 1: all three lie as NHWC (filters OHWI); 0: NCHW (OIHW)
  int64_t alignment;            // of all three, in bytes: a power of two, at most 16
  int64_t tf32;                 // 1: float32 may be rounded to 10 bits before it is multiplied
  int64_t deterministic;        // 1: the same bits each time
  int64_t benchmark;            // 1: times several algorithms first, which waits for the device

  bool operator==(const DnnConv&) const = default;
};

}  // namespace luth::cuda
