// State dicts of optimizers as Lua tables. Keys of parameters are their numbers, from 1.
#include <algorithm>
#include <cmath>

#include "lang/optim/optim.h"

#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// Counts, such as n_iter, as integers.
void push_count(lua_State* L, double v) {
  if (v == std::floor(v) && std::abs(v) < 1e15)
    lua_pushinteger(L, lua_Integer(v));
  else
    lua_pushnumber(L, v);
}
void push_list(lua_State* L, const std::vector<Tensor>& list) {
  push_items(L, list, [&](auto& t) { push_tensor(L, t); });
}

}  // namespace

bool push_state_value(lua_State* L, optim::ParameterState& s, const std::string& name) {
  if (name == "step" && s.step) return lua_pushinteger(L, s.step), true;
  if (double* v = s.find_number(name)) return push_count(L, *v), true;
  if (Tensor* t = s.find(name)) return push_tensor(L, *t), true;
  for (auto& list : s.lists)
    if (list.first == name) return push_list(L, list.second), true;
  return false;
}

void set_state_value(lua_State* L, optim::ParameterState& s, const std::string& name, int index) {
  if (name == "step") {
    double v = 0;  // PyTorch keeps a tensor
    if (Value given = to_value(L, index))
      v = given.is_tensor() ? given.tensor().item().value() : lua_tonumber(L, index);
    if (v != std::floor(v) || v < 0) throw Error("'step' must be a count, got {}", given_text(L, index));
    return void(s.step = int64_t(v));
  }
  std::erase_if(s.numbers, [&](auto& n) { return n.first == name; });
  std::erase_if(s.tensors, [&](auto& t) { return t.name == name; });
  std::erase_if(s.lists, [&](auto& l) { return l.first == name; });
  if (lua_isnil(L, index)) return;
  if (lua_type(L, index) == LUA_TNUMBER) return void(s.number(name) = lua_tonumber(L, index));
  const std::string what = "the state '" + name + "' is a number, a tensor or a list of tensors: expects";
  if (lua_istable(L, index)) {
    Tensors list = check_tensors(L, index, what.c_str());
    s.list(name).assign(list.begin(), list.end());
  } else {
    s.tensor(name) = check_tensor(L, index, what.c_str()).detach();
  }
}

void push_state(lua_State* L, const optim::ParameterState& s) {
  lua_createtable(L, 0, int(s.tensors.size()) + 1);
  if (s.step) {
    lua_pushinteger(L, s.step);
    lua_setfield(L, -2, "step");
  }
  for (auto& [name, value] : s.numbers) {
    push_count(L, value);
    lua_setfield(L, -2, name.c_str());
  }
  for (auto& t : s.tensors) {
    push_tensor(L, t.value);
    lua_setfield(L, -2, t.name.c_str());
  }
  for (auto& [name, list] : s.lists) {
    push_list(L, list);
    lua_setfield(L, -2, name.c_str());
  }
}

// ---- Fields of groups that are no settings
// ----------------------------------------------------------------------------

std::vector<std::string> setting_names(optim::Settings& s) {
  std::vector<std::string> names;
  for (auto& f : s.fields()) names.emplace_back(f.name);
  return names;
}
bool is_setting(std::string_view name) {
  auto& all = optim::optimizer_classes();
  return std::any_of(all.begin(), all.end(), [&](auto* c) { return c->make()->defaults().has(name); });
}
Attr own_value(lua_State* L, int index, const std::string& name) {
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN: return bool(lua_toboolean(L, index));
    case LUA_TSTRING: return std::string(lua_tostring(L, index));
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) return int64_t(lua_tointeger(L, index));
      return lua_tonumber(L, index);
    default:
      throw Error(
          "'{}' of a parameter group is no setting; as an own field it may be a number, a string or a boolean, "
          "got {}",
          name, given_text(L, index));
  }
}
std::vector<std::string> own_names(lua_State* L, int table, optim::Settings& settings) {
  std::vector<std::string> names;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    const std::string name = lua_tostring(L, -2);
    if (name != "params" && name != "initial_lr" && !settings.has(name) && !is_setting(name)) names.push_back(name);
  }
  return names;
}
std::map<std::string, Attr> read_own(lua_State* L, int table, const std::vector<std::string>& names) {
  std::map<std::string, Attr> own;
  for (auto& name : names) {
    lua_getfield(L, table, name.c_str());
    own[name] = own_value(L, lua_gettop(L), name);
    lua_pop(L, 1);
  }
  return own;
}
void set_own(lua_State* L, const std::map<std::string, Attr>& own) {
  for (auto& [name, value] : own) {
    push_attr(L, value);
    lua_setfield(L, -2, name.c_str());
  }
}

int64_t read_base(lua_State* L, int index, const char* function) {
  NamedArguments arguments(L, lua_gettop(L) < index ? 0 : index, function);
  const int64_t base = arguments.integer("base", 1);
  arguments.done();
  if (base != 0 && base != 1) throw Error("{}: base is 1, or 0 for PyTorch's numbers, got {}", function, base);
  return base;
}

namespace {

void push_group(lua_State* L, const optim::OptimizerState::Group& g, int64_t base) {
  lua_newtable(L);
  set_fields(L, g.settings);
  set_own(L, g.own);
  if (g.initial_lr) {
    lua_pushnumber(L, *g.initial_lr);
    lua_setfield(L, -2, "initial_lr");
  }
  push_items(L, g.params, [&](int64_t number) { lua_pushinteger(L, number + base); });
  lua_setfield(L, -2, "params");
}

// The field of a table at `index`, which must be a table; returns its stack index.
int table_field(lua_State* L, int index, const char* name) {
  if (lua_getfield(L, index, name) != LUA_TTABLE)
    throw Error("load_state_dict: '{}' is {}, not a table: this is no state of an optimizer", name,
                given_text(L, lua_gettop(L)));
  return lua_gettop(L);
}

optim::ParameterState read_state(lua_State* L, int table) {
  optim::ParameterState s;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) throw Error("load_state_dict: the state of a parameter has names");
    const std::string name = lua_tostring(L, -2);  // not the key itself, which lua_next needs
    set_state_value(L, s, name, lua_gettop(L));
  }
  return s;
}

// The settings are read as those of the optimizer's own group.
optim::OptimizerState::Group read_group(lua_State* L, int table, optim::Settings& like, int64_t base) {
  optim::OptimizerState::Group g;
  auto settings = like.copy();
  std::vector<std::string> others = own_names(L, table, *settings);
  g.own = read_own(L, table, others);
  others.insert(others.end(), {"params", "initial_lr"});
  read_named_settings(
      L, table, "load_state_dict", [&](Fields& f) { settings->describe(f); }, others);
  settings->check();
  g.settings = settings->fields();
  if (lua_getfield(L, table, "initial_lr") == LUA_TNUMBER) g.initial_lr = lua_tonumber(L, -1);
  lua_pop(L, 1);
  int params = table_field(L, table, "params");
  for (lua_Integer i = 1, n = luaL_len(L, params); i <= n; ++i) {
    lua_rawgeti(L, params, i);
    g.params.push_back(check_integer(L, lua_gettop(L)) - base);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return g;
}

}  // namespace

int optimizer_state_dict(lua_State* L) {
  optim::OptimizerRef o = check_optimizer(L, 1);
  const int64_t base = read_base(L, 2, "state_dict");
  call_hooks(L, "state_dict_pre", 0);
  optim::OptimizerState s = o->state_dict();
  lua_createtable(L, 0, 2);
  lua_newtable(L);
  for (auto& [number, state] : s.state) {
    push_state(L, state);
    lua_rawseti(L, -2, number + base);
  }
  lua_setfield(L, -2, "state");
  push_items(L, s.groups, [&](auto& g) { push_group(L, g, base); });
  lua_setfield(L, -2, "param_groups");
  call_hooks(L, "state_dict_post", lua_gettop(L));
  return 1;
}

int optimizer_load_state_dict(lua_State* L) {
  optim::OptimizerRef o = check_optimizer(L, 1);
  const int64_t base = read_base(L, 3, "load_state_dict");
  lua_settop(L, 2);
  call_hooks(L, "load_state_dict_pre", 2);
  if (!lua_istable(L, 2)) throw Error("load_state_dict: expects a table, got {}", given_text(L, 2));
  optim::OptimizerState from;
  int groups = table_field(L, 2, "param_groups");
  for (lua_Integer i = 1, n = luaL_len(L, groups); i <= n; ++i) {
    if (lua_rawgeti(L, groups, i) != LUA_TTABLE) throw Error("load_state_dict: parameter group {} is no table", i);
    size_t at = size_t(i - 1);
    auto& like = at < o->groups().size() ? *o->groups()[at].settings : o->defaults();
    from.groups.push_back(read_group(L, lua_gettop(L), like, base));
    lua_pop(L, 1);
  }
  int state = table_field(L, 2, "state");
  for (lua_pushnil(L); lua_next(L, state); lua_pop(L, 1)) {
    if (!lua_istable(L, -1)) throw Error("load_state_dict: the state of a parameter is no table");
    int64_t number = check_integer(L, lua_gettop(L) - 1);
    from.state[number - base] = read_state(L, lua_gettop(L));
  }
  o->load_state_dict(from);
  lua_settop(L, 2);
  call_hooks(L, "load_state_dict_post", 0);
  return 0;
}

}  // namespace luth::lang
