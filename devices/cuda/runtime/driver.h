// The driver's library, which no build links: a machine without it must still start luth.
#pragma once
#include <string>

namespace luth::cuda {

/// "" when the driver's library is there, else why not.
std::string open_driver();
/// Whether this process has a context on the device, so that switching to it makes none.
bool has_context(int device);

}  // namespace luth::cuda
