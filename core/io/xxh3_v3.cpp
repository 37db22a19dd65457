// The loop of the seal's checksum for x86-64-v3, twice as fast. libxxhash chooses by the processor only where it is a
// shared library. This file includes no code that others compile too: a linker could take it from here for older ones.
#include "core/io/xxh3_v3.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace luth::io {

void xxh3_update_v3(void* state, const void* bytes, size_t n) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes, n);
}

}  // namespace luth::io
