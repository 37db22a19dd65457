#include "lang/library/debugging.h"

#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

constexpr const char* line_hook = "luth.line_hook";  // the function, in the registry

// A coroutine that was suspended while the hook was taken away still has it.
void at_line(lua_State* L, lua_Debug* where) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, line_hook) != LUA_TFUNCTION) {
    lua_pop(L, 1);
    if (lua_gethook(L) == at_line) lua_sethook(L, nullptr, 0, 0);
    return;
  }
  lua_pushinteger(L, where->currentline);
  lua_call(L, 1, 0);
}

}  // namespace

int hook_lines(lua_State* L) {
  lua_settop(L, 1);
  const bool on = !lua_isnil(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, line_hook);
  Interp& interp = Interp::of(L);
  if (interp.stop_requested()) return 0;  // the hook that stops is there
  for (RunningThreads* r = interp.running; r; r = r->below) lua_sethook(r->L, on ? at_line : nullptr, LUA_MASKLINE, 0);
  return 0;
}

int running_threads(lua_State* L) {
  lua_newtable(L);
  const lua_State* last = nullptr;
  lua_Integer n = 0;
  for (RunningThreads* r = Interp::of(L).running; r; r = r->below) {
    if (r->L == last) continue;
    last = r->L;
    lua_pushthread(r->L);
    lua_xmove(r->L, L, 1);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

}  // namespace luth::lang
