// Opens `optim`: optimizers by their descriptions, their parameter groups as objects that read and write.
#include "lang/optim/optim.h"

#include "core/autograd/autograd.h"
#include "core/base/text.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {

optim::OptimizerRef check_optimizer(lua_State* L, int index, const char* what) {
  return check_ref<optim::OptimizerRef>(L, index, what, "an optimizer");
}
void push_optimizer(lua_State* L, const optim::OptimizerRef& o) { push_box<optim::OptimizerRef>(L, o); }

namespace {

optim::Optimizer& self(lua_State* L) { return self_ref<optim::OptimizerRef>(L, "an optimizer"); }
Describe describe_of(optim::Settings& s) {
  return [&s](Fields& f) { s.describe(f); };
}

// ---- Parameter groups ---------------------------------------------------------------------------------------------

struct GroupRef {
  optim::OptimizerRef optimizer;
  size_t at = 0;
  optim::Group& operator*() const { return optimizer->groups().at(at); }
};
optim::Group& check_group(lua_State* L) {
  if (auto* g = to_box<GroupRef>(L, 1); g && g->optimizer) return **g;
  throw Error("expects a parameter group, got {}", given_text(L, 1));
}

int push_params(lua_State* L, const optim::Group& g) {
  return push_items(L, g.params, [&](auto& t) { push_tensor(L, t); });
}
int group_index(lua_State* L) {
  optim::Group& g = check_group(L);
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  std::string name = lua_tostring(L, 2);
  if (name == "params") return push_params(L, g);
  if (name == "initial_lr") {
    if (!g.initial_lr) return 0;
    return lua_pushnumber(L, *g.initial_lr), 1;
  }
  return push_setting(L, describe_of(*g.settings), name) ? 1 : 0;
}
int group_newindex(lua_State* L) {
  optim::Group& g = check_group(L);
  std::string name = luaL_checkstring(L, 2);
  if (name == "initial_lr") return g.initial_lr = luaL_checknumber(L, 3), 0;
  auto before = g.settings->copy();
  if (!set_setting(L, 3, "param_groups", describe_of(*g.settings), name)) {
    std::vector<std::string> names;
    for (auto& f : g.settings->fields()) names.emplace_back(f.name);
    throw Error("a parameter group has no setting '{}'{}", name, did_you_mean(name, names));
  }
  try {
    g.settings->check();
  } catch (const Error&) {
    g.settings = std::move(before);
    throw;
  }
  return 0;
}
// pairs(group): params, then the settings.
int group_pairs(lua_State* L) {
  optim::Group& g = check_group(L);
  lua_getglobal(L, "next");
  lua_newtable(L);
  push_params(L, g);
  lua_setfield(L, -2, "params");
  set_fields(L, g.settings->fields());
  return 2;
}

int push_groups(lua_State* L, const optim::OptimizerRef& o) {
  size_t i = 0;
  return push_items(L, o->groups(), [&](auto&) { push_box<GroupRef>(L, {o, i++}); });
}

// ---- Making them --------------------------------------------------------------------------------------------------

std::vector<Tensor> read_params(lua_State* L, int index, const std::string& function) {
  if (nn::Module* m = to_module(L, index)) return m->parameters();
  Tensors list = check_tensors(L, index, (function + ": argument 'params' expects").c_str());
  return {list.begin(), list.end()};
}

// {params = list, lr = …}
void add_group(lua_State* L, optim::Optimizer& o, int table, const std::string& function) {
  table = lua_absindex(L, table);
  auto settings = o.defaults().copy();
  read_named_settings(L, table, function, describe_of(*settings), {"params"});
  if (lua_getfield(L, table, "params") == LUA_TNIL) throw Error("{}: a parameter group needs 'params'", function);
  auto params = read_params(L, lua_gettop(L), function);
  lua_pop(L, 1);
  o.add_group(std::move(params), std::move(settings));
}

// A list of tensors, or of groups.
void add_params(lua_State* L, optim::Optimizer& o, int index, const std::string& function) {
  bool groups = false;
  if (lua_istable(L, index)) {
    lua_rawgeti(L, index, 1);
    groups = lua_istable(L, -1);
    lua_pop(L, 1);
  }
  if (!groups) return void(o.add_group(read_params(L, index, function)));
  for (lua_Integer i = 1, n = luaL_len(L, index); i <= n; ++i) {
    lua_rawgeti(L, index, i);
    if (!lua_istable(L, -1))
      throw Error("{}: group {} is {}, not {{params = …}}", function, i, given_text(L, lua_gettop(L)));
    add_group(L, o, lua_gettop(L), function);
    lua_pop(L, 1);
  }
}

// Upvalue 1: the OptimizerClass. Without parameters (settings alone) it waits for add_param_group.
int construct(lua_State* L) {
  auto* c = static_cast<const optim::OptimizerClass*>(lua_touserdata(L, lua_upvalueindex(1)));
  lua_remove(L, 1);  // the class table
  optim::OptimizerRef o = c->make();
  std::string name = "optim." + c->name;
  bool by_name = is_named(L, 1);
  if (lua_isnoneornil(L, 1)) throw Error("{}: argument 'params' is required: a list of parameters or of groups", name);
  read_settings(L, by_name ? 1 : 2, name, describe_of(o->defaults()), {"params"});
  o->defaults().check();
  if (!by_name) {
    add_params(L, *o, 1, name);
  } else {
    if (lua_getfield(L, 1, "params") != LUA_TNIL) add_params(L, *o, lua_gettop(L), name);
    lua_pop(L, 1);
  }
  return push_optimizer(L, o), 1;
}

// ---- Methods ------------------------------------------------------------------------------------------------------

// step(closure): the closure computes the gradients again and returns the loss, which step returns.
int step(lua_State* L) {
  optim::Optimizer& o = self(L);
  if (lua_isnoneornil(L, 2)) return o.step(), 0;
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  {
    GradMode on(true);
    lua_call(L, 0, 1);
  }
  o.step();
  return 1;
}
int zero_grad(lua_State* L) { return self(L).zero_grad(flag_at(L, 2, "zero_grad", "set_to_none")), 0; }
int add_param_group(lua_State* L) {
  optim::Optimizer& o = self(L);
  if (is_named(L, 2))
    add_group(L, o, 2, "add_param_group");
  else
    add_params(L, o, 2, "add_param_group");
  return 0;
}

// Upvalue 1: the methods.
int index(lua_State* L) {
  optim::Optimizer& o = self(L);
  if (push_method(L)) return 1;
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  std::string name = lua_tostring(L, 2);
  if (name == "param_groups") return push_groups(L, optim::OptimizerRef(&o));
  if (name != "defaults") return 0;
  lua_newtable(L);
  set_fields(L, o.defaults().fields());
  return 1;
}
int text(lua_State* L) {
  std::string s = self(L).repr();
  return lua_pushlstring(L, s.data(), s.size()), 1;
}
// isinstance(object, class): by the class's name.
int is_instance(lua_State* L) {
  lua_getglobal(L, "optim");
  lua_getfield(L, -1, self(L).type().c_str());
  return lua_pushboolean(L, lua_rawequal(L, -1, 2)), 1;
}

constexpr Row rows[] = {
    {"step", guarded<step>, "opt:step(closure?)",
     "Updates the parameters with the present gradients. Returns the result of closure."},
    {"zero_grad", guarded<zero_grad>, "opt:zero_grad({set_to_none = true})",
     "Removes the gradients of all parameters; with set_to_none = false, fills them with zeros."},
    {"add_param_group", guarded<add_param_group>, "opt:add_param_group{params = list, lr = …}",
     "Adds a group of parameters with its own settings."},
    {"state_dict", guarded<optimizer_state_dict>, "opt:state_dict()", "State and settings as a table, for torch.save."},
    {"load_state_dict", guarded<optimizer_load_state_dict>, "opt:load_state_dict(table)",
     "Restores a state that state_dict has returned."},
};

void open_metatables(lua_State* L) {
  open_box<optim::OptimizerRef>(L, "optim.Optimizer");
  finish_class(L, rows, guarded<index>,
               {{"__tostring", guarded<text>},
                {"__isinstance", guarded<is_instance>},
                {"__gc", destroy_box<optim::OptimizerRef>}});
  open_box<GroupRef>(L, "optim.Group");
  constexpr luaL_Reg group_events[] = {{"__index", guarded<group_index>},
                                       {"__newindex", guarded<group_newindex>},
                                       {"__pairs", guarded<group_pairs>},
                                       {"__gc", destroy_box<GroupRef>},
                                       {nullptr, nullptr}};
  luaL_setfuncs(L, group_events, 0);
  lua_pop(L, 1);
}

std::string class_help(const void* of) {
  auto* c = static_cast<const optim::OptimizerClass*>(of);
  optim::OptimizerRef o = c->make();
  return settings_help("optim." + c->name, c->brief, describe_of(o->defaults()), "params");
}

void open_optim(lua_State* L) {
  open_metatables(L);
  lua_newtable(L);
  int optim = lua_gettop(L);
  for (auto* c : optim::optimizer_classes()) {
    push_constructor(L, c, guarded<construct>);
    document(L, -1, class_help, c);
    lua_setfield(L, optim, c->name.c_str());
  }
  open_schedules(L, optim);
  lua_getglobal(L, "torch");
  lua_pushvalue(L, optim);
  lua_setfield(L, -2, "optim");
  lua_pushvalue(L, optim);
  lua_setglobal(L, "optim");
}

const Open opener("optim", Open::modules, open_optim);

}  // namespace
}  // namespace luth::lang
