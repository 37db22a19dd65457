// Copies of rows too short for a call. Kernel libraries only.
#pragma once
#include <cstdint>
#include <cstring>

namespace luth::cpu {

/// Copies `bytes`, at least w of them: w at once, the last of which may overlap those before; many by memcpy.
template <int64_t w>
inline void copy_short(void* to, const void* from, int64_t bytes) {
  if (bytes > 16 * w) return void(std::memcpy(to, from, size_t(bytes)));
  auto* out = static_cast<char*>(to);
  auto* in = static_cast<const char*>(from);
  for (int64_t b = 0; b < bytes - w; b += w) std::memcpy(out + b, in + b, w);
  std::memcpy(out + bytes - w, in + bytes - w, w);
}

}  // namespace luth::cpu
