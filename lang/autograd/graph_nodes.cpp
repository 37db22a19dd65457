// The graph in Lua: grad_fn and its fields, hooks of tensors and of nodes.
#include "core/autograd/autograd.h"
#include "lang/autograd/open_autograd.h"
#include "lang/autograd/tensor_hooks.h"
#include "lang/collector/graph_roots.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/tensor/tensor_class.h"

namespace luth::lang {
namespace {

// ---- nodes ----

using NodeRef = Ref<Node>;

int node_name(lua_State* L) { return lua_pushstring(L, own<NodeRef>(L)->name().c_str()), 1; }
int node_text(lua_State* L) { return lua_pushstring(L, ("<" + own<NodeRef>(L)->name() + ">").c_str()), 1; }
int node_equal(lua_State* L) {
  auto *a = to_box<NodeRef>(L, 1), *b = to_box<NodeRef>(L, 2);
  return lua_pushboolean(L, a && b && *a == *b), 1;
}
int node_index(lua_State* L) {
  const NodeRef& node = own<NodeRef>(L);
  std::string_view key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  lua_settop(L, 2);
  if (push_method(L)) return 1;
  if (key == "variable" && node->leaf()) return push_tensor(L, node->leaf()), 1;
  if (key != "next_functions")
    throw Error("a grad_fn has no field '{}'; it has name(), next_functions, register_hook and register_prehook", key);
  return push_items(L, node->next, [&](auto& edge) {
    lua_createtable(L, 2, 0);
    push_grad_fn(L, edge.node);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, edge.nr);
    lua_rawseti(L, -2, 2);
  });
}

// ---- hooks ----

// The user value is the tensor's or the node's userdata; nil once the hook was removed.
struct HookHandle {
  int64_t id = 0;
};

int remove_handle(lua_State* L) {
  if (!to_box<HookHandle>(L, 1)) throw Error("remove expects a hook's handle, got {}", given_text(L, 1));
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  const int64_t id = to_box<HookHandle>(L, 1)->id;
  if (const Tensor* t = to_tensor(L, 2); t && *t) remove_hook(*t, id);
  if (auto* node = to_box<NodeRef>(L, 2)) remove_hook(**node, id);
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  return 0;
}
// The handle of a hook of the tensor or node at 1.
int push_handle(lua_State* L, int64_t id) {
  push_box(L, HookHandle{id}, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  return 1;
}
void check_function(lua_State* L, const char* name) {
  if (lua_type(L, 2) != LUA_TFUNCTION) throw Error("{} expects a function, got {}", name, given_text(L, 2));
}

// A hook of a node: before its backward f(grad_outputs), after it f(grad_inputs, grad_outputs).
template <bool before>
int add_node_hook(lua_State* L) {
  const NodeRef node = own<NodeRef>(L);
  check_function(L, before ? "register_prehook" : "register_hook");
  const GraphRootRef root = new_graph_root(L, 2);
  root->set_owner(*node);
  NodeHook hook = [root](const Tensors& dxs, const Tensors& dys) {
    lua_State* L = root->value.running();
    luaL_checkstack(L, 8, "too many hooks");
    root->value.push(L);
    if (lua_isnil(L, -1)) return lua_pop(L, 1), Tensors();  // collected, with all that could see it
    if (!before) push_optional_tensors(L, dxs);
    push_optional_tensors(L, dys);
    lua_call(L, before ? 1 : 2, 1);
    const int top = lua_gettop(L);
    Tensors out;
    if (!is_none(L, top)) out = optional_tensors(L, top, "a hook of a node returns nil or");
    lua_pop(L, 1);
    return out;
  };
  return push_handle(L, register_node_hook(*node, std::move(hook), before));
}

template <bool accumulated>
int add_hook(lua_State* L) {
  self(L);
  check_function(L, accumulated ? "register_post_accumulate_grad_hook" : "register_hook");
  return push_handle(L, add_tensor_hook(L, 1, 2, accumulated));
}

constexpr Row method_rows[] = {
    {"register_hook", guarded<add_hook<false>>, "x:register_hook(f)",
     "backward calls f(gradient of x), which may return another gradient. Returns a handle; its remove() removes the "
     "hook."},
    {"register_post_accumulate_grad_hook", guarded<add_hook<true>>, "x:register_post_accumulate_grad_hook(f)",
     "backward calls f(x) after it has added to x.grad; x must be a leaf. Returns a handle; its remove() removes the "
     "hook."},
};
constexpr Row node_rows[] = {
    {"name", guarded<node_name>, "node:name()", "The name of this step of backward, such as 'PowBackward0'."},
    {"register_hook", guarded<add_node_hook<false>>, "node:register_hook(f)",
     "f(grad_inputs, grad_outputs) runs after the node. It may return a table of other grad_inputs. Returns a handle "
     "with remove()."},
    {"register_prehook", guarded<add_node_hook<true>>, "node:register_prehook(f)",
     "f(grad_outputs) runs before the node. It may return a table of other grad_outputs. Returns a handle with "
     "remove()."},
};

}  // namespace

void open_graph_nodes(lua_State* L, int methods) {
  open_box<NodeRef>(L, "torch.autograd.Node");
  finish_class(L, node_rows, guarded<node_index>, {{"__tostring", guarded<node_text>}, {"__eq", guarded<node_equal>}});
  open_box<HookHandle>(L, "torch.hook");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, guarded<remove_handle>);
  lua_setfield(L, -2, "remove");
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  add_functions(L, methods, method_rows);
}

}  // namespace luth::lang
