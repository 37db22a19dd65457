// An all_reduce with a gradient.
#pragma once
#include "core/dist/process_group.h"

namespace luth::dist {

/// The sum of the ranks' tensors. Its gradient is the sum of the ranks' gradients, so backward is a collective too: all
/// ranks call it, in the same order.
Tensor sum_over_ranks(const GroupRef& g, const Tensor& t);

}  // namespace luth::dist
