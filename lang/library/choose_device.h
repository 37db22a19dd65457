// What --device says, for the program's subcommands and for the Lua library. Includes core/device.
#pragma once
#include <string>

#include "core/device/device.h"

namespace luth::lang {

/// The device that `name` means: "auto" is a GPU where there is one, else the CPU; `reason` then says which GPU, or why
/// there is none. It becomes what "cuda" without a number means. Throws luth::Error (usage) for a device that cannot be
/// had.
Device& choose_device(const std::string& name, std::string& reason);

}  // namespace luth::lang
