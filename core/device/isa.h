// The x86-64 levels that CPU kernels are built for.
#pragma once
#include <string_view>

namespace luth {

/// Whether this processor and system run code of a level: "v2", "v3", "v4" (x86-64 psABI); "generic" elsewhere. False
/// for any other name.
bool runs_here(std::string_view isa);

}  // namespace luth
