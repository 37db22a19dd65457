// Sequential, ModuleList, ModuleDict and ParameterList in Lua, and `..`.
#include <algorithm>

#include "core/nn/container.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// A module of Lua's class keeps its list in the module of C++ that it derives from.
template <class M>
M* as(nn::Module* m) {
  if (auto* script = dynamic_cast<ScriptModule*>(m)) m = script->native().get();
  return dynamic_cast<M*>(m);
}
template <class M>
M& check(lua_State* L, const char* kind) {
  if (M* m = as<M>(&self_module(L))) return *m;
  throw Error("expects {}, got {}", kind, given_text(L, 1));
}
nn::ListModule& check_list(lua_State* L) { return check<nn::ListModule>(L, "a Sequential or a ModuleList"); }

// {name, module} pairs keep their order and names.
bool is_pair(lua_State* L, int index) {
  if (!lua_istable(L, index) || lua_rawlen(L, index) != 2) return false;
  lua_rawgeti(L, index, 1);
  lua_rawgeti(L, index, 2);
  bool pair = lua_type(L, -2) == LUA_TSTRING && to_module(L, -1);
  lua_pop(L, 2);
  return pair;
}
void add_item(lua_State* L, nn::ListModule& list, int index, const char* name) {
  if (!is_pair(L, index)) return list.append(check_module(L, index, name));
  lua_rawgeti(L, index, 1);
  lua_rawgeti(L, index, 2);
  list.add_module(lua_tostring(L, -2), check_module(L, lua_gettop(L)));
  lua_pop(L, 2);
}

// The items stay on the stack: a module that a table makes when asked needs its userdata until a parent holds it.
template <class Each>
void each_item(lua_State* L, int table, Each each) {
  for (lua_Integer k = 1, n = luaL_len(L, table); k <= n; ++k) {
    luaL_checkstack(L, 8, "too many modules");
    lua_geti(L, table, k);
    each(lua_gettop(L));
  }
}

// Modules one by one, or a single table of them.
void fill_list(lua_State* L, nn::ListModule& list, int first, const char* name) {
  int n = lua_gettop(L);
  bool one_table = n == first && lua_istable(L, first) && !is_pair(L, first);
  if (one_table) return each_item(L, first, [&](int i) { add_item(L, list, i, name); });
  for (int i = first; i <= n; ++i) add_item(L, list, i, name);
}
// {a = module, …} in order of names, or {{'a', module}, …} in the order given.
void fill_dict(lua_State* L, nn::ModuleDict& dict, int first) {
  if (lua_isnoneornil(L, first)) return;
  luaL_checktype(L, first, LUA_TTABLE);
  std::vector<std::string> names;
  for (lua_pushnil(L); lua_next(L, first); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      names.emplace_back(lua_tostring(L, -2));
      continue;
    }
    if (!is_pair(L, lua_gettop(L)))
      throw Error("nn.ModuleDict: expects modules by name, got {}", given_text(L, lua_gettop(L)));
  }
  std::sort(names.begin(), names.end());
  for (auto& name : names) {
    lua_getfield(L, first, name.c_str());
    dict.add_module(name, check_module(L, lua_gettop(L), ("nn.ModuleDict: '" + name + "' expects").c_str()));
    lua_pop(L, 1);
  }
  each_item(L, first, [&](int i) {
    lua_rawgeti(L, i, 1);
    lua_rawgeti(L, i, 2);
    dict.add_module(lua_tostring(L, -2), check_module(L, lua_gettop(L)));
    lua_pop(L, 2);
  });
}
void fill_parameters(lua_State* L, nn::ParameterList& list, int first) {
  if (lua_isnoneornil(L, first)) return;
  for (auto& t : check_tensors(L, first, "nn.ParameterList: expects")) list.append(t);
}

void fill(lua_State* L, nn::Module& m, int first) {
  std::string name = "nn." + m.type() + ": expects";
  if (auto* list = dynamic_cast<nn::ListModule*>(&m)) fill_list(L, *list, first, name.c_str());
  if (auto* dict = dynamic_cast<nn::ModuleDict*>(&m)) fill_dict(L, *dict, first);
  if (auto* list = dynamic_cast<nn::ParameterList*>(&m)) fill_parameters(L, *list, first);
}
template <class M>
int construct(lua_State* L) {
  nn::ModuleRef m(new M);
  fill(L, *m, 2);
  return push_module(L, m), 1;
}
template <class M>
int init(lua_State* L) {
  auto* self = dynamic_cast<ScriptModule*>(&self_module(L));
  if (!self) throw Error("init is for classes made by nn.class");
  nn::ModuleRef m(new M);
  fill(L, *m, 2);
  self->set_native(m);
  return update_children(L, 1), 0;
}
template <class M>
void open(lua_State* L, int nn, const char* name, const char* help) {
  push_native_class(L, name, guarded<construct<M>>, guarded<init<M>>, nullptr);
  document(L, -1, help);
  lua_setfield(L, nn, name);
}

// ---- Methods ------------------------------------------------------------------------------------------------------

int append(lua_State* L) {
  if (auto* list = as<nn::ParameterList>(&self_module(L)))
    list->append(check_tensor(L, 2, "append: expects"));
  else
    check_list(L).append(check_module(L, 2, "append: expects")), update_children(L, 1, check_list(L).size() - 1);
  return lua_settop(L, 1), 1;
}
int insert(lua_State* L) {
  nn::ListModule& list = check_list(L);
  lua_Integer i = luaL_checkinteger(L, 2), n = lua_Integer(list.size());
  if (i < 0) i += n + 1;
  if (i < 1 || i > n + 1) throw Error("insert: position {} is outside of 1 to {}", luaL_checkinteger(L, 2), n + 1);
  list.insert(size_t(i - 1), check_module(L, 3, "insert: argument 2 expects"));
  update_children(L, 1, size_t(i - 1));
  return lua_settop(L, 1), 1;
}
int extend(lua_State* L) {
  nn::ListModule& list = check_list(L);
  std::vector<nn::ModuleRef> items;
  if (auto* other = as<nn::ListModule>(to_module(L, 2))) {
    for (size_t i = 0; i < other->size(); ++i) items.push_back(other->at(i));
  } else {
    luaL_checktype(L, 2, LUA_TTABLE);
    each_item(L, 2, [&](int i) { items.push_back(check_module(L, i, "extend: expects")); });
  }
  size_t before = list.size();
  for (auto& m : items) list.append(m);
  update_children(L, 1, before);
  return lua_settop(L, 1), 1;
}
int remove(lua_State* L) {
  nn::ListModule& list = check_list(L);
  lua_Integer n = lua_Integer(list.size()), i = luaL_optinteger(L, 2, n);
  if (i < 0) i += n + 1;
  if (i < 1 || i > n) throw Error("remove: position {} is outside of 1 to {}", luaL_optinteger(L, 2, n), n);
  push_module(L, list.at(size_t(i - 1)));
  list.erase(size_t(i - 1));
  update_children(L, 1);
  return 1;
}

constexpr Row list_rows[] = {
    {"append", guarded<append>, "seq:append(module)", "Adds a module at the end. Returns seq."},
    {"add", guarded<append>, "seq:add(module)", "Adds a module at the end. Returns seq."},
    {"insert", guarded<insert>, "seq:insert(position, module)", "Adds a module before a position. Returns seq."},
    {"extend", guarded<extend>, "seq:extend(modules)", "Adds several modules at the end. Returns seq."},
    {"remove", guarded<remove>, "seq:remove(position = #seq)", "Removes a module and returns it."},
};
void add_list_methods(lua_State* L, int nn, const char* name, size_t n) {
  lua_getfield(L, nn, name);
  add_functions(L, -1, {list_rows, n});
  lua_pop(L, 1);
}

}  // namespace

int join_modules(lua_State* L) {
  nn::ModuleRef a = check_module(L, 1, "..: the left side expects"),
                b = check_module(L, 2, "..: the right side expects");
  Ref<nn::Sequential> out(new nn::Sequential);
  out->joined = true;
  for (auto& m : {a, b}) {
    auto* seq = dynamic_cast<nn::Sequential*>(m.get());
    if (!seq || !seq->joined)
      out->append(m);
    else
      for (size_t i = 0; i < seq->size(); ++i) out->append(seq->at(i));
  }
  return push_module(L, out), 1;
}

void open_module_containers(lua_State* L, int nn, int) {
  open<nn::Sequential>(L, nn, "Sequential",
                       "nn.Sequential(module, …)\nCalls modules one after the other. Also a .. b.");
  open<nn::ModuleList>(L, nn, "ModuleList", "nn.ModuleList{module, …}\nA list of modules.");
  open<nn::ModuleDict>(L, nn, "ModuleDict", "nn.ModuleDict{name = module, …}\nModules by name.");
  open<nn::ParameterList>(L, nn, "ParameterList", "nn.ParameterList{parameter, …}\nA list of parameters.");
  for (const char* name : {"Sequential", "ModuleList"}) add_list_methods(L, nn, name, std::size(list_rows));
  add_list_methods(L, nn, "ParameterList", 1);
}

}  // namespace luth::lang
