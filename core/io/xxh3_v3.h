// The loop of the seal's checksum for x86-64-v3.
#pragma once
#include <cstddef>

namespace luth::io {

/// As XXH3_128bits_update of an XXH3_state_t, on processors of x86-64-v3 alone.
void xxh3_update_v3(void* state, const void* bytes, size_t n);

}  // namespace luth::io
