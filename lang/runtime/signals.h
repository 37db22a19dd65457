// The error of a signal that stops Lua code.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// Raises "interrupted" or "terminated" for the signal that has come; for code that has caught another error meanwhile.
[[noreturn]] void raise_stop(lua_State* L);

}  // namespace luth::lang
