// Hooks of modules: around forward, and on gradients.
#include "core/autograd/autograd.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// The values that a hook returned; none for nil, which changes nothing.
std::optional<nn::Values> replaced(lua_State* L, int top) {
  std::optional<nn::Values> out;
  if (lua_gettop(L) > top && !lua_isnil(L, top + 1)) out = check_values(L, top + 1, "a hook: result");
  lua_settop(L, top);
  return out;
}
// hook(module, inputs) or hook(module, inputs, outputs); several values are a table, as is one input.
void push_some(lua_State* L, const nn::Values& values, bool always_table) {
  if (values.size() == 1 && !always_table) return void(push_values(L, values));
  push_items(L, values, [&](auto& v) { push_values(L, {v}); });
}

int remove_hook(lua_State* L) {
  lua_Integer id = lua_tointeger(L, lua_upvalueindex(2));
  check_module(L, lua_upvalueindex(1))->remove_hook(id);
  if (push_values_of(L, lua_upvalueindex(1), module_hooks, false)) lua_pushnil(L), lua_rawseti(L, -2, id);
  return 0;
}
// The module (at 1) keeps the function (at 2).
int push_handle(lua_State* L, int64_t id) {
  push_values_of(L, 1, module_hooks, true);
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, id);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, id);
  lua_pushcclosure(L, guarded<remove_hook>, 2);
  lua_setfield(L, -2, "remove");
  return 1;
}
// Calls f(module, inputs), or f(module, inputs, outputs). Returns the replacement of the last argument, if there is
// one.
std::optional<nn::Values> call_forward_hook(const WeakRef& f, nn::Module& m, const nn::Values& in,
                                            const nn::Values* out) {
  lua_State* L = f.running();
  int top = lua_gettop(L);
  luaL_checkstack(L, 8, nullptr);
  f.push(L);
  if (lua_isnil(L, -1)) return replaced(L, top);  // removed by another hook of this call
  push_module(L, nn::ModuleRef(&m));
  push_some(L, in, true);
  if (out) push_some(L, *out, false);
  lua_call(L, out ? 3 : 2, LUA_MULTRET);
  return replaced(L, top);
}
int forward_pre_hook(lua_State* L) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  WeakRef f(L, 2);
  return push_handle(L, self_module(L).add_pre_hook(
                            [f](nn::Module& m, const nn::Values& in) { return call_forward_hook(f, m, in, nullptr); }));
}
int forward_hook(lua_State* L) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  WeakRef f(L, 2);
  return push_handle(L, self_module(L).add_post_hook([f](nn::Module& m, const nn::Values& in, const nn::Values& out) {
    return call_forward_hook(f, m, in, &out);
  }));
}

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
template <bool pre>
int backward_hook(lua_State* L) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  WeakRef f(L, 2);
  nn::BackwardHook hook = [f](nn::Module& m, const Tensors& inputs, const Tensors& results) -> Tensors {
    lua_State* L = f.running();
    const int top = lua_gettop(L);
    luaL_checkstack(L, 8, nullptr);
    f.push(L);
    if (lua_isnil(L, -1)) return lua_settop(L, top), Tensors();  // removed, or the module is gone for Lua
    push_module(L, nn::ModuleRef(&m));
    if (!pre) push_optional_tensors(L, inputs);
    push_optional_tensors(L, results);
    lua_call(L, pre ? 2 : 3, 1);
    Tensors out = replaced_gradients(L, top + 1);
    lua_settop(L, top);
    return out;
  };
  return push_handle(L, self_module(L).add_backward_hook(std::move(hook), pre));
}

constexpr Row rows[] = {
    {"register_forward_hook", guarded<forward_hook>, "m:register_forward_hook(f)",
     "f(module, inputs, output) runs after each forward and may return another output. Returns a handle with "
     "remove()."},
    {"register_forward_pre_hook", guarded<forward_pre_hook>, "m:register_forward_pre_hook(f)",
     "f(module, inputs) runs before each forward and may return other inputs. Returns a handle with remove()."},
    {"register_full_backward_hook", guarded<backward_hook<false>>, "m:register_full_backward_hook(f)",
     "f(module, grad_inputs, grad_outputs) runs when backward has the gradients of the arguments. It may return a "
     "table of other grad_inputs. Returns a handle with remove()."},
    {"register_full_backward_pre_hook", guarded<backward_hook<true>>, "m:register_full_backward_pre_hook(f)",
     "f(module, grad_outputs) runs when backward reaches the module. It may return a table of other grad_outputs. "
     "Returns a handle with remove()."},
};

}  // namespace

void open_module_hooks(lua_State* L, int methods) { add_functions(L, methods, rows); }

}  // namespace luth::lang
