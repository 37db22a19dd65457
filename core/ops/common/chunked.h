// Work whose temporaries are larger than its inputs and results, done in slices of bounded memory.
#pragma once
#include <functional>

#include "core/tensor/tensor.h"

namespace luth {

/// The results of f(begin, end) for slices of the positions 0 … count. A position makes temporaries of `elements`
/// numbers; there is at least one slice, and at least one position in each. With several slices, backward computes
/// their saved values again: f reads no tensors that require grad but `reads`, and keeps these alive.
Tensors in_slices(int64_t count, double elements, const Tensors& reads,
                  std::function<Tensor(int64_t begin, int64_t end)> f);

}  // namespace luth
