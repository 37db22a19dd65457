// Checks that rules of several families share.
#pragma once
#include "core/op/op.h"

namespace luth::ops {

/// Throws unless `v` is of a floating dtype; `what` names it in the text.
void check_floating(const Value& v, std::string_view what = "input");

/// Throws for bool, where other dtypes do.
void check_not_bool(Dtype d);

/// Throws for more than a million parts: each is a tensor of its own, however empty, and no extent bounds them.
void check_parts(int64_t parts);

/// What sums over elements of `d` are kept in: float64 for float64, else float32.
Dtype wide(Dtype d);

}  // namespace luth::ops
