// Lua states on luth's memory. Includes lang/runtime/memory.h.
#pragma once
#include "lang/runtime/memory.h"

namespace luth::lang {

/// As luaL_newstate makes one, on the memory of `pool`, which outlives it and gives all blocks of the state, from the
/// first on; null where there is none.
lua_State* new_state(Pool& pool);

}  // namespace luth::lang
