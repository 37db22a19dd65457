#include "lang/runtime/late_names.h"

#include "core/base/small.h"
#include "lang/runtime/box.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

char late_key;       // in the metatable of a table: how many LateNames it has, which are light userdata at 1, 2, …
char index_keys[2];  // in the metatable: the NameIndex, without others and with them

// The late names of the table at `table`.
Small<const LateNames*, 8> late_names_of(lua_State* L, int table) {
  Small<const LateNames*, 8> all;
  if (!lua_istable(L, table) || !lua_getmetatable(L, table)) return all;
  lua_rawgetp(L, -1, &late_key);
  const lua_Integer n = lua_tointeger(L, -1);
  for (lua_Integer i = 1; i <= n; ++i) {
    lua_rawgeti(L, -2, i);
    all.push_back(static_cast<const LateNames*>(lua_touserdata(L, -1)));
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return all;
}

int index(lua_State* L) { return push_late(L, 1, 2) ? 1 : 0; }

int pairs(lua_State* L) {
  make_late_names(L, 1);
  lua_getglobal(L, "next");
  lua_pushvalue(L, 1);
  return 2;
}

int raw_get(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  return rawget_or_late(L, 1), 1;
}

// t[key] = value where there is no such key yet.
int add_name(lua_State* L) {
  lua_settop(L, 3);
  if (lua_getmetatable(L, 1)) {
    for (auto& index_key : index_keys) lua_pushnil(L), lua_rawsetp(L, -2, &index_key);
    lua_settop(L, 3);
  }
  return lua_rawset(L, 1), 0;
}

NameIndex index_of(lua_State* L, int table, const std::vector<std::string>& others) {
  NameIndex names;
  for (auto& name : others) names.add(name);
  for (const LateNames* late : late_names_of(L, table))
    for (auto& name : late->names()) names.add(name);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names.add(lua_tostring(L, -2));
  return names;
}

void open_late_names(lua_State* L) {
  open_box<NameIndex>(L, "luth.names");
  lua_pushcfunction(L, destroy_box<NameIndex>);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  lua_pushcfunction(L, guarded<raw_get>);
  lua_setglobal(L, "rawget");
}
const Open opener("luth.late", Open::language, open_late_names);

}  // namespace

void add_late_names(lua_State* L, int table, const LateNames& names) {
  table = lua_absindex(L, table);
  const bool has_metatable = lua_getmetatable(L, table);
  if (!has_metatable) lua_createtable(L, 2, 3);
  lua_rawgetp(L, -1, &late_key);
  const lua_Integer n = lua_tointeger(L, -1) + 1;
  lua_pop(L, 1);
  lua_pushlightuserdata(L, const_cast<LateNames*>(&names));
  lua_rawseti(L, -2, n);
  lua_pushinteger(L, n);
  lua_rawsetp(L, -2, &late_key);
  if (n == 1) {
    lua_pushcfunction(L, guarded<index>);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, guarded<pairs>);
    lua_setfield(L, -2, "__pairs");
  }
  if (has_metatable)
    lua_pop(L, 1);
  else
    lua_setmetatable(L, table);
}

bool takes_late_names(lua_State* L, int table) {
  table = lua_absindex(L, table);
  lua_pushglobaltable(L);
  const bool of_globals = lua_rawequal(L, table, -1);
  lua_pop(L, 1);
  if (of_globals || !lua_getmetatable(L, table)) return !of_globals;
  const bool takes = lua_rawgetp(L, -1, &late_key) != LUA_TNIL;
  lua_pop(L, 2);
  return takes;
}

bool push_late(lua_State* L, int table, int key) {
  table = lua_absindex(L, table);
  key = lua_absindex(L, key);
  if (lua_type(L, key) != LUA_TSTRING) return false;
  for (const LateNames* late : late_names_of(L, table))
    if (late->push(L, lua_tostring(L, key))) {
      lua_pushvalue(L, key);
      lua_pushvalue(L, -2);
      lua_rawset(L, table);
      return true;
    }
  return false;
}

void rawget_or_late(lua_State* L, int table) {
  table = lua_absindex(L, table);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, table) == LUA_TNIL) {
    lua_pop(L, 1);
    if (!push_late(L, table, -1)) lua_pushnil(L);
  }
  lua_remove(L, -2);
}

void make_late_names(lua_State* L, int table) {
  table = lua_absindex(L, table);
  for (const LateNames* late : late_names_of(L, table))
    for (auto& name : late->names()) {
      lua_pushlstring(L, name.data(), name.size());
      rawget_or_late(L, table);
      lua_pop(L, 1);
    }
}

const NameIndex& name_index(lua_State* L, int table, const std::vector<std::string>& others) {
  table = lua_absindex(L, table);
  luaL_checkstack(L, 8, nullptr);
  const char& index_key = index_keys[!others.empty()];
  lua_getmetatable(L, table);
  if (lua_rawgetp(L, -1, &index_key) == LUA_TNIL) {
    lua_pop(L, 1);
    push_box(L, index_of(L, table, others));
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, &index_key);
  }
  const NameIndex& names = *to_box<NameIndex>(L, -1);
  return lua_pop(L, 2), names;
}

void note_new_names(lua_State* L) {
  lua_pushcfunction(L, guarded<add_name>);
  lua_setfield(L, -2, "__newindex");
}

}  // namespace luth::lang
