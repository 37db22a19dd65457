// Plain tables as the prompt prints them: their contents, to a bounded depth and length.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// The __tostring of objects that print like plain tables.
int shown_text(lua_State* L);
/// Whether the value is a table without another __tostring.
bool is_shown(lua_State* L, int index);
/// Pushes "{1, 2, a = 3}" for the table at `index`.
void show(lua_State* L, int index);

}  // namespace luth::lang
