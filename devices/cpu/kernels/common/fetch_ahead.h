// Memory asked for before it is used. Kernel libraries only.
#pragma once
#include <algorithm>
#include <cstdint>

namespace luth::cpu {

/// Asks for n elements at p, or the first 4 KiB of them, that are read or, with `write`, written soon. They may lie
/// beyond the end of what is there. Inlined, as g++ drops calls of what has no effect.
template <int write = 0, class T>
[[gnu::always_inline]] inline void fetch_ahead(const T* p, int64_t n) {
  constexpr int64_t line = 64 / int64_t(sizeof(T)), most = 64 * line;
  for (int64_t i = 0; i < std::min(n, most); i += line) __builtin_prefetch(p + i, write);
}

}  // namespace luth::cpu
