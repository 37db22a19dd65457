// --threads, --log-device-placement and --device, for scripts and for all subcommands that have them. They take effect
// by call: programs that luth starts inherit nothing of them.
#pragma once
#include "cli/arguments.h"

namespace luth::cli {

/// Obeys --threads and --log-device-placement. Without --threads LUTH_THREADS must be a count. Throws luth::Error
/// (usage) for what is none.
void obey_common(const Arguments& arguments);

/// Makes what --device says, if it was given, the device of new tensors: "auto" is a GPU where there is one, and says
/// on stderr what it chose. Throws luth::Error (usage) for a device that cannot be had, with the reason.
void use_device(const Arguments& arguments);

}  // namespace luth::cli
