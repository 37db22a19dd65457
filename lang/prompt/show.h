// What the prompt prints for plain tables: their contents, to a bounded depth and length.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// True for a table without a text of its own.
bool is_shown(lua_State* L, int index);
/// Pushes "{1, 2, a = 3}" for the table at `index`.
void show(lua_State* L, int index);

}  // namespace luth::lang
