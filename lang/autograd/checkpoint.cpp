// torch.utils.checkpoint: parts of the forward that backward computes again.
#include "core/dispatch/recompute.h"
#include "lang/collector/graph_roots.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/values/named_arguments.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

struct Settings {
  bool preserve_random = true;
};

// Settings of checkpoint in a table at the end, and nothing else: a function's own table of arguments is its own.
bool are_settings(lua_State* L, int index) {
  if (!is_named(L, index)) return false;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    std::string_view key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (key != "use_reentrant" && key != "preserve_rng_state") return lua_pop(L, 2), false;
  }
  return true;
}
Settings take_settings(lua_State* L, int first) {
  const int n = lua_gettop(L);
  if (n < first || !are_settings(L, n)) return {};
  NamedArguments o(L, n, "checkpoint");
  o.flag("use_reentrant", false);
  Settings s{o.flag("preserve_rng_state", true)};
  lua_settop(L, n - 1);
  return s;
}

// The results of the function at `f`, of the arguments above it, which end the stack.
int run(lua_State* L, int f, Settings settings) {
  const int n = lua_gettop(L) - f;
  if (!grad_enabled()) {
    lua_call(L, n, LUA_MULTRET);
    return lua_gettop(L) - f + 1;
  }
  luaL_checkstack(L, n + 8, "too many arguments");
  lua_createtable(L, n + 1, 0);
  for (int i = 0; i <= n; ++i) {
    lua_pushvalue(L, f + i);
    lua_rawseti(L, -2, i + 1);
  }
  const GraphRootRef call = new_graph_root(L, -1);
  lua_pop(L, 1);
  auto again = [call, n] {
    lua_State* L = call->value.running();
    luaL_checkstack(L, n + 8, "too many arguments");
    call->value.push(L);
    for (int i = 0; i <= n; ++i) lua_rawgeti(L, -1 - i, i + 1);
    lua_call(L, n, 0);
    lua_pop(L, 1);
  };
  auto work = make<Recompute>(again, settings.preserve_random);
  call->set_owner(*work);
  Recompute::First first(work);
  lua_call(L, n, LUA_MULTRET);
  return lua_gettop(L) - f + 1;
}

bool callable(lua_State* L, int index) {
  if (lua_isfunction(L, index)) return true;
  return luaL_getmetafield(L, index, "__call") != LUA_TNIL && (lua_pop(L, 1), true);
}

int checkpoint(lua_State* L) {
  luaL_checkany(L, 1);
  if (!callable(L, 1)) throw Error("checkpoint expects a function or a module first, got {}", given_text(L, 1));
  Settings s = take_settings(L, 2);
  return run(L, 1, s);
}

// functions [from, to] of the table at upvalue 1, one after the other.
int run_segment(lua_State* L) {
  const lua_Integer from = lua_tointeger(L, lua_upvalueindex(2)), to = lua_tointeger(L, lua_upvalueindex(3));
  for (lua_Integer i = from; i <= to; ++i) {
    const int n = lua_gettop(L);
    lua_geti(L, lua_upvalueindex(1), i);
    lua_insert(L, 1);
    lua_call(L, n, LUA_MULTRET);
  }
  return lua_gettop(L);
}

int checkpoint_sequential(lua_State* L) {
  constexpr const char* name = "checkpoint_sequential";
  Settings s = take_settings(L, 4);
  if (!lua_istable(L, 1) && !lua_isuserdata(L, 1))
    throw Error("{} expects a Sequential or a list of functions first, got {}", name, given_text(L, 1));
  const lua_Integer n = luaL_len(L, 1);
  const int64_t segments = check_integer(L, 2);
  if (segments < 1 || segments > n)
    throw Error("{}: argument 2 (segments) is at least 1 and at most the number of functions, {}; got {}", name, n,
                segments);
  lua_Integer from = 1;
  lua_settop(L, 3);
  lua_insert(L, 1);  // input, functions, segments
  for (int64_t k = 0; k < segments; ++k) {
    const bool last = k + 1 == segments;  // runs as ever, as in PyTorch
    const lua_Integer to = last ? n : from + n / segments - 1;
    const int f = lua_gettop(L) + 1;
    lua_pushvalue(L, 2);
    lua_pushinteger(L, from);
    lua_pushinteger(L, to);
    lua_pushcclosure(L, guarded<run_segment>, 3);
    lua_pushvalue(L, 1);
    if (last) {
      lua_call(L, 1, LUA_MULTRET);
      return lua_gettop(L) - f + 1;
    }
    run(L, f, s);
    lua_settop(L, f);
    lua_replace(L, 1);
    from = to + 1;
  }
  return 0;
}

int call_checkpoint(lua_State* L) {
  lua_remove(L, 1);  // the table torch.utils.checkpoint
  return checkpoint(L);
}

constexpr Row rows[] = {
    {"checkpoint", guarded<checkpoint>, "torch.utils.checkpoint.checkpoint(f, ..., {preserve_rng_state = true})",
     "Returns f(...) and keeps none of its intermediate values: backward runs f again. This needs less memory and more "
     "time. f may be a module and may use checkpoint itself. use_reentrant is accepted and changes nothing."},
    {"checkpoint_sequential", guarded<checkpoint_sequential>,
     "torch.utils.checkpoint.checkpoint_sequential(functions, segments, input, {preserve_rng_state = true})",
     "Runs a Sequential or a list of functions, split into `segments` checkpoints. The last segment is not "
     "checkpointed."},
};

void open_checkpoint(lua_State* L) {
  lua_getglobal(L, "torch");
  luaL_getsubtable(L, -1, "utils");
  lua_newtable(L);
  add_functions(L, -1, rows);
  lua_getmetatable(L, -1);
  lua_pushcfunction(L, guarded<call_checkpoint>);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 1);
  document(
      L, -1,
      "torch.utils.checkpoint(f, ..., {preserve_rng_state = true})\n  The same as torch.utils.checkpoint.checkpoint.");
  lua_setfield(L, -2, "checkpoint");
}
const Open opener("torch.utils.checkpoint", Open::modules + 50, open_checkpoint);

}  // namespace
}  // namespace luth::lang
