// Hooks of optimizers: functions around step, state_dict and load_state_dict.
#include "lang/optim/optim.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

// {n = the last id, kind -> {id -> f}}; a removed hook leaves a hole. Pushes the table of `kind`.
bool push_hooks(lua_State* L, int index, const char* kind, bool create) {
  if (!push_user_value(L, index, optim_held, create)) return false;
  if (lua_getfield(L, -1, kind) != LUA_TTABLE) {
    lua_pop(L, 1);
    if (!create) return lua_pop(L, 1), false;
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, kind);
  }
  lua_remove(L, -2);
  return true;
}

// Upvalues: the table of hooks, the id.
int remove_hook(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushnil(L);
  lua_rawset(L, lua_upvalueindex(1));
  return 0;
}

// opt:register_…_hook(f)
int add_hook(lua_State* L, const char* kind) {
  check_optimizer(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  push_hooks(L, 1, kind, true);
  lua_getfield(L, -1, "n");
  const lua_Integer id = lua_tointeger(L, -1) + 1;
  lua_pop(L, 1);
  lua_pushinteger(L, id);
  lua_setfield(L, -2, "n");
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, id);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, -2);
  lua_pushinteger(L, id);
  lua_pushcclosure(L, guarded<remove_hook>, 2);
  lua_setfield(L, -2, "remove");
  return 1;
}

constexpr const char* kinds[] = {"step_pre",        "step_post",           "state_dict_pre",
                                 "state_dict_post", "load_state_dict_pre", "load_state_dict_post"};
template <int kind>
int add(lua_State* L) {
  return add_hook(L, kinds[kind]);
}

constexpr Row rows[] = {
    {"register_step_pre_hook", guarded<add<0>>, "opt:register_step_pre_hook(f)",
     "f(optimizer, closure) runs before each step and may return another closure. Returns a handle with remove()."},
    {"register_step_post_hook", guarded<add<1>>, "opt:register_step_post_hook(f)",
     "f(optimizer, closure) runs after each step. Returns a handle with remove()."},
    {"register_state_dict_pre_hook", guarded<add<2>>, "opt:register_state_dict_pre_hook(f)",
     "f(optimizer) runs before state_dict. Returns a handle with remove()."},
    {"register_state_dict_post_hook", guarded<add<3>>, "opt:register_state_dict_post_hook(f)",
     "f(optimizer, state) gets what state_dict returns, and may return another table. Returns a handle with remove()."},
    {"register_load_state_dict_pre_hook", guarded<add<4>>, "opt:register_load_state_dict_pre_hook(f)",
     "f(optimizer, state) runs before load_state_dict, and may return another table. Returns a handle with remove()."},
    {"register_load_state_dict_post_hook", guarded<add<5>>, "opt:register_load_state_dict_post_hook(f)",
     "f(optimizer) runs after load_state_dict. Returns a handle with remove()."},
};

}  // namespace

void call_hooks(lua_State* L, const char* kind, int argument) {
  if (!push_hooks(L, 1, kind, false)) return;
  const int hooks = lua_gettop(L);
  lua_getfield(L, hooks, "n");
  const lua_Integer n = lua_tointeger(L, -1);
  for (lua_Integer id = 1; id <= n; ++id) {
    lua_settop(L, hooks);
    if (lua_rawgeti(L, hooks, id) == LUA_TNIL) continue;
    lua_pushvalue(L, 1);
    if (argument) lua_pushvalue(L, argument);
    lua_call(L, argument ? 2 : 1, 1);
    if (argument && !lua_isnil(L, -1)) lua_replace(L, argument);
  }
  lua_settop(L, hooks - 1);
}

void add_hook_methods(lua_State* L, int methods) { add_functions(L, methods, rows); }

}  // namespace luth::lang
