// The names of modules, for `require '`.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>
#include <vector>

namespace luth::lang {

/// Adds the modules whose names begin with `typed`: those that `require` has read or was given, files by package.path
/// and luth's models. A folder with more of them ends with a dot. Runs nothing.
void add_modules(lua_State* L, const std::string& typed, std::vector<std::string>& names);

}  // namespace luth::lang
