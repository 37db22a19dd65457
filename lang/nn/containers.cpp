// Sequential, ModuleList, ModuleDict and ParameterList in Lua, and `..`.
#include <algorithm>
#include <span>

#include "core/base/text.h"
#include "core/nn/table.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

template <class M>
M& check(lua_State* L, const char* kind) {
  if (M* m = native_as<M>(&self_module(L))) return *m;
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
void add_item(lua_State* L, nn::ListModule& list, int index, const std::string& what) {
  if (!is_pair(L, index)) return list.append(check_module(L, index, what.c_str()));
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

// Refuses what a list would leave out without a word: modules by name, which a table has in no order, and those behind
// a nil.
void check_keys(lua_State* L, int table, const std::string& name) {
  if (lua_getmetatable(L, table)) return lua_pop(L, 1);
  const lua_Integer n = luaL_len(L, table);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING)
      throw Error("{}: {} = … has a name, and a table keeps no order of names: write {{{{'{}', module}}, …}}", name,
                  lua_tostring(L, -2), lua_tostring(L, -2));
    if (lua_tointeger(L, -2) > n) throw Error("{}: element {} is nil", name, n + 1);
  }
}

// Modules one by one, or a single table of them.
void fill_list(lua_State* L, nn::ListModule& list, int first, const std::string& name) {
  int n = lua_gettop(L);
  const bool is_class = luaL_getmetafield(L, first, "instance") != LUA_TNIL;
  const bool one_table = n == first && lua_istable(L, first) && !is_class && !is_pair(L, first);
  lua_settop(L, n);
  auto expects = [&](const char* kind, int i) { return fmt::format("{}: {} {} expects", name, kind, i); };
  if (one_table) {
    check_keys(L, first, name);
    return each_item(L, first, [&](int i) { add_item(L, list, i, expects("element", i - n)); });
  }
  for (int i = first; i <= n; ++i) add_item(L, list, i, expects("argument", i - 1));
}

// Calls add(name, at) for {name = value, …} in order of names, for {{'name', value}, …} in the order given, and for the
// entries of a container.
template <class Add>
void each_named(lua_State* L, int index, const std::string& what, Add add) {
  if (nn::Module* m = to_module(L, index)) {
    for (auto& c : m->parts().children) push_module(L, c.module), add(c.name, lua_gettop(L));
    for (auto& p : m->parts().parameters) push_tensor(L, p.value), add(p.name, lua_gettop(L));
    return;
  }
  if (!lua_istable(L, index)) throw Error("{}: expects a table by name, got {}", what, given_text(L, index));
  std::vector<std::string> names;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING)
      names.emplace_back(lua_tostring(L, -2));
    else if (!lua_istable(L, -1) || lua_rawlen(L, -1) != 2)
      throw Error("{}: expects values by name, got {}", what, given_text(L, lua_gettop(L)));
  }
  std::sort(names.begin(), names.end());
  for (auto& name : names) {
    lua_getfield(L, index, name.c_str());
    add(name, lua_gettop(L));
  }
  each_item(L, index, [&](int i) {
    lua_rawgeti(L, i, 1);
    const char* name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : nullptr;
    if (!name) throw Error("{}: a name is a string, got {}", what, given_text(L, lua_gettop(L)));
    lua_rawgeti(L, i, 2);
    add(name, lua_gettop(L));
  });
}
void fill_dict(lua_State* L, nn::Module& m, int index, const std::string& what) {
  each_named(L, index, what, [&](const std::string& name, int at) {
    const std::string expects = what + ": '" + name + "' expects";
    if (auto* parameters = dynamic_cast<nn::ParameterDict*>(&m))
      parameters->set(name, check_tensor(L, at, expects.c_str()));
    else
      m.add_module(name, check_module(L, at, expects.c_str()));
  });
}
void fill_parameters(lua_State* L, nn::ParameterList& list, int index, const char* what) {
  if (auto* other = native_as<nn::ParameterList>(to_module(L, index)))
    for (auto& p : std::vector(other->parts().parameters)) list.append(p.value);
  else
    for (auto& t : check_tensors(L, index, what)) list.append(t);
}

void fill(lua_State* L, nn::Module& m, int first) {
  const std::string name = "nn." + m.type();
  if (auto* concat = dynamic_cast<nn::Concat*>(&m)) {
    lua_Integer dim = luaL_checkinteger(L, first++);
    concat->dim = dim > 0 ? dim - 1 : dim;
    if (!dim) throw Error("nn.Concat: argument 'dim' counts from 1, got 0");
  }
  if (auto* list = dynamic_cast<nn::ListModule*>(&m)) return fill_list(L, *list, first, name);
  if (lua_isnoneornil(L, first)) return;
  if (auto* list = dynamic_cast<nn::ParameterList*>(&m))
    fill_parameters(L, *list, first, (name + ": expects").c_str());
  else
    fill_dict(L, m, first, name);
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
// The help of a container: its call, its brief, its settings.
template <class M>
std::string container_help(const void* call) {
  std::string text = static_cast<const char*>(call) + std::string("\n  ") + M::brief;
  FieldList settings;
  M().describe(settings);
  for (auto& f : settings.items) text += fmt::format("\n  {:<14} {}", f.name, f.doc);
  return text;
}

// ---- Methods ------------------------------------------------------------------------------------------------------

int self_again(lua_State* L) { return lua_settop(L, 1), 1; }

int append(lua_State* L) {
  if (auto* list = native_as<nn::ParameterList>(&self_module(L)))
    list->append(check_tensor(L, 2, "append: expects"));
  else
    check_list(L).append(check_module(L, 2, "append: expects")), update_children(L, 1, check_list(L).size() - 1);
  return self_again(L);
}
int insert(lua_State* L) {
  nn::ListModule& list = check_list(L);
  const size_t i = check_position(L, 2, list.size() + 1, list);
  list.insert(i, check_module(L, 3, "insert: argument 2 expects"));
  update_children(L, 1, i);
  return self_again(L);
}
int extend(lua_State* L) {
  if (auto* list = native_as<nn::ParameterList>(&self_module(L)))
    return fill_parameters(L, *list, 2, "extend: expects"), self_again(L);
  nn::ListModule& list = check_list(L);
  std::vector<nn::ModuleRef> items;
  if (auto* other = native_as<nn::ListModule>(to_module(L, 2))) {
    for (size_t i = 0; i < other->size(); ++i) items.push_back(other->at(i));
  } else {
    luaL_checktype(L, 2, LUA_TTABLE);
    each_item(L, 2, [&](int i) { items.push_back(check_module(L, i, "extend: expects")); });
  }
  size_t before = list.size();
  for (auto& m : items) list.append(m);
  update_children(L, 1, before);
  return self_again(L);
}
int pop(lua_State* L) {
  if (lua_isnoneornil(L, 2)) lua_settop(L, 1), lua_pushinteger(L, -1);
  if (auto* list = native_as<nn::ParameterList>(&self_module(L))) {
    const size_t i = check_position(L, 2, list->parts().parameters.size(), *list);
    push_tensor(L, list->parameter(i));
    return list->erase(i), 1;
  }
  nn::ListModule& list = check_list(L);
  const size_t i = check_position(L, 2, list.size(), list);
  push_module(L, list.at(i));
  list.erase(i);
  return update_children(L, 1), 1;
}

// ---- Methods of dicts ---------------------------------------------------------------------------------------------

nn::Module& check_dict(lua_State* L) {
  nn::Module& m = self_module(L);
  if (native_as<nn::ModuleDict>(&m) || native_as<nn::ParameterDict>(&m)) return m;
  throw Error("expects a ModuleDict or a ParameterDict, got {}", given_text(L, 1));
}
std::vector<std::string> keys_of(const nn::Module& m) {
  std::vector<std::string> keys;
  for (auto& c : m.parts().children) keys.push_back(c.name);
  for (auto& p : m.parts().parameters)
    if (p.value) keys.push_back(p.name);
  return keys;
}
void push_entry(lua_State* L, nn::Module& m, const std::string& key) {
  if (auto* child = m.find_child(key)) return push_module(L, child->module);
  push_tensor(L, m.find_parameter(key)->value);
}
void erase_entry(nn::Module& m, const std::string& key) {
  std::erase_if(m.parts().children, [&](auto& c) { return c.name == key; });
  std::erase_if(m.parts().parameters, [&](auto& p) { return p.name == key; });
}

int keys(lua_State* L) {
  return push_items(L, keys_of(check_dict(L)), [&](auto& key) { lua_pushlstring(L, key.data(), key.size()); });
}
int values(lua_State* L) {
  nn::Module& m = check_dict(L);
  return push_items(L, keys_of(m), [&](auto& key) { push_entry(L, m, key); });
}
int items(lua_State* L) {
  check_dict(L);
  lua_getglobal(L, "pairs");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 3);
  return 3;
}
int update(lua_State* L) {
  nn::Module& m = check_dict(L);
  fill_dict(L, m, 2, "update");
  update_children(L, 1);
  return self_again(L);
}
int clear(lua_State* L) {
  nn::Module& m = check_dict(L);
  for (auto& key : keys_of(m)) erase_entry(m, key);
  return update_children(L, 1), self_again(L);
}
int pop_key(lua_State* L) {
  nn::Module& m = check_dict(L);
  const std::string key = luaL_checkstring(L, 2);
  const auto all = keys_of(m);
  if (std::find(all.begin(), all.end(), key) == all.end())
    throw Error("{} has no '{}'{}", m.type(), key, did_you_mean(key, all));
  push_entry(L, m, key);
  erase_entry(m, key);
  return update_children(L, 1), 1;
}

constexpr Row list_rows[] = {
    {"append", guarded<append>, "seq:append(module)", "Adds a module at the end. Returns seq."},
    {"extend", guarded<extend>, "seq:extend(modules)", "Adds several modules at the end. Returns seq."},
    {"pop", guarded<pop>, "seq:pop(position = #seq)", "Removes a module and returns it; those behind it move."},
    {"add", guarded<append>, "seq:add(module)", "Adds a module at the end. Returns seq."},
    {"insert", guarded<insert>, "seq:insert(position, module)", "Adds a module before a position. Returns seq."},
    {"remove", guarded<pop>, "seq:remove(position = #seq)", "Removes a module and returns it; those behind it move."},
};
constexpr Row dict_rows[] = {
    {"keys", guarded<keys>, "dict:keys()", "A table of the names, in order."},
    {"values", guarded<values>, "dict:values()", "A table of the values, in order."},
    {"items", guarded<items>, "dict:items()", "Iterates over names and values."},
    {"update", guarded<update>, "dict:update(other)",
     "Adds or replaces what a table by name, a list of {name, value} or another dict holds. Returns dict."},
    {"clear", guarded<clear>, "dict:clear()", "Removes everything. Returns dict."},
    {"pop", guarded<pop_key>, "dict:pop(name)", "Removes a value and returns it."},
};

struct Container {
  std::string_view name;
  lua_CFunction construct, init;
  std::string (*help)(const void* call);
  const char* call;
  std::span<const Row> methods;
};
template <class M>
constexpr Container container(const char* call, std::span<const Row> methods) {
  return {M::name, guarded<construct<M>>, guarded<init<M>>, container_help<M>, call, methods};
}
constexpr Container containers[] = {
    container<nn::Sequential>("nn.Sequential(module, …), also a .. b, or by name {{'conv', module}, …}", list_rows),
    container<nn::ModuleList>("nn.ModuleList({module, …})", list_rows),
    container<nn::ModuleDict>("nn.ModuleDict({name = module, …})", dict_rows),
    container<nn::ParameterList>("nn.ParameterList({parameter, …})", {list_rows, 3}),
    container<nn::ParameterDict>("nn.ParameterDict({name = parameter, …})", dict_rows),
    container<nn::Concat>("nn.Concat(dim, module, …)", list_rows),
    container<nn::ConcatTable>("nn.ConcatTable(module, …)", list_rows),
    container<nn::ParallelTable>("nn.ParallelTable(module, …)", list_rows),
};

}  // namespace

size_t check_position(lua_State* L, int index, size_t n, const nn::Module& m) {
  const lua_Integer given = luaL_checkinteger(L, index), i = given < 0 ? given + lua_Integer(n) + 1 : given;
  if (i >= 1 && i <= lua_Integer(n)) return size_t(i - 1);
  throw Error("{}: position {} is outside of {} (positions count from 1)", m.type(), given,
              n ? fmt::format("1 to {}", n) : std::string("an empty list"));
}

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

bool push_container_class(lua_State* L, std::string_view name) {
  for (auto& c : containers)
    if (c.name == name) {
      push_native_class(L, std::string(name), c.construct, c.init, nullptr);
      document(L, -1, c.help, c.call);
      add_functions(L, -1, c.methods);
      return true;
    }
  return false;
}

std::vector<std::string> container_names() {
  std::vector<std::string> names;
  for (auto& c : containers) names.emplace_back(c.name);
  return names;
}

std::vector<std::string> container_methods() {
  std::vector<std::string> names;
  for (const std::span<const Row> rows : {std::span<const Row>(list_rows), std::span<const Row>(dict_rows)})
    for (auto& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace luth::lang
