// --device and --log-device-placement, for all subcommands that compute.
#pragma once
#include <string>

namespace luth::cli {

/// Makes what --device says the device of new tensors: "auto" is a GPU where there is one, and says on stderr what it
/// chose. Throws luth::Error (usage) for a device that cannot be had, with the reason.
void use_device(const std::string& name);
/// What LUTH_LOG_PLACEMENT=1 does.
void log_placement();

}  // namespace luth::cli
