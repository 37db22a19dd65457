// Values as the prompt prints them: strings quoted, tables with their contents, no more than a screen in all.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>

namespace luth::lang {

/// The __tostring of objects that print like plain tables.
int shown_text(lua_State* L);
/// Whether the value is a table without another __tostring.
bool is_shown(lua_State* L, int index);
/// Pushes "{1, 2, a = 3}" for the table at `index`. Keys are in order, numbers first; what is left out is counted.
void show(lua_State* L, int index);
/// The text as a Lua string in quotes, at most `most` bytes of it.
std::string quoted(std::string_view text, size_t most);

}  // namespace luth::lang
