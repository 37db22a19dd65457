#include "lang/runtime/late_names.h"

#include "lang/runtime/bridge.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

char late_key;  // in the metatable of a table: light userdata of its LateNames

// The late names of the table at `table`, or null.
const LateNames* late_names_of(lua_State* L, int table) {
  if (!lua_istable(L, table) || !lua_getmetatable(L, table)) return nullptr;
  lua_rawgetp(L, -1, &late_key);
  auto* names = static_cast<const LateNames*>(lua_touserdata(L, -1));
  lua_pop(L, 2);
  return names;
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

void open_late_names(lua_State* L) {
  lua_pushcfunction(L, guarded<raw_get>);
  lua_setglobal(L, "rawget");
}
const Open opener("luth.late", Open::language, open_late_names);

}  // namespace

void set_late_names(lua_State* L, int table, const LateNames& names) {
  table = lua_absindex(L, table);
  if (!lua_getmetatable(L, table)) lua_createtable(L, 0, 3);
  lua_pushlightuserdata(L, const_cast<LateNames*>(&names));
  lua_rawsetp(L, -2, &late_key);
  lua_pushcfunction(L, guarded<index>);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, guarded<pairs>);
  lua_setfield(L, -2, "__pairs");
  lua_setmetatable(L, table);
}

bool push_late(lua_State* L, int table, int key) {
  table = lua_absindex(L, table);
  key = lua_absindex(L, key);
  if (lua_type(L, key) != LUA_TSTRING) return false;
  const LateNames* late = late_names_of(L, table);
  if (!late || !late->push(L, lua_tostring(L, key))) return false;
  lua_pushvalue(L, key);
  lua_pushvalue(L, -2);
  lua_rawset(L, table);
  return true;
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
  const LateNames* late = late_names_of(L, table);
  if (!late) return;
  table = lua_absindex(L, table);
  for (auto& name : late->names()) {
    lua_pushlstring(L, name.data(), name.size());
    rawget_or_late(L, table);
    lua_pop(L, 1);
  }
}

}  // namespace luth::lang
