// Hooks of modules: around forward, and on gradients.
#include "core/autograd/autograd.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// The function of a hook. That of a module's hook is kept by the module's userdata, that of a global one by a root.
struct Function {
  WeakRef weak;
  LuaRef root;
  // Pushes it; false, and pushes nothing, where it was removed or its module is gone for Lua.
  bool push(lua_State* L) const {
    luaL_checkstack(L, 12, nullptr);
    root ? root.push(L) : weak.push(L);
    return lua_isnil(L, -1) ? lua_pop(L, 1), false : true;
  }
  lua_State* running() const { return root ? root.running() : weak.running(); }
};

// Where hooks go: those of the module at 1 with the function at 2, or the global ones with the function at 1.
struct Target {
  bool global;
  int function() const { return global ? 1 : 2; }
  nn::Hooks& hooks(lua_State* L) const { return global ? nn::global_hooks() : self_module(L).hooks(); }
  Function read(lua_State* L) const {
    if (!global) self_module(L);
    luaL_checktype(L, function(), LUA_TFUNCTION);
    return global ? Function{{}, LuaRef(L, 1)} : Function{WeakRef(L, 2), {}};
  }
};

int remove_hook(lua_State* L) {
  const lua_Integer id = lua_tointeger(L, lua_upvalueindex(2));
  const bool global = lua_isnil(L, lua_upvalueindex(1));
  if (global) return nn::global_hooks().remove(id), 0;
  check_module(L, lua_upvalueindex(1))->hooks().remove(id);
  if (push_values_of(L, lua_upvalueindex(1), module_hooks, false)) lua_pushnil(L), lua_rawseti(L, -2, id);
  return 0;
}
// A handle with remove(). A module keeps the function.
int push_handle(lua_State* L, const Target& target, int64_t id) {
  if (!target.global) {
    push_values_of(L, 1, module_hooks, true);
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, id);
  }
  lua_createtable(L, 0, 1);
  target.global ? lua_pushnil(L) : lua_pushvalue(L, 1);
  lua_pushinteger(L, id);
  lua_pushcclosure(L, guarded<remove_hook>, 2);
  lua_setfield(L, -2, "remove");
  return 1;
}

struct HookOptions {
  bool prepend = false, with_kwargs = false, always_call = false;
};
// `takes`: the options beside prepend.
HookOptions read_options(lua_State* L, const Target& target, const char* name,
                         std::initializer_list<bool HookOptions::*> takes = {}) {
  HookOptions h;
  NamedArguments o(L, target.function() + 1, name);
  h.prepend = o.flag("prepend", false);
  for (auto option : takes)
    h.*option = o.flag(option == &HookOptions::with_kwargs ? "with_kwargs" : "always_call", false);
  o.done();
  return h;
}

// ---- Around forward -----------------------------------------------------------------------------------------------

// One value as itself, several as a table.
void push_some(lua_State* L, const nn::Values& values) {
  if (values.size() == 1) return void(push_values(L, values));
  push_values(L, nn::Values{nn::Argument::list(values)});
}
// What a hook of forward returned, from `first` to the top; nothing for nil, which changes nothing.
void replace(lua_State* L, int first, nn::Values& values) {
  if (lua_gettop(L) >= first && !lua_isnil(L, first)) values = check_values(L, first);
}
// The table of arguments, and that of those by name, which a pre-hook with kwargs returned.
void replace_named(lua_State* L, int first, nn::Values& in, nn::Named& named) {
  if (lua_gettop(L) < first || lua_isnil(L, first)) return;
  if (lua_gettop(L) != first + 1 || !lua_istable(L, first) || !lua_istable(L, first + 1))
    throw Error("a hook with kwargs returns nil, or a table of arguments and a table of those by name; got {}",
                given_text(L, first));
  in = to_argument(L, first).items();
  lua_pushvalue(L, first + 1);
  named.clear();
  check_values(L, first + 2, &named);
}

// Pushes the function, the module and the arguments of its call; 0 where the function is gone, else their number.
int push_call(lua_State* L, const Function& f, nn::Module& m, const nn::Values& in, const nn::Named& named,
              const HookOptions& o) {
  if (!f.push(L)) return 0;
  push_module(L, nn::ModuleRef(&m));
  push_values(L, nn::Values{nn::Argument::list(in)});
  if (o.with_kwargs) push_named(L, named);
  return o.with_kwargs ? 3 : 2;
}

template <bool global>
int forward_pre_hook(lua_State* L) {
  const Target target{global};
  const Function f = target.read(L);
  const HookOptions o = read_options(L, target, "register_forward_pre_hook", {&HookOptions::with_kwargs});
  auto hook = [f, o](nn::Module& m, nn::Values& in, nn::Named& named) {
    lua_State* L = f.running();
    const int top = lua_gettop(L), n = push_call(L, f, m, in, named, o);
    if (!n) return;
    lua_call(L, n, LUA_MULTRET);
    o.with_kwargs ? replace_named(L, top + 1, in, named) : replace(L, top + 1, in);
    lua_settop(L, top);
  };
  return push_handle(L, target, target.hooks(L).add(&nn::Hooks::before, hook, o.prepend));
}

template <bool global>
int forward_hook(lua_State* L) {
  const Target target{global};
  const Function f = target.read(L);
  const HookOptions o =
      read_options(L, target, "register_forward_hook", {&HookOptions::with_kwargs, &HookOptions::always_call});
  auto hook = [f, o](nn::Module& m, const nn::Values& in, const nn::Named& named, nn::Values& out) {
    lua_State* L = f.running();
    const int top = lua_gettop(L), n = push_call(L, f, m, in, named, o);
    if (!n) return;
    out.empty() ? lua_pushnil(L) : push_some(L, out);
    // While an error passes, another one of Lua would end the process.
    if (!o.always_call)
      lua_call(L, n + 1, LUA_MULTRET);
    else if (lua_pcall(L, n + 1, LUA_MULTRET, 0) != LUA_OK)
      throw Error("{}", luaL_tolstring(L, -1, nullptr));
    replace(L, top + 1, out);
    lua_settop(L, top);
  };
  return push_handle(L, target, target.hooks(L).add(&nn::Hooks::after, hook, o.prepend, o.always_call));
}

// ---- On gradients -------------------------------------------------------------------------------------------------

// The gradients that a hook of backward returned: nil, a tensor, or a table with torch.none for an absent one.
Tensors replaced_gradients(lua_State* L, int at) {
  if (is_none(L, at)) return {};
  if (!lua_istable(L, at)) return {check_tensor(L, at, "a hook of backward returns nil or")};
  Tensors list;
  each_element(L, at, [&](int i, lua_Integer) {
    list.push_back(is_none(L, i) ? Tensor() : check_tensor(L, i, "a hook of backward: the table holds"));
  });
  return list;
}
template <bool pre, bool global>
int backward_hook(lua_State* L) {
  const Target target{global};
  const Function f = target.read(L);
  const HookOptions o = read_options(L, target, "register_full_backward_hook");
  nn::BackwardHook hook = [f](nn::Module& m, const Tensors& inputs, const Tensors& results) -> Tensors {
    lua_State* L = f.running();
    const int top = lua_gettop(L);
    if (!f.push(L)) return {};
    push_module(L, nn::ModuleRef(&m));
    if (!pre) push_optional_tensors(L, inputs);
    push_optional_tensors(L, results);
    lua_call(L, pre ? 2 : 3, 1);
    Tensors out = replaced_gradients(L, top + 1);
    lua_settop(L, top);
    return out;
  };
  auto kind = pre ? &nn::Hooks::before_backward : &nn::Hooks::after_backward;
  return push_handle(L, target, target.hooks(L).add(kind, std::move(hook), o.prepend));
}

// ---- On state dicts -----------------------------------------------------------------------------------------------

template <bool pre>
int state_hook(lua_State* L) {
  const Function f = Target{false}.read(L);
  auto hook = [f](nn::Module& m, nn::StateDict& dict, const std::string& prefix) {
    lua_State* L = f.running();
    const int top = lua_gettop(L);
    if (!f.push(L)) return;
    push_module(L, nn::ModuleRef(&m));
    if (!pre) push_state_dict(L, dict, false);
    lua_pushlstring(L, prefix.data(), prefix.size());
    pre ? lua_pushboolean(L, state_options.keep_vars) : lua_newtable(L);  // the latter: local_metadata
    if (!pre) lua_pushvalue(L, top + 3), lua_insert(L, top + 1);
    lua_call(L, pre ? 3 : 4, 0);
    if (!pre) dict = read_state_dict(L, top + 1);
    lua_settop(L, top);
  };
  return push_handle(L, {false},
                     self_module(L).hooks().add(pre ? &nn::Hooks::before_state : &nn::Hooks::after_state, hook));
}

void push_names(lua_State* L, const std::vector<std::string>& names) {
  push_items(L, names, [&](auto& name) { lua_pushlstring(L, name.data(), name.size()); });
}

int load_hook(lua_State* L) {
  const Function f = Target{false}.read(L);
  auto hook = [f](nn::Module& m, nn::StateDict& from, const std::string& prefix, nn::LoadResult& result) {
    lua_State* L = f.running();
    const int top = lua_gettop(L);
    push_state_dict(L, from, false);  // kept below the call: the hook changes these tables
    auto lists = {&result.missing, &result.unexpected, &result.errors};
    for (auto* names : lists) push_names(L, *names);
    if (!f.push(L)) return lua_settop(L, top);
    push_module(L, nn::ModuleRef(&m));
    lua_pushvalue(L, top + 1);
    lua_pushlstring(L, prefix.data(), prefix.size());
    lua_newtable(L);
    lua_pushboolean(L, state_options.strict);
    for (int i = 2; i <= 4; ++i) lua_pushvalue(L, top + i);
    lua_call(L, 8, 0);
    from = read_state_dict(L, top + 1);
    int at = top + 1;
    for (auto* names : lists) *names = read_names(L, ++at);
    lua_settop(L, top);
  };
  return push_handle(L, {false}, self_module(L).hooks().add(&nn::Hooks::before_load, hook));
}

int loaded_hook(lua_State* L) {
  const Function f = Target{false}.read(L);
  auto hook = [f](nn::Module& m, nn::LoadResult& result) {
    lua_State* L = f.running();
    const int top = lua_gettop(L);
    lua_newtable(L);
    push_names(L, result.missing);
    lua_setfield(L, -2, "missing_keys");
    push_names(L, result.unexpected);
    lua_setfield(L, -2, "unexpected_keys");
    if (!f.push(L)) return lua_settop(L, top);
    push_module(L, nn::ModuleRef(&m));
    lua_pushvalue(L, top + 1);
    lua_call(L, 2, 0);
    lua_getfield(L, top + 1, "missing_keys");
    result.missing = read_names(L, top + 2);
    lua_getfield(L, top + 1, "unexpected_keys");
    result.unexpected = read_names(L, top + 3);
    lua_settop(L, top);
  };
  return push_handle(L, {false}, self_module(L).hooks().add(&nn::Hooks::after_load, hook));
}

constexpr Row rows[] = {
    {"register_forward_hook", guarded<forward_hook<false>>,
     "m:register_forward_hook(f, {prepend = false, with_kwargs = false, always_call = false})",
     "f(module, inputs, output) runs after each forward and may return another output. with_kwargs: f(module, inputs, "
     "named, output). always_call: also after an error, with nil for the output. Returns a handle with remove()."},
    {"register_forward_pre_hook", guarded<forward_pre_hook<false>>,
     "m:register_forward_pre_hook(f, {prepend = false, with_kwargs = false})",
     "f(module, inputs) runs before each forward and may return other inputs. with_kwargs: f(module, inputs, named), "
     "which may return both tables. Returns a handle with remove()."},
    {"register_full_backward_hook", guarded<backward_hook<false, false>>,
     "m:register_full_backward_hook(f, {prepend = false})",
     "f(module, grad_inputs, grad_outputs) runs when backward has the gradients of the arguments. It may return a "
     "table of other grad_inputs. Returns a handle with remove()."},
    {"register_full_backward_pre_hook", guarded<backward_hook<true, false>>,
     "m:register_full_backward_pre_hook(f, {prepend = false})",
     "f(module, grad_outputs) runs when backward reaches the module. It may return a table of other grad_outputs. "
     "Returns a handle with remove()."},
    {"register_state_dict_pre_hook", guarded<state_hook<true>>, "m:register_state_dict_pre_hook(f)",
     "f(module, prefix, keep_vars) runs before state_dict reads the module. Returns a handle with remove()."},
    {"register_state_dict_post_hook", guarded<state_hook<false>>, "m:register_state_dict_post_hook(f)",
     "f(module, state_dict, prefix, metadata) runs when the entries of the module and of those below are in the dict, "
     "and may change it. Returns a handle with remove()."},
    {"register_load_state_dict_pre_hook", guarded<load_hook>, "m:register_load_state_dict_pre_hook(f)",
     "f(module, state_dict, prefix, metadata, strict, missing_keys, unexpected_keys, error_msgs) runs before the dict "
     "is loaded, and may change it and the lists. The caller's dict stays as it is. Returns a handle with remove()."},
    {"register_load_state_dict_post_hook", guarded<loaded_hook>, "m:register_load_state_dict_post_hook(f)",
     "f(module, incompatible) runs after loading. Names that it takes out of incompatible.missing_keys and "
     "incompatible.unexpected_keys are no errors. Returns a handle with remove()."},
};

constexpr Row global_rows[] = {
    {"register_module_forward_hook", guarded<forward_hook<true>>,
     "nn.modules.module.register_module_forward_hook(f, {with_kwargs = false, always_call = false})",
     "f(module, inputs, output) runs after each forward of every module, before its own hooks. Returns a handle with "
     "remove()."},
    {"register_module_forward_pre_hook", guarded<forward_pre_hook<true>>,
     "nn.modules.module.register_module_forward_pre_hook(f)",
     "f(module, inputs) runs before each forward of every module. Returns a handle with remove()."},
    {"register_module_full_backward_hook", guarded<backward_hook<false, true>>,
     "nn.modules.module.register_module_full_backward_hook(f)",
     "f(module, grad_inputs, grad_outputs) runs in backward of every module. Returns a handle with remove()."},
    {"register_module_full_backward_pre_hook", guarded<backward_hook<true, true>>,
     "nn.modules.module.register_module_full_backward_pre_hook(f)",
     "f(module, grad_outputs) runs when backward reaches any module. Returns a handle with remove()."},
};

}  // namespace

void open_module_hooks(lua_State* L, int nn, int methods) {
  add_functions(L, methods, rows);
  luaL_getsubtable(L, nn, "modules");
  document(L, -1, "nn.modules\n  Has nn.modules.module, the hooks of all modules, and nn.modules.utils.");
  luaL_getsubtable(L, -1, "module");
  document(L, -1, "nn.modules.module\n  Hooks of all modules: register_module_forward_hook and its like.");
  add_functions(L, -1, global_rows);
  lua_pop(L, 2);
}

}  // namespace luth::lang
