// Is there a GPU, and can this build use it?
#pragma once
#include <string>
#include <string_view>

#include "core/device/device_support.h"

namespace luth::cuda {

/// The devices that CUDA shows. Throws a sentence that says why there is none: no driver, one that is too old, no
/// device, or none made visible.
int count_devices();
/// "580.65 (CUDA 13.0)", as far as it is known.
std::string driver_version();

/// `archs` as CMake has them: "75-real,90-real,90-virtual"; "-virtual" is PTX, which newer GPUs run too.
bool has_code(std::string_view archs, int major, int minor);
/// "sm_75, sm_90, PTX 9.0"
std::string code_text(std::string_view archs);
/// Whether this build has code for GPU `index`, and for which it has.
void describe_support(int index, DeviceSupport& support);
/// Bytes that no process holds, by the driver.
int64_t free_memory_of(int index);

}  // namespace luth::cuda
