// copy_ from one device to another. Includes op.
#pragma once
#include "core/op/op.h"

namespace luth {

/// `copy` is the one operator whose inputs may lie on different devices. Moves in[1] to the device of in[0], to be
/// written there; or copies it straight, where both have the same layout and nothing is recorded, and returns true.
/// Does nothing for other operators.
bool copy_from_elsewhere(const OpInfo& info, const void* op, Inputs& in);

}  // namespace luth
