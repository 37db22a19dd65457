#include "core/nn/dropout.h"

#include "core/ops/random/random.h"

namespace luth::nn {
namespace {
const DefineModule<Dropout> dropout_;
}

void Dropout::build() {
  if (!(spec.p >= 0 && spec.p <= 1)) throw Error("Dropout needs p between 0 and 1, got {}", spec.p);
}
std::string Dropout::extra_repr() const { return fmt::format("p={}, inplace={}", py(spec.p), py(spec.inplace)); }
Tensor Dropout::run(const Tensor& x) {
  if (!training() || spec.p == 0) return x;
  ops::Dropout op;
  op.p = spec.p;
  return spec.inplace ? dropout.into(x, op) : dropout(x, op);
}

}  // namespace luth::nn
