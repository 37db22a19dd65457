// Results that were computed apart, and go into the tensors that the call was given.
#pragma once
#include "core/op/op.h"

namespace luth {

/// Writes call.out into the tensors of out=, which get the shapes of the results. Throws before the first is written.
void write_out(const Call& call, const Tensors& out);
/// Writes the result of a call in place into `self`.
Tensor write_back(const Tensor& self, const Tensor& result);

}  // namespace luth
