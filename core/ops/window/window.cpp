#include "core/ops/window/window.h"

#include "core/op/memory_order.h"

namespace luth::ops {
namespace {
constexpr const char* counts[] = {"one number", "one number or two", "one number or three"};
constexpr const char* layouts[] = {"3 dims (N, C, L) or 2 (C, L)", "4 dims (N, C, H, W) or 3 (C, H, W)",
                                   "5 dims (N, C, D, H, W) or 4 (C, D, H, W)"};
}  // namespace

int64_t WindowDim::positions(int64_t n, bool ceil_mode) const {
  const int64_t padded = n + padding_lo + padding_hi, room = padded - span(), more = ceil_mode ? stride - 1 : 0;
  if (room + more < 0)
    throw Error("a window of {} elements{} is larger than the padded input's {}", span(),
                dilation > 1 ? " (with its dilation)" : "", padded);
  const int64_t count = (room + more) / stride + 1;
  return ceil_mode && begin(count - 1) >= n ? count - 1 : count;
}

void check_list(const char* what, const Ints& v, int dims, int64_t least) {
  if (v.size() != 1 && v.size() != dims) throw Error("{} must be {}, got {}", what, counts[dims - 1], to_string(v));
  for (int64_t x : v) {
    if (x < least) throw Error("{} must be at least {}, got {}", what, least, to_string(v));
    if (x > INT32_MAX) throw Error("{} must be at most {}, got {}", what, INT32_MAX, to_string(v));
  }
}

void check_elements(const char* what, const Shape& s, int first) {
  for (int d = first; d < s.size(); ++d)
    if (s[d] == 0) throw Error("{} of shape {} has no elements in a dim other than the batch's", what, to_string(s));
}

void check_spatial(const char* what, const Value& v, int dims) {
  if (!v.is_tensor() || (v.dim() != dims + 1 && v.dim() != dims + 2))
    throw Error("{} must have {}, got shape {}", what, layouts[dims - 1], to_string(v.shape()));
  check_elements(what, v.shape(), v.dim() - dims - 1);
}

void refuse_bool(const char* what, const Value& v) {
  if (v.dtype() == Dtype::boolean) throw Error("there is no {} of bool; convert with :to() first", what);
}

Ints spatial(const Shape& s, int dims) { return {s.end() - dims, s.end()}; }

Shape with_spatial(Shape s, const Ints& extents) {
  for (int d = 0; d < extents.size(); ++d) s[s.size() - extents.size() + d] = extents[d];
  return s;
}

bool only_nhwc(const Value& v, int dims) { return dims == 2 && v.is_tensor() && only_channels_last(v.tensor()); }

Spec spatial_spec(const Shape& shape, Dtype dtype, bool nhwc) {
  Spec s{shape, dtype};
  if (nhwc && shape.size() == 4) s.strides = channels_last_strides(shape);
  return s;
}

}  // namespace luth::ops
