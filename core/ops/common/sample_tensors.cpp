#include "core/ops/common/sample_tensors.h"

namespace luth::ops {

Tensor sample_values(const Shape& s, double step, double low) {
  Tensor t = Tensor::empty(s, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double((i * 7 + 3) % 11) * step + low;
  return t;
}
Tensor sample_integers(const Shape& s, std::initializer_list<int64_t> values) {
  return Tensor::from(s, values.begin());
}

}  // namespace luth::ops
