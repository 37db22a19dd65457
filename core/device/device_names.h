// Which devices a user may name here, for messages and listings.
#pragma once
#include <string>
#include <vector>

namespace luth {

/// "cpu", and every kind of device whose library lies beside the core's or along LUTH_DEVICE_PATH, sorted. Nothing is
/// opened: a library that is there may still find no hardware.
std::vector<std::string> device_names();

}  // namespace luth
