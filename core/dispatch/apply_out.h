// apply_out() of core/op/op.h without its copies, for the language.
#pragma once
#include "core/op/op.h"

namespace luth {

/// Writes the results of a call whose `info`, `op` (not null) and `in` are set into `out`, resizing them.
void apply_out(Call& call, Tensors& out);

}  // namespace luth
