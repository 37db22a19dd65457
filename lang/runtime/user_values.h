// What the objects of classes written in Lua share: tables among the user values of a userdata, chains of classes.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>

namespace luth::lang {

/// Pushes user value `which` of the userdata at `index`, a table. If it is nil: makes one with `create`, else returns
/// false and pushes nothing.
inline bool push_user_value(lua_State* L, int index, int which, bool create) {
  index = lua_absindex(L, index);
  if (lua_getiuservalue(L, index, which) == LUA_TTABLE) return true;
  lua_pop(L, 1);
  if (!create) return false;
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, index, which);
  return true;
}

// Files find classes by their names. So each class notes where it was defined, and whether it has replaced one of
// another place.
/// Puts the class on top of the stack into the table of classes by name, which is below it.
void name_class(lua_State* L, const std::string& name);
/// Where the class at `index` was defined, "net.lua:12".
std::string class_place(lua_State* L, int index);
/// Warns if the class on top of the stack, which a file names, has replaced one of another place.
void warn_of_replaced_class(lua_State* L, const std::string& name);

/// Pushes whether the class at 2 is the one whose table is on top of the stack, or a base of it. Returns 1.
inline int push_is_instance(lua_State* L) {
  while (lua_istable(L, -1)) {
    if (lua_rawequal(L, -1, 2)) return lua_pushboolean(L, true), 1;
    if (!lua_getmetatable(L, -1)) break;
    lua_getfield(L, -1, "__index");
  }
  return lua_pushboolean(L, false), 1;
}

}  // namespace luth::lang
