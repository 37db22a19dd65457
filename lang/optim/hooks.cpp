// Hooks of optimizers: functions around step, state_dict and load_state_dict.
#include <atomic>

#include "lang/optim/optim.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

char global_hooks_key;  // registry: the hooks of all optimizers, by kind
// Whether some state has ever had one. It lets a step without hooks pass by.
std::atomic<bool> global_hooks_used = false;

// Of the table on top of the stack, kind -> {first = the lowest id, n = the last, id -> f}, in place of it that of
// `kind`. A removed hook leaves a hole. False, and nothing pushed, where there is none.
bool push_kind(lua_State* L, const char* kind, bool create) {
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

lua_Integer integer_field(lua_State* L, const char* name, lua_Integer otherwise) {
  const lua_Integer v = lua_getfield(L, -1, name) == LUA_TNIL ? otherwise : lua_tointeger(L, -1);
  return lua_pop(L, 1), v;
}
// Adds the function at `f` to the table of hooks on top of the stack, as the first with `prepend`. Pushes a handle.
int push_handle(lua_State* L, int f, bool prepend) {
  const lua_Integer id = prepend ? integer_field(L, "first", 1) - 1 : integer_field(L, "n", 0) + 1;
  lua_pushinteger(L, id);
  lua_setfield(L, -2, prepend ? "first" : "n");
  lua_pushvalue(L, f);
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
// opt:register_…_hook(f); those of state dicts take {prepend}, as PyTorch's.
template <int kind>
int add(lua_State* L) {
  check_optimizer(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  const std::string name = "register_" + std::string(kinds[kind]) + "_hook";
  NamedArguments o(L, lua_gettop(L) < 3 ? 0 : 3, name.c_str());
  const bool prepend = kind >= 2 && o.flag("prepend", false);
  o.done();
  push_user_value(L, 1, optim_held, true);
  push_kind(L, kinds[kind], true);
  return push_handle(L, 2, prepend);
}
// optim.optimizer.register_optimizer_step_…_hook(f)
template <int kind>
int add_global(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  global_hooks_used = true;
  push_kept(L, &global_hooks_key);
  push_kind(L, kinds[kind], true);
  return push_handle(L, 1, false);
}

// Calls the hooks in the table on top of the stack, and pops it.
void call_each(lua_State* L, int argument) {
  const int hooks = lua_gettop(L);
  const lua_Integer n = integer_field(L, "n", 0);
  for (lua_Integer id = integer_field(L, "first", 1); id <= n; ++id) {
    lua_settop(L, hooks);
    if (lua_rawgeti(L, hooks, id) == LUA_TNIL) continue;
    lua_pushvalue(L, 1);
    if (argument) lua_pushvalue(L, argument);
    lua_call(L, argument ? 2 : 1, 1);
    if (argument && !lua_isnil(L, -1)) lua_replace(L, argument);
  }
  lua_settop(L, hooks - 1);
}
void call_global_hooks(lua_State* L, const char* kind, int argument) {
  if (!global_hooks_used) return;
  push_kept(L, &global_hooks_key);
  if (push_kind(L, kind, false)) call_each(L, argument);
}

constexpr Row rows[] = {
    {"register_step_pre_hook", guarded<add<0>>, "opt:register_step_pre_hook(f)",
     "f(optimizer, closure) runs before each step and may return another closure. Returns a handle with remove()."},
    {"register_step_post_hook", guarded<add<1>>, "opt:register_step_post_hook(f)",
     "f(optimizer, closure) runs after each step. Returns a handle with remove()."},
    {"register_state_dict_pre_hook", guarded<add<2>>, "opt:register_state_dict_pre_hook(f, {prepend = false})",
     "f(optimizer) runs before state_dict. Returns a handle with remove()."},
    {"register_state_dict_post_hook", guarded<add<3>>, "opt:register_state_dict_post_hook(f, {prepend = false})",
     "f(optimizer, state) gets what state_dict returns, and may return another table. Returns a handle with remove()."},
    {"register_load_state_dict_pre_hook", guarded<add<4>>,
     "opt:register_load_state_dict_pre_hook(f, {prepend = false})",
     "f(optimizer, state) runs before load_state_dict, and may return another table. Returns a handle with remove()."},
    {"register_load_state_dict_post_hook", guarded<add<5>>,
     "opt:register_load_state_dict_post_hook(f, {prepend = false})",
     "f(optimizer) runs after load_state_dict. Returns a handle with remove()."},
};

constexpr Row global_rows[] = {
    {"register_optimizer_step_pre_hook", guarded<add_global<0>>, "optim.optimizer.register_optimizer_step_pre_hook(f)",
     "f(optimizer, closure) runs before each step of every optimizer, before its own hooks, and may return another "
     "closure. Returns a handle with remove()."},
    {"register_optimizer_step_post_hook", guarded<add_global<1>>,
     "optim.optimizer.register_optimizer_step_post_hook(f)",
     "f(optimizer, closure) runs after each step of every optimizer, after its own hooks. Returns a handle with "
     "remove()."},
};

}  // namespace

bool has_global_hooks() { return global_hooks_used; }

void call_hooks(lua_State* L, const char* kind, int argument) {
  if (push_user_value(L, 1, optim_held, false) && push_kind(L, kind, false)) call_each(L, argument);
}
void call_step_hooks(lua_State* L, bool before) {
  if (before) call_global_hooks(L, "step_pre", 2);
  call_hooks(L, before ? "step_pre" : "step_post", 2);
  if (!before) call_global_hooks(L, "step_post", 2);
}

void open_hooks(lua_State* L, int optim, int methods) {
  add_functions(L, methods, rows);
  lua_newtable(L);
  add_functions(L, -1, global_rows);
  document(L, -1, "optim.optimizer\n  Hooks of all optimizers: register_optimizer_step_pre_hook and its like.");
  lua_setfield(L, optim, "optimizer");
}

}  // namespace luth::lang
