// State dicts of optimizers as Lua tables. Keys of parameters are their numbers, from 1.
#include "lang/optim/optim.h"

#include "lang/runtime/tables.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

void push_state(lua_State* L, const optim::ParameterState& s) {
  lua_createtable(L, 0, int(s.tensors.size()) + 1);
  if (s.step) {
    lua_pushinteger(L, s.step);
    lua_setfield(L, -2, "step");
  }
  for (auto& t : s.tensors) {
    push_tensor(L, t.value);
    lua_setfield(L, -2, t.name.c_str());
  }
}

void push_group(lua_State* L, const optim::OptimizerState::Group& g) {
  lua_newtable(L);
  set_fields(L, g.settings);
  if (g.initial_lr) {
    lua_pushnumber(L, *g.initial_lr);
    lua_setfield(L, -2, "initial_lr");
  }
  push_items(L, g.params, [&](int64_t number) { lua_pushinteger(L, number + 1); });
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
    std::string name = lua_tostring(L, -2);
    if (name == "step")
      s.step = check_integer(L, lua_gettop(L));
    else
      s.tensors.push_back({name, check_tensor(L, lua_gettop(L), ("load_state_dict: '" + name + "' expects").c_str())});
  }
  return s;
}

// The settings are read as those of the optimizer's own group.
optim::OptimizerState::Group read_group(lua_State* L, int table, optim::Settings& like) {
  optim::OptimizerState::Group g;
  auto settings = like.copy();
  read_named_settings(L, table, "load_state_dict", [&](Fields& f) { settings->describe(f); }, {"params", "initial_lr"});
  settings->check();
  g.settings = settings->fields();
  if (lua_getfield(L, table, "initial_lr") == LUA_TNUMBER) g.initial_lr = lua_tonumber(L, -1);
  lua_pop(L, 1);
  int params = table_field(L, table, "params");
  for (lua_Integer i = 1, n = luaL_len(L, params); i <= n; ++i) {
    lua_rawgeti(L, params, i);
    g.params.push_back(check_integer(L, lua_gettop(L)) - 1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return g;
}

}  // namespace

int optimizer_state_dict(lua_State* L) {
  optim::OptimizerState s = check_optimizer(L, 1)->state_dict();
  lua_createtable(L, 0, 2);
  lua_newtable(L);
  for (auto& [number, state] : s.state) {
    push_state(L, state);
    lua_rawseti(L, -2, number + 1);
  }
  lua_setfield(L, -2, "state");
  push_items(L, s.groups, [&](auto& g) { push_group(L, g); });
  lua_setfield(L, -2, "param_groups");
  return 1;
}

int optimizer_load_state_dict(lua_State* L) {
  optim::OptimizerRef o = check_optimizer(L, 1);
  if (!lua_istable(L, 2)) throw Error("load_state_dict: expects a table, got {}", given_text(L, 2));
  optim::OptimizerState from;
  int groups = table_field(L, 2, "param_groups");
  for (lua_Integer i = 1, n = luaL_len(L, groups); i <= n; ++i) {
    if (lua_rawgeti(L, groups, i) != LUA_TTABLE) throw Error("load_state_dict: parameter group {} is no table", i);
    size_t at = size_t(i - 1);
    auto& like = at < o->groups().size() ? *o->groups()[at].settings : o->defaults();
    from.groups.push_back(read_group(L, lua_gettop(L), like));
    lua_pop(L, 1);
  }
  int state = table_field(L, 2, "state");
  for (lua_pushnil(L); lua_next(L, state); lua_pop(L, 1)) {
    if (!lua_istable(L, -1)) throw Error("load_state_dict: the state of a parameter is no table");
    int64_t number = check_integer(L, lua_gettop(L) - 1);
    from.state[number - 1] = read_state(L, lua_gettop(L));
  }
  o->load_state_dict(from);
  return 0;
}

}  // namespace luth::lang
