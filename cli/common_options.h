// --threads, --log-device-placement and --device, for scripts and for all subcommands that have them. They take effect
// by call: programs that luth starts inherit nothing of them.
#pragma once
#include "cli/arguments.h"

namespace luth::cli {

/// Obeys --threads and --log-device-placement. Throws luth::Error (usage) if --threads, or without it LUTH_THREADS, is
/// no count.
void obey_common(const Arguments& arguments);

/// Makes the device of --device, if it was given, the device of new tensors. "auto" is a GPU if there is one, and
/// prints its choice on stderr. Throws luth::Error (usage) with the reason for a device that cannot be used.
void use_device(const Arguments& arguments);

}  // namespace luth::cli
