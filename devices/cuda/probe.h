// Is there a GPU, and can this build use it?
#pragma once
#include <string>

namespace luth::cuda {

/// The devices that CUDA shows. Throws a sentence that says why there is none: no driver, one that is too old, no
/// device, or none made visible.
int count_devices();
/// "580.65 (CUDA 13.0)", as far as it is known.
std::string driver_version();

}  // namespace luth::cuda
