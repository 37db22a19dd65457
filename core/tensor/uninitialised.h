// Tensors without a shape yet: the parameters and buffers of lazy modules before their first input.
#pragma once
#include "core/tensor/tensor.h"

namespace luth {

/// An uninitialised tensor has identity, dtype and device. All operators refuse it; `replace_data` makes it ordinary.
Tensor uninitialised(Dtype dtype, Device& device);
/// Its mark is an offset that no other tensor has.
inline bool is_uninitialised(const Tensor& t) { return t.offset() < 0; }
[[noreturn]] void refuse_uninitialised(const Tensor& t, std::string_view use);
/// Throws for an uninitialised tensor; `use` is what it was wanted for.
inline void check_initialised(const Tensor& t, std::string_view use) {
  if (is_uninitialised(t)) refuse_uninitialised(t, use);
}

}  // namespace luth
