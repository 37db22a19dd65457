// Name spaces: the tables torch, nn, nn.init, … An unknown name in one is an error with the nearest known name, and its
// help text lists its names.
#pragma once
#include <lua5.4/lua.hpp>
#include <span>
#include <string>

namespace luth::lang {

/// A name space: its path and its purpose.
struct NameSpace {
  const char* path;
  const char* brief;
};
/// All name spaces. Some of the paths may have no table in this build.
std::span<const NameSpace> name_spaces();

/// The help text of a name space: its purpose, then a line for each name. "" for another value.
std::string names_text(lua_State* L, int index);

}  // namespace luth::lang
