// The option --device, for the program's subcommands and for the Lua library.
#pragma once
#include <string>

#include "core/device/device.h"

namespace luth::lang {

/// Makes the device of that name current and returns it. "auto" is a GPU if there is one, else the CPU; `reason` says
/// which GPU, or why there is none. Throws luth::Error (usage) for a device that cannot be used.
Device& choose_device(const std::string& name, std::string& reason);

}  // namespace luth::lang
