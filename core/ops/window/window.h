// Windows over 1 to 3 spatial dims: their checks, which are PyTorch's, and their arithmetic, for convolution, pooling,
// unfolding and padding. A list of one number stands for all spatial dims.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// A window along one dim: at position i it sees the elements begin(i) + r * dilation for 0 <= r < kernel.
struct WindowDim {
  int64_t kernel = 1, stride = 1, padding_lo = 0, padding_hi = 0, dilation = 1;
  /// Elements from the first to the last that it sees.
  LUTH_HD int64_t span() const { return dilation * (kernel - 1) + 1; }
  LUTH_HD int64_t begin(int64_t i) const { return i * stride - padding_lo; }
  /// How many positions it has over n elements; throws where there is none. `ceil_mode` adds a last one that is partly
  /// outside, if it begins within the elements or the padding before them.
  int64_t positions(int64_t n, bool ceil_mode = false) const;
};

/// Throws unless `v` is one number or `dims` of them, each at least `least` and below 2^31.
void check_list(const char* what, const Ints& v, int dims, int64_t least);
/// Throws unless `v` is a tensor [N, C, …] or [C, …] with `dims` spatial dims and with elements in all dims but N.
void check_spatial(const char* what, const Value& v, int dims);
/// Throws where a dim from `first` on has no elements.
void check_elements(const char* what, const Shape& s, int first);
void refuse_bool(const char* what, const Value& v);

/// The last `dims` extents.
Ints spatial(const Shape& s, int dims);
/// `s` with other last extents.
Shape with_spatial(Shape s, const Ints& extents);
/// Whether `v` is a batch of images that lies as NHWC and not as NCHW.
bool only_nhwc(const Value& v, int dims);
/// A result in NHWC memory where `nhwc` says so and it has 4 dims.
Spec spatial_spec(const Shape& shape, Dtype dtype, bool nhwc);

}  // namespace luth::ops
