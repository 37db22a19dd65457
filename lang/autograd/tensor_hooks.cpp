#include "lang/autograd/tensor_hooks.h"

#include "core/autograd/autograd.h"
#include "lang/collector/graph_roots.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// The gradient through the Lua function; null where it returns nil.
Tensor call_hook(const LuaRef& f, const Tensor& gradient) {
  lua_State* L = f.running();
  luaL_checkstack(L, 8, "too many hooks");
  f.push(L);
  if (lua_isnil(L, -1)) return lua_pop(L, 1), Tensor();  // collected, with all that could see it
  push_tensor(L, gradient);
  lua_call(L, 1, 1);
  Tensor out = is_none(L, lua_gettop(L)) ? Tensor() : check_tensor(L, lua_gettop(L), "a hook returns nil or");
  lua_pop(L, 1);
  return out;
}

}  // namespace

int64_t add_tensor_hook(lua_State* L, int tensor, int f, bool accumulated) {
  const Tensor& t = check_tensor(L, tensor);
  const Ref<Node> node = t.grad_fn();
  const GraphRootRef root = new_graph_root(L, f);
  node ? root->set_owner(*node) : root->set_owner(*t.impl());
  Hook hook = [root](const Tensor& g) { return call_hook(root->value, g); };
  return accumulated ? register_accumulated_hook(t, std::move(hook)) : register_hook(t, std::move(hook));
}

}  // namespace luth::lang
