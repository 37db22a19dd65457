// The driver's library, which no build links: a machine without it must still start luth.
#pragma once
#include <string>

namespace luth::cuda {

/// "" when the driver's library is there, else why not.
std::string open_driver();

}  // namespace luth::cuda
