// coroutine.resume and coroutine.wrap, after Lua's own lcorolib.c, but noting which coroutine runs: an interrupt has to
// set its hook in that one, and Lua 5.4 does not tell.
#include "lang/runtime/interp.h"
#include "lang/runtime/signals.h"

namespace luth::lang {
namespace {

// Moves `nargs` values from L to `co`, runs it, and moves its results (yielded or returned) back. Returns their number,
// or -1 with an error object on top of L.
int resume_into(lua_State* L, lua_State* co, int nargs) {
  if (!lua_checkstack(co, nargs)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, nargs);
  // as in a new coroutine: the debugger stops in those that were made before it, too
  if (const lua_Hook hook = lua_gethook(L); hook && !lua_gethook(co))
    lua_sethook(co, hook, lua_gethookmask(L), lua_gethookcount(L));
  int n = 0, status;
  {
    RunningScope running(co);
    status = lua_resume(co, L, nargs, &n);
  }
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, n + 1)) {
    lua_pop(co, n);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, n);
  return n;
}

int resume(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  const int n = resume_into(L, lua_tothread(L, 1), lua_gettop(L) - 1);
  if (n < 0 && Interp::of(L).stop_requested()) raise_stop(L);  // as in pcall
  lua_pushboolean(L, n >= 0);
  lua_insert(L, n < 0 ? -2 : -(n + 1));
  return n < 0 ? 2 : n + 1;
}

int call_wrapped(lua_State* L) {
  lua_State* co = lua_tothread(L, lua_upvalueindex(1));
  const int n = resume_into(L, co, lua_gettop(L));
  if (n >= 0) return n;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {  // the coroutine ended in the error: close its variables
    status = lua_resetthread(co);
    lua_xmove(co, L, 1);  // the error object, or that of a closing method
  }
  const bool stopped = interrupted();
  if (stopped) lua_sethook(L, nullptr, 0, 0);  // this error is the interrupt, with its position; it is raised once
  if (!stopped && status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

int wrap(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State* co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
}

void open_coroutine(lua_State* L) {
  lua_getglobal(L, "coroutine");
  lua_pushcfunction(L, resume);
  lua_setfield(L, -2, "resume");
  lua_pushcfunction(L, wrap);
  lua_setfield(L, -2, "wrap");
}

const Open opener("coroutine", Open::language, open_coroutine);

}  // namespace
}  // namespace luth::lang
