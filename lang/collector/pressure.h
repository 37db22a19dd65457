// Whose garbage makes room when an allocation of a thread fails.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// A failed allocation of this thread does not collect that state, which another thread may run.
void forget_pressure(lua_State* L);

}  // namespace luth::lang
