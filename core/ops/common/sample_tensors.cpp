#include "core/ops/common/sample_tensors.h"

namespace luth::ops {

Tensor sample_values(const Shape& s, double step, double low) {
  return sample_of(s, [&](int64_t i) { return double((i * 7 + 3) % 11) * step + low; });
}
Tensor sample_distinct(const Shape& s) {
  return sample_of(s, [](int64_t i) { return double((i * 29 + 5) % 31) / 4 - 3; });
}
Tensor sample_integers(const Shape& s, std::initializer_list<int64_t> values) {
  return Tensor::from(s, values.begin());
}

}  // namespace luth::ops
