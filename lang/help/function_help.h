// Help on functions: on operators from their descriptions, on functions written by hand from their rows.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>

namespace luth::lang {

/// The help of an operator's function, of a tensor, or of a value that was given a text; "" for another value.
std::string function_help(lua_State* L, int index);

}  // namespace luth::lang
