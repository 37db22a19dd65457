// Tables of names (torch, nn, nn.init, …): a name that they do not have is an error with the nearest one, and each has
// a help text that lists what is in it. names.cpp knows which tables they are.
#pragma once
#include <lua5.4/lua.hpp>
#include <span>
#include <string>

namespace luth::lang {

/// A table of names: where it is, and what it is for.
struct NameSpace {
  const char* path;
  const char* brief;
};
/// All of them. Some of the paths may have no table in this build.
std::span<const NameSpace> name_spaces();

/// The help of a table of names: what it is for, then a line for each name. "" for another value.
std::string names_text(lua_State* L, int index);

}  // namespace luth::lang
