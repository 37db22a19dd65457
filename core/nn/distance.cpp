#include "core/nn/distance.h"

#include "core/nn/linear.h"

namespace luth::nn {
namespace {
const DefineModule<Distances> distances_;
}

void CrossMapLRN2d::build() { need_at_least("CrossMapLRN2d", "size", spec.size, 1); }
Tensor CrossMapLRN2d::run(const Tensor& x) {
  if (x.dim() != 4) throw Error("CrossMapLRN2d needs images, [N, C, H, W], got {}", to_string(x.shape()));
  const int64_t window = spec.size - (spec.size + 1) % 2;
  const double alpha = spec.alpha * double(window) / double(spec.size);
  return Fn<ops::LocalResponseNorm>()(x, {.size = window, .alpha = alpha, .beta = spec.beta, .k = spec.k});
}

}  // namespace luth::nn
