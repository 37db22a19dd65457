// How many parts a tensor may be split into where its extent does not bound them.
#pragma once
#include <cstdint>

#include "core/error.h"

namespace luth {

/// Throws for more than a million parts: each is a tensor of its own, however empty.
inline void check_parts(int64_t parts) {
  constexpr int64_t most = 1'000'000;
  if (parts > most) throw Error("{} parts are too many; a tensor can be split into at most {}", parts, most);
}

}  // namespace luth
