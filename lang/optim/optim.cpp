// Opens `optim`: optimizers by their descriptions, their parameter groups as objects that read and write.
#include "lang/optim/optim.h"

#include "core/autograd/autograd.h"
#include "core/base/text.h"
#include "core/base/visible.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {

optim::OptimizerRef check_optimizer(lua_State* L, int index, const char* what) {
  return check_ref<optim::OptimizerRef>(L, index, what, "an optimizer");
}
void push_optimizer(lua_State* L, const optim::OptimizerRef& o) { push_object_of(L, o); }

namespace {

char classes_key;  // registry: name of a built-in class -> its class table, a late name
char methods_key;  // registry: the methods of optim.Optimizer

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
  if (auto own = g.own.find(name); own != g.own.end()) return push_attr(L, own->second), 1;
  return push_setting(L, describe_of(*g.settings), name) ? 1 : 0;
}
int group_newindex(lua_State* L) {
  optim::Group& g = check_group(L);
  std::string name = luaL_checkstring(L, 2);
  if (name == "initial_lr") return g.initial_lr = luaL_checknumber(L, 3), 0;
  auto before = g.settings->copy();
  if (!set_setting(L, 3, "param_groups", describe_of(*g.settings), name)) {
    const std::string meant = did_you_mean(name, setting_names(*g.settings));
    if (name == "params" || !meant.empty() || is_setting(name))
      throw Error("a parameter group has no setting '{}'{}", name, meant);
    if (lua_isnil(L, 3)) return g.own.erase(name), 0;
    return g.own[name] = own_value(L, 3, name), 0;
  }
  try {
    g.settings->check();
  } catch (const Error&) {
    g.settings = std::move(before);
    throw;
  }
  return 0;
}
// pairs(group): params, the settings, and what the user keeps there.
int group_pairs(lua_State* L) {
  optim::Group& g = check_group(L);
  lua_getglobal(L, "next");
  lua_newtable(L);
  push_params(L, g);
  lua_setfield(L, -2, "params");
  set_fields(L, g.settings->fields());
  set_own(L, g.own);
  return 2;
}

// Of the optimizer at 1, which they hold.
int push_groups(lua_State* L) {
  const optim::OptimizerRef o = check_optimizer(L, 1);
  size_t i = 0;
  return push_items(L, o->groups(), [&](auto&) {
    push_box<GroupRef>(L, {o, i++}, 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
  });
}

// ---- Making them --------------------------------------------------------------------------------------------------

// m:named_parameters(), an iterator over names and tensors.
std::vector<Tensor> named_params(lua_State* L, int index, const std::string& function) {
  std::vector<Tensor> list;
  for (;;) {
    lua_pushvalue(L, index);
    lua_call(L, 0, 2);
    if (lua_isnil(L, -2)) return lua_pop(L, 2), list;
    list.push_back(
        check_tensor(L, lua_gettop(L), (function + ": named parameters are a name and a tensor: expects").c_str()));
    lua_pop(L, 2);
  }
}
std::vector<Tensor> read_params(lua_State* L, int index, const std::string& function) {
  if (nn::Module* m = to_module(L, index)) return m->parameters();
  if (lua_isfunction(L, index)) return named_params(L, index, function);
  Tensors list = check_tensors(L, index, (function + ": argument 'params' expects").c_str());
  return {list.begin(), list.end()};
}

// {params = list, lr = …}
void add_group(lua_State* L, optim::Optimizer& o, int table, const std::string& function) {
  table = lua_absindex(L, table);
  auto settings = o.defaults().copy();
  std::vector<std::string> others = own_names(L, table, *settings);
  std::erase_if(others, [&](auto& name) { return !nearest(name, setting_names(*settings)).empty(); });
  auto own = read_own(L, table, others);
  others.insert(others.end(), {"params", "initial_lr"});
  read_named_settings(L, table, function, describe_of(*settings), others);
  if (lua_getfield(L, table, "params") == LUA_TNIL) throw Error("{}: a parameter group needs 'params'", function);
  auto params = read_params(L, lua_gettop(L), function);
  optim::Group& g = o.add_group(std::move(params), std::move(settings));
  if (lua_getfield(L, table, "initial_lr") != LUA_TNIL) g.initial_lr = luaL_checknumber(L, -1);
  lua_pop(L, 2);
  g.own = std::move(own);
}

}  // namespace

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

namespace {

// The arguments from 1 on: parameters or groups, then settings. Without parameters it waits for add_param_group.
void read_arguments(lua_State* L, optim::Optimizer& o) {
  const std::string name = "optim." + o.type();
  bool by_name = is_named(L, 1);
  if (lua_isnoneornil(L, 1) && lua_gettop(L) < 2)
    throw Error("{}: argument 'params' is required: a list of parameters or of groups", name);
  read_settings(L, by_name ? 1 : 2, name, describe_of(o.defaults()), {"params"});
  o.defaults().check();
  if (by_name)
    lua_getfield(L, 1, "params");
  else
    lua_pushvalue(L, 1);
  if (!lua_isnil(L, -1)) add_params(L, o, lua_gettop(L), name);
  lua_pop(L, 1);
}

// optim.SGD(…). Upvalue 1: the OptimizerClass.
int construct(lua_State* L) {
  auto* c = static_cast<const optim::OptimizerClass*>(lua_touserdata(L, lua_upvalueindex(1)));
  lua_remove(L, 1);  // the class table
  optim::OptimizerRef o = c->make();
  if (lua_isnil(L, 1)) lua_settop(L, 0);  // nil parameters are a mistake here; in an own class's init they come later
  read_arguments(L, *o);
  return push_optimizer(L, o), 1;
}

// optim.SGD.init(self, …), for a class made from it. Upvalue 1: the OptimizerClass.
int init(lua_State* L) {
  auto* c = static_cast<const optim::OptimizerClass*>(lua_touserdata(L, lua_upvalueindex(1)));
  auto& own = new_object<optim::OptimizerRef>(L, "optim." + c->name + ".init");
  own = c->make();
  remember_object(L, 1, own.get());
  optim::OptimizerRef o = own;
  lua_remove(L, 1);  // the maker of the object holds it
  read_arguments(L, *o);
  return 0;
}

// My(…), for a class made by optim.class: an object, which init gives its optimizer.
int construct_own(lua_State* L) {
  return construct_object<optim::OptimizerRef>(L, "optim.Optimizer.init(self, params, defaults)");
}

// ---- Methods ------------------------------------------------------------------------------------------------------

// The loss that a closure returned, which is at `index`.
double loss_at(lua_State* L, int index) {
  const Value v = to_value(L, index);
  if (!v) throw Error("the closure must return the loss, got {}", given_text(L, index));
  return v.is_tensor() ? v.tensor().item().value() : lua_tonumber(L, index);
}

// One step of the optimizer itself. step(closure): the closure computes the gradients again and returns the loss;
// what it returned first is the result.
int plain_step(lua_State* L) {
  optim::Optimizer& o = self(L);
  if (lua_isnoneornil(L, 2)) return o.step(), 0;
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  o.step([&] {
    lua_pushvalue(L, 2);
    lua_call(L, 0, 1);
    const double loss = o.needs_closure() ? loss_at(L, lua_gettop(L)) : 0;
    lua_settop(L, 3);  // the first result
    return loss;
  });
  return 1;
}
// The same between its hooks; that of an own class is written in Lua.
int step(lua_State* L) {
  self(L);
  lua_settop(L, 2);
  if (!has_global_hooks() && lua_getiuservalue(L, 1, optim_held) == LUA_TNIL &&
      lua_getiuservalue(L, 1, optim_class) == LUA_TNIL)
    return lua_settop(L, 2), plain_step(L);
  lua_settop(L, 2);
  call_step_hooks(L, true);
  if (push_lua_method(L, 1, "step")) {
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
  } else if (!plain_step(L)) {
    lua_pushnil(L);
  }
  lua_insert(L, 3);
  lua_settop(L, 3);
  call_step_hooks(L, false);
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
  const std::string_view name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (name == "step") return lua_pushcfunction(L, guarded<step>), 1;
  if (push_own_field(L)) return 1;
  if (push_method(L)) return 1;
  if (name == "param_groups") return push_groups(L);
  if (name == "state") return push_all_state(L, optim::OptimizerRef(&o)), 1;
  if (name != "defaults") return 0;
  lua_newtable(L);
  set_fields(L, o.defaults().fields());
  return 1;
}
int text(lua_State* L) {
  optim::Optimizer& o = self(L);
  std::string s = class_name(L, 1, o.type()) + " (";
  for (size_t i = 0; i < o.groups().size(); ++i) {
    s += fmt::format("\nParameter Group {}\n", i + 1);
    for (auto& f : o.groups()[i].settings->fields()) s += fmt::format("    {}: {}\n", f.name, lua_text(f.value, f.as));
    for (auto& [name, value] : o.groups()[i].own) s += fmt::format("    {}: {}\n", name, lua_text(value, as::plain));
  }
  s += ")";
  return lua_pushlstring(L, s.data(), s.size()), 1;
}
// isinstance(object, class): its class, or one that this derives from.
int is_instance(lua_State* L) {
  optim::Optimizer& o = self(L);
  if (!push_user_value(L, 1, optim_class, false)) {
    push_kept(L, &classes_key);
    lua_getfield(L, -1, o.type().c_str());
  }
  return push_is_instance(L);
}

constexpr Row rows[] = {
    {"step", guarded<step>, "opt:step(closure?)",
     "Updates the parameters with the present gradients. Returns the result of closure."},
    {"zero_grad", guarded<zero_grad>, "opt:zero_grad({set_to_none = true})",
     "Removes the gradients of all parameters; with set_to_none = false, fills them with zeros."},
    {"add_param_group", guarded<add_param_group>, "opt:add_param_group{params = list, lr = …}",
     "Adds a group of parameters with its own settings. A name that no setting has, such as name = 'head', is kept "
     "with it."},
    {"state_dict", guarded<optimizer_state_dict>, "opt:state_dict({base = 1})",
     "State and settings as a table, for torch.save. With base = 0, parameters count from 0 as in PyTorch's files."},
    {"load_state_dict", guarded<optimizer_load_state_dict>, "opt:load_state_dict(table, {base = 1})",
     "Restores a state that state_dict has returned. base = 0: one of PyTorch's, whose parameters count from 0."},
};

constexpr const char* init_help =
    "optim.SGD.init(self, params, …)\n  The constructor of a built-in optimizer, which the init of a class made from "
    "it "
    "calls.";
constexpr const char* step_help =
    "optim.SGD.step(self, closure?)\n  The step of a built-in optimizer, without hooks: for the step of a class made "
    "from it.";

// Leaves the table of methods: those of optim.Optimizer, whose step has no hooks.
void open_metatables(lua_State* L) {
  lua_newtable(L);
  const int methods = lua_gettop(L);
  add_functions(L, methods, rows);
  lua_pushcfunction(L, guarded<plain_step>);
  document(L, -1, step_help);
  lua_setfield(L, methods, "step");
  open_box<optim::OptimizerRef>(L, "optim.Optimizer");
  lua_pushvalue(L, methods);
  lua_pushcclosure(L, guarded<index>, 1);
  lua_setfield(L, -2, "__index");
  constexpr luaL_Reg events[] = {{"__newindex", guarded<set_own_field>},
                                 {"__tostring", guarded<text>},
                                 {"__isinstance", guarded<is_instance>},
                                 {"__gc", destroy_box<optim::OptimizerRef>},
                                 {nullptr, nullptr}};
  luaL_setfuncs(L, events, 0);
  lua_pop(L, 1);
  open_box<GroupRef>(L, "optim.Group");
  constexpr luaL_Reg group_events[] = {{"__index", guarded<group_index>},
                                       {"__newindex", guarded<group_newindex>},
                                       {"__pairs", guarded<group_pairs>},
                                       {"__gc", destroy_box<GroupRef>},
                                       {nullptr, nullptr}};
  luaL_setfuncs(L, group_events, 0);
  lua_pop(L, 1);
}

// A class table with init and the methods of optim.Optimizer.
void push_native_class(lua_State* L, const optim::OptimizerClass* c) {
  push_constructor(L, c, guarded<construct>);
  lua_getmetatable(L, -1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &methods_key);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_pushlightuserdata(L, const_cast<optim::OptimizerClass*>(c));
  lua_pushcclosure(L, guarded<init>, 1);
  document(L, -1, init_help);
  lua_setfield(L, -2, "init");
}

std::string class_help(const void* of) {
  auto* c = static_cast<const optim::OptimizerClass*>(of);
  optim::OptimizerRef o = c->make();
  return settings_help("optim." + c->name, c->brief, describe_of(o->defaults()), "params");
}

std::vector<std::string> class_names() {
  std::vector<std::string> list;
  for (auto* c : optim::optimizer_classes()) list.push_back(c->name);
  return list;
}

// The classes of C++ in the table of all classes, and in optim, where a script may set another one.
class MadeClasses final : public LateNames {
 public:
  bool push(lua_State* L, std::string_view name) const override {
    const optim::OptimizerClass* c = optim::find_optimizer_class(name);
    if (!c) return false;
    push_native_class(L, c);
    document(L, -1, class_help, c);
    return true;
  }
  std::vector<std::string> names() const override { return class_names(); }
};
class ClassesOfOptim final : public LateNames {
 public:
  bool push(lua_State* L, std::string_view name) const override {
    const optim::OptimizerClass* c = optim::find_optimizer_class(name);
    if (!c) return false;
    push_kept(L, &classes_key);
    lua_getfield(L, -1, c->name.c_str());
    lua_remove(L, -2);
    return true;
  }
  std::vector<std::string> names() const override { return class_names(); }
};

void open_optim(lua_State* L) {
  static const MadeClasses made;
  static const ClassesOfOptim classes;
  open_metatables(L);
  const int methods = lua_gettop(L);
  lua_pushvalue(L, methods);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &methods_key);
  lua_newtable(L);
  const int optim = lua_gettop(L);
  open_optimizer_class(L, optim, methods, guarded<construct_own>);
  open_hooks(L, optim, methods);
  push_kept(L, &classes_key);
  add_late_names(L, -1, made);
  lua_pop(L, 1);
  add_late_names(L, optim, classes);
  open_schedules(L, optim);
  lua_getglobal(L, "torch");
  lua_pushvalue(L, optim);
  lua_setfield(L, -2, "optim");
  lua_pushvalue(L, optim);
  lua_setglobal(L, "optim");
}

}  // namespace

void push_saved_optimizer(lua_State* L, const std::string& name, const std::string& base, int defaults, int fields) {
  const optim::OptimizerClass* c = base.empty() ? nullptr : optim::find_optimizer_class(base);
  push_named_class(L, name, guarded<construct_own>);
  if (lua_isnil(L, -1) || (!base.empty() && !c))
    throw Error(ErrorCode::checkpoint,
                "the file holds an optimizer of the class '{0}', which no script has made: first require the file that "
                "has optim.class('{0}')",
                foreign(name));
  warn_of_replaced_class(L, name);
  optim::OptimizerRef o = c ? c->make() : make_script_optimizer(L, name, defaults);
  push_optimizer(L, o);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, optim_class);
  lua_pushvalue(L, fields);
  lua_setiuservalue(L, -2, optim_fields);
}

namespace {

const Open opener("optim", Open::modules, open_optim);

}  // namespace
}  // namespace luth::lang
