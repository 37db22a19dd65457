// The userdata of modules: identity, class, user values.
#include "lang/collector/trial_deletion.h"
#include "lang/nn/nn.h"
#include "lang/runtime/allocator.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/tables.h"
#include "lang/runtime/user_values.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

char cache_key;    // registry: weak table, module address -> userdata
char named_key;    // registry: name of a class of Lua's -> its class table
char classes_key;  // registry: name of a C++ class -> its class table

const DestroyWithBlock<nn::ModuleRef> destroy(module_values);

// The parameters and buffers of a module. Its children have userdata of their own.
const void* each_tensor_of_module(lua_State* L, int index, const HeldTensors::Visit& visit) {
  nn::Module* m = to_module(L, index);
  if (!m) return nullptr;
  for (auto& p : m->parts().parameters) visit(p.value);
  for (auto& b : m->parts().buffers) visit(b.value);
  return m;
}
const HeldTensors held_tensors(each_tensor_of_module);

}  // namespace

void push_module_cache(lua_State* L) { push_kept(L, &cache_key, "v"); }

void push_module_classes(lua_State* L) { push_kept(L, &classes_key); }

void push_named_classes(lua_State* L) { push_kept(L, &named_key); }

void push_class_of(lua_State* L, const nn::Module& m) {
  if (auto* script = dynamic_cast<const ScriptModule*>(&m)) return script->klass().push(L);
  push_module_classes(L);
  for (const std::string& name : {m.type(), std::string("Module")})
    if (lua_getfield(L, -1, name.c_str()) == LUA_TTABLE)
      break;
    else
      lua_pop(L, 1);
  lua_remove(L, -2);
}

nn::Module* to_module(lua_State* L, int index) {
  auto* ref = to_box<nn::ModuleRef>(L, index);
  return ref ? ref->get() : nullptr;
}
nn::ModuleRef check_module(lua_State* L, int index, const char* what) {
  return check_ref<nn::ModuleRef>(L, index, what, "a module");
}
nn::Module& self_module(lua_State* L) {
  if (nn::Module* m = to_module(L, 1)) return *m;
  refuse_self(L, "a module", "m");
}

void push_module(lua_State* L, const nn::ModuleRef& m) {
  if (!m) return lua_pushnil(L);
  luaL_checkstack(L, 8, nullptr);
  push_module_cache(L);
  if (lua_rawgetp(L, -1, m.get()) == LUA_TUSERDATA) return lua_remove(L, -2);
  lua_pop(L, 1);
  push_class_of(L, *m);
  auto* script = dynamic_cast<ScriptModule*>(m.get());
  if (script && std::exchange(script->pushed, true))
    throw Error("the Lua side of this {} was collected before it: whoever holds it must hold its userdata", m->type());
  void* p = lua_newuserdatauv(L, sizeof(Box<nn::ModuleRef>), module_values);
  new (p) Box<nn::ModuleRef>{&box_tag<nn::ModuleRef>, m};
  lua_getmetatable(L, -2);
  lua_getfield(L, -1, "instance");  // the metatable of instances
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
  lua_remove(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, -3, m.get());
  lua_remove(L, -2);
  update_children(L, -1);
}

void update_children(lua_State* L, int index, size_t from) {
  index = lua_absindex(L, index);
  const nn::Nesting nesting;
  nn::ModuleRef m = check_module(L, index);
  auto& children = m->parts().children;
  luaL_checkstack(L, 8, nullptr);
  if (!push_values_of(L, index, module_children, !children.empty())) return;
  for (size_t i = from; i < children.size(); ++i) {
    push_module(L, children[i].module);
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
  for (lua_Integer i = lua_Integer(lua_rawlen(L, -1)); i > lua_Integer(children.size()); --i) {
    lua_pushnil(L);
    lua_rawseti(L, -2, i);
  }
  lua_pop(L, 1);
}

bool push_values_of(lua_State* L, int index, ModuleValue which, bool create) {
  return push_user_value(L, index, which, create);
}

}  // namespace luth::lang
