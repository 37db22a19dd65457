// pcall and xpcall as Lua's own, but an interrupt passes through: a script that catches every error must still end.
#include "lang/runtime/interp.h"
#include "lang/runtime/signals.h"

namespace luth::lang {
namespace {

// `below`: values on the stack that are no results.
int finish(lua_State* L, int status, lua_KContext below) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - int(below);
  if (Interp::of(L).stop_requested()) raise_stop(L);  // whatever was caught
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

int protected_call(lua_State* L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish), 0);
}

int protected_call_with_handler(lua_State* L) {
  const int n = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);  // function, handler, true, function, arguments
  return finish(L, lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, finish), 2);
}

void open_protected(lua_State* L) {
  lua_pushcfunction(L, protected_call);
  lua_setglobal(L, "pcall");
  lua_pushcfunction(L, protected_call_with_handler);
  lua_setglobal(L, "xpcall");
}

const Open opener("protected", Open::language, open_protected);

}  // namespace
}  // namespace luth::lang
