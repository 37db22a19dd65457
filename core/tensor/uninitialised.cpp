#include "core/tensor/uninitialised.h"

namespace luth {

// The storage has a byte, so that aliases of the tensor keep the offset.
Tensor uninitialised(Dtype dtype, Device& device) {
  return Tensor::alias(make<Storage>(device, size_t(1)), Shape{0}, Strides{1}, -1, dtype);
}

void refuse_uninitialised(const Tensor& t, std::string_view use) {
  throw Error("{}: this {} of a lazy module has no shape yet; call the module with a first input, which gives it one",
              use, t.impl()->parameter ? "parameter" : "buffer");
}

}  // namespace luth
