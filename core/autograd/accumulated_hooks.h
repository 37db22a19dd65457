// Hooks that run when a leaf's grad is there: whether there are any.
#pragma once

namespace luth {

/// Whether any leaf has ever had one. Then backward counts the users of accumulators.
bool accumulated_hooks_exist();

}  // namespace luth
