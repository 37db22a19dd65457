// Source marks: the running line of Lua, for the core (core/tensor/source_mark.h).
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// Hangs the marks on the core. Tests first whether the interpreter's frames look as expected.
void open_source_marks(lua_State* L);

}  // namespace luth::lang
