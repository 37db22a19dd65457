// The log of where operators run.
#pragma once

namespace luth {

/// From now on each operator that this thread calls prints a line "matmul: cuda:0" on stderr, or no longer.
void set_log_placement(bool on);

}  // namespace luth
