// torch.func.functional_call, also nn.utils.stateless.functional_call.
#include "core/nn/functional_call.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/values/named_arguments.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

// The tensors by name of one table, or of several in a list: of one name the last one counts.
nn::StateDict read_tensors(lua_State* L, int index) {
  if (!lua_istable(L, index))
    throw Error("functional_call: argument 'parameters' expects a table of tensors by name, got {}",
                given_text(L, index));
  if (!lua_rawlen(L, index)) return read_state_dict(L, index);
  nn::StateDict all;
  for (lua_Integer i = 1; lua_rawgeti(L, index, i) == LUA_TTABLE; ++i) {
    for (auto& e : read_state_dict(L, -1)) {
      std::erase_if(all, [&](auto& other) { return other.name == e.name; });
      all.push_back(e);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return all;
}

int functional_call(lua_State* L) {
  nn::ModuleRef m = check_module(L, 1, "functional_call: argument 'module' expects");
  nn::FunctionalOptions options;
  int top = lua_gettop(L);
  if (top > 5) throw Error("functional_call: takes a module, tensors, arguments, named arguments and options");
  if (lua_istable(L, 5)) {
    NamedArguments o(L, 5, "functional_call");
    options.tie_weights = o.flag("tie_weights", true);
    options.strict = o.flag("strict", false);
    o.done();
  }
  nn::Replaced replaced(*m, read_tensors(L, 2), options);
  lua_settop(L, 4);
  lua_pushvalue(L, 1);
  int n = 0;
  const bool list = lua_istable(L, 3) && !lua_getmetatable(L, 3) && !is_named(L, 3);
  if (list) {
    n = int(lua_rawlen(L, 3));
    luaL_checkstack(L, n + 4, "too many arguments");
    for (int i = 1; i <= n; ++i) lua_rawgeti(L, 3, i);
  } else if (!lua_isnoneornil(L, 3)) {
    lua_settop(L, 5);
    lua_pushvalue(L, 3), n = 1;
  }
  if (lua_istable(L, 4)) lua_pushvalue(L, 4), ++n;
  lua_call(L, n, LUA_MULTRET);
  return lua_gettop(L) - 4;
}

constexpr Row rows[] = {
    {"functional_call", guarded<functional_call>,
     "torch.func.functional_call(module, tensors, args, kwargs, {tie_weights = true, strict = false})",
     "Calls the module with these tensors, a table by name, in the place of its parameters and buffers. args is one "
     "argument or a table of them, kwargs a table of those by name. The module itself stays as it is."},
};

void open_functional_call(lua_State* L) {
  lua_getglobal(L, "torch");
  luaL_getsubtable(L, -1, "func");
  document(L, -1, "torch.func\n  Functions of functions: derivatives, and modules as functions of their parameters.");
  add_functions(L, lua_gettop(L), rows);
  lua_getglobal(L, "nn");
  luaL_getsubtable(L, -1, "utils");
  luaL_getsubtable(L, -1, "stateless");
  document(L, -1, "nn.utils.stateless\n  functional_call, also torch.func.functional_call.");
  add_functions(L, -1, rows);
}
const Open opener("torch.functional_call", Open::modules + 5, open_functional_call);

}  // namespace
}  // namespace luth::lang
