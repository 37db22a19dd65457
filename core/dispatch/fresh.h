// Elementwise operators into tensors that nobody else knows yet.
#pragma once
#include "core/op/op.h"

namespace luth {

/// Writes the result of an elementwise operator, whose dtype and shape are those of `fresh`, into this tensor by the
/// kernel alone, after the operator's own checks: no record, no observer.
void apply_into_fresh(const OpInfo& info, const void* op, Inputs in, const Tensor& fresh);

}  // namespace luth
