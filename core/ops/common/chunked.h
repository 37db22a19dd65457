// Work whose temporaries are larger than its inputs and results, done in slices of bounded memory.
#pragma once
#include <functional>

#include "core/tensor/tensor.h"

namespace luth {

/// The results of f(begin, end) for slices of 0 … count, where each position makes temporaries of `elements`; at least
/// one slice, and one position in each. Where there are several, what they save for backward is computed again there,
/// so f must read nothing that requires grad but `reads`, and keeps these alive.
Tensors in_slices(int64_t count, double elements, const Tensors& reads,
                  std::function<Tensor(int64_t begin, int64_t end)> f);

}  // namespace luth
