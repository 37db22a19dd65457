// Fields of modules: reading finds plain fields, methods, parts and settings; assigning registers parts.
#include <algorithm>

#include "core/nn/container.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// The module is at 1, here and below.
bool push_fields(lua_State* L, bool create) { return push_values_of(L, 1, module_fields, create); }

Describe describe_of(nn::Module& m) {
  return [&m](Fields& f) { m.describe(f); };
}

// The name of the part at a position: of a list, positions count from its ends.
std::string position_name(nn::Module& m, lua_Integer i) {
  auto& p = m.parts();
  lua_Integer n = lua_Integer(p.children.empty() ? p.parameters.size() : p.children.size());
  if (m.positional() && i < 0) i += n + 1;
  if (m.positional() && i >= 1 && i <= n)  // children may have names of their own
    return p.children.empty() ? p.parameters[size_t(i - 1)].name : p.children[size_t(i - 1)].name;
  return std::to_string(i);
}

bool push_part(lua_State* L, nn::Module& m, std::string_view name) {
  if (auto* p = m.find_parameter(name); p && p->value) return push_tensor(L, p->value), true;
  if (auto* c = m.find_child(name)) return push_module(L, c->module), true;
  if (auto* b = m.find_buffer(name); b && b->value) return push_tensor(L, b->value), true;
  return false;
}
bool has_part(nn::Module& m, std::string_view name) {
  return m.find_parameter(name) || m.find_child(name) || m.find_buffer(name);
}

// Drops a part of another kind, so that the name is free. A parameter or buffer keeps its place, as classes find theirs
// by position.
void drop_other(lua_State* L, nn::Module& m, const std::string& name, const char* kind) {
  if (auto* p = m.find_parameter(name); p && kind[0] != 'p') p->value = Tensor();
  if (auto* b = m.find_buffer(name); b && kind[0] != 'b') b->value = Tensor();
  if (kind[0] != 'm' && std::erase_if(m.parts().children, [&](auto& c) { return c.name == name; }))
    update_children(L, 1);
}

void set_plain(lua_State* L) {
  push_fields(L, true);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_rawset(L, -3);
}

void assign_tensor(lua_State* L, nn::Module& m, const std::string& name, const Tensor& t) {
  if (t.impl()->parameter) {
    drop_other(L, m, name, "parameter");
    m.register_parameter(name, t);
  } else if (auto* b = m.find_buffer(name)) {
    b->value = t;
  } else if (m.find_parameter(name)) {
    throw Error("{}.{} is a parameter: assign nn.Parameter(t), or nil to remove it", m.type(), name);
  } else if (m.find_child(name)) {
    throw Error("{}.{} is a module: assign a module, or nil to remove it", m.type(), name);
  } else {
    return set_plain(L);
  }
  lua_pushnil(L);  // a plain field of that name would hide the part
  lua_replace(L, 3);
  set_plain(L);
}

// What a ParameterList or ParameterDict makes of a tensor.
Tensor as_own_parameter(const Tensor& t) { return t.impl()->parameter ? t : nn::as_parameter(t); }

void assign_nil(lua_State* L, nn::Module& m, const std::string& name) {
  if (m.remove(name)) update_children(L, 1);
  if (push_fields(L, false)) {
    lua_pushvalue(L, 2);
    lua_pushnil(L);
    lua_rawset(L, -3);
  }
}

// Whether a library computes the part of that name (share/luth/torch/computed.lua): the field _computed names it.
bool is_computed(lua_State* L, const char* name) {
  const int top = lua_gettop(L);
  const bool is =
      push_fields(L, false) && lua_getfield(L, -1, "_computed") == LUA_TTABLE && lua_getfield(L, -1, name) != LUA_TNIL;
  return lua_settop(L, top), is;
}
// Calls the function of luth.torch.computed with the n arguments on the stack, which are those of __index or
// __newindex.
int call_computed(lua_State* L, const char* function, int n) {
  lua_settop(L, n);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.torch.computed");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, function);
  lua_insert(L, 1);
  lua_settop(L, n + 1);
  lua_call(L, n, LUA_MULTRET);
  return lua_gettop(L);
}

// Number k of a range.
lua_Integer range_number(lua_State* L, int range, int k, lua_Integer otherwise) {
  if (lua_geti(L, range, k) == LUA_TNIL) return otherwise;
  if (lua_isinteger(L, -1)) return lua_tointeger(L, -1);
  throw Error("a range of modules is {{from, to, step}} of integers, got {}", given_text(L, lua_gettop(L)));
}
// seq[{ {from, to, step} }], with the ends of a range of tensors: a list of the same modules. Those of a Sequential
// keep their names, as in PyTorch.
int push_range(lua_State* L, nn::ListModule& list) {
  if (lua_rawlen(L, 2) != 1 || lua_geti(L, 2, 1) != LUA_TTABLE)
    throw Error("{}: expects a position or a range, {}[{{ {{from, to}} }}]", list.type(), list.type());
  const int range = lua_gettop(L);
  const auto n = lua_Integer(list.size());
  lua_Integer from = range_number(L, range, 1, 1);
  lua_Integer to = range_number(L, range, 2, luaL_len(L, range) == 1 ? from : n);
  const lua_Integer step = range_number(L, range, 3, 1);
  if (from == 0) throw Error("a range from 0: positions count from 1");
  if (step < 1) throw Error("a range's step is at least 1, got {}", step);
  if (from < 0) from += n + 1;
  if (to < 0) to += n + 1;
  const nn::ModuleRef out = list.fresh();
  auto& part = dynamic_cast<nn::ListModule&>(*out);
  for (lua_Integer i = std::max<lua_Integer>(from, 1); i <= std::min(to, n); i += step) {
    const auto& child = list.parts().children[size_t(i - 1)];
    if (list.type() == nn::Sequential::name)
      part.add_module(child.name, child.module);
    else
      part.append(child.module);
  }
  return push_module(L, out), 1;
}

}  // namespace

// Upvalue 1: the class table. Looks in the plain fields, the class, the parts, the settings; nil where nobody has it.
int module_index(lua_State* L) {
  nn::Module& m = self_module(L);
  if (lua_type(L, 2) == LUA_TNUMBER) {
    int ok = 0;
    lua_Integer i = lua_tointegerx(L, 2, &ok);
    return ok && push_part(L, m, position_name(m, i)) ? 1 : 0;
  }
  if (push_fields(L, false)) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  }
  if (auto* list = native_as<nn::ListModule>(&m); list && lua_istable(L, 2)) return push_range(L, *list);
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  lua_pushvalue(L, 2);
  if (lua_gettable(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  size_t n = 0;
  const char* s = lua_tolstring(L, 2, &n);
  std::string_view name(s, n);
  if (push_part(L, m, name)) return 1;
  if (name == "training") return lua_pushboolean(L, m.training()), 1;
  if (has_part(m, name))  // absent, as the bias of a layer without one: not the setting of that name
    return is_computed(L, s) ? call_computed(L, "read", 2) : 0;
  return push_setting(L, describe_of(m), name) ? 1 : 0;
}

// l[i] = value of a list: replaces, and nil removes.
static void assign_position(lua_State* L, nn::Module& m) {
  auto* list = native_as<nn::ListModule>(&m);
  auto* parameters = native_as<nn::ParameterList>(&m);
  const size_t i = check_position(L, 2, list ? list->size() : m.parts().parameters.size(), m);
  if (list && lua_isnil(L, 3))
    list->erase(i);
  else if (list)
    list->replace(i, check_module(L, 3, fmt::format("{}: position {} expects", m.type(), i + 1).c_str()));
  else if (lua_isnil(L, 3))
    parameters->erase(i);
  else
    assign_tensor(L, m, std::to_string(i + 1), as_own_parameter(check_tensor(L, 3, "ParameterList: expects")));
  update_children(L, 1);
}

int module_newindex(lua_State* L) {
  nn::Module& m = self_module(L);
  if (lua_isinteger(L, 2) && (native_as<nn::ListModule>(&m) || native_as<nn::ParameterList>(&m)))
    return assign_position(L, m), 0;
  if (lua_type(L, 2) != LUA_TSTRING && !lua_isinteger(L, 2)) return set_plain(L), 0;
  std::string name = lua_isinteger(L, 2) ? position_name(m, lua_tointeger(L, 2)) : lua_tostring(L, 2);
  if (lua_isnil(L, 3)) return assign_nil(L, m, name), 0;
  if (is_computed(L, name.c_str())) return call_computed(L, "assign", 3);
  if (to_module(L, 3)) {
    nn::ModuleRef child = check_module(L, 3);
    drop_other(L, m, name, "module");
    size_t before = m.parts().children.size();
    m.add_module(name, child);
    update_children(L, 1, before < m.parts().children.size() ? before : 0);
    if (push_fields(L, false)) {
      lua_pushvalue(L, 2);
      lua_pushnil(L);
      lua_rawset(L, -3);
    }
    return 0;
  }
  if (to_tensor(L, 3)) {
    const Tensor& t = check_tensor(L, 3);
    return assign_tensor(L, m, name, native_as<nn::ParameterDict>(&m) ? as_own_parameter(t) : t), 0;
  }
  if (name == "training" && lua_isboolean(L, 3)) return m.parts().training = lua_toboolean(L, 3), 0;
  if (m.find_parameter(name) || m.find_child(name))
    throw Error("{}.{} is a {}: it cannot become {}; assign nil to remove it", m.type(), name,
                m.find_child(name) ? "module" : "parameter", given_text(L, 3));
  if (set_setting(L, 3, m.type(), describe_of(m), name)) return 0;
  return set_plain(L), 0;
}

}  // namespace luth::lang
