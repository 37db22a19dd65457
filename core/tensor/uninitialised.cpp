#include "core/tensor/uninitialised.h"

#include <atomic>

namespace luth {

// How many storages of uninitialised tensors there are.
static std::atomic<int64_t> waiting{0};

// The storage claims a byte, so that aliases of the tensor keep the offset; nothing reads it.
Tensor uninitialised(Dtype dtype, Device& device) {
  static char nothing;
  ++waiting;
  const Ref<Storage> storage = make<Storage>(
      device, &nothing, size_t(1), [](void*) { --waiting; }, nullptr);
  return Tensor::alias(storage, Shape{0}, Strides{1}, -1, dtype);
}

void refuse_uninitialised(const Tensor& t, std::string_view use) {
  throw Error(
      "{}: this {} of a lazy module has no shape yet (one of {} that wait for theirs); call the module with a "
      "first input, which gives it one",
      use, t.impl()->parameter ? "parameter" : "buffer", waiting.load());
}

}  // namespace luth
