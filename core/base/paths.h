// Where the installation lies.
#pragma once
#include <string>

namespace luth {

/// The absolute path of the core's library, or of the program where the core is part of it.
const std::string& core_library();

/// The folder share/luth that belongs to this core: Lua library, data, examples. $LUTH_SHARE where it is set, else
/// beside the core's library (lib/../share/luth), else beside the program (bin/../share/luth). No slash at the end. The
/// folder may be missing: what opens files below it says so.
const std::string& share_dir();

}  // namespace luth
