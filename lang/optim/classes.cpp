// Classes of optimizers and schedules that are written in Lua: class tables, fields of objects, settings that a script
// names. An object is that of a C++ class, with a class table among its user values.
#include <mutex>
#include <set>

#include "lang/collector/trial_deletion.h"
#include "lang/optim/optim.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {

namespace {

char objects_key;  // registry: weak table, address of an optimizer or schedule -> its userdata

// The parameters of an optimizer: in its groups, and beside their states.
const void* each_tensor_of_optimizer(lua_State* L, int index, const HeldTensors::Visit& visit) {
  auto* o = to_box<optim::OptimizerRef>(L, index);
  if (!o || !*o) return nullptr;
  for (auto& group : (*o)->groups())
    for (auto& p : group.params)
      for (int i = (*o)->state_of(p) ? 2 : 1; i > 0; --i) visit(p);
  return o->get();
}
const HeldTensors held_tensors(each_tensor_of_optimizer);

}  // namespace

void remember_object(lua_State* L, int index, const void* address) {
  lua_pushvalue(L, index);
  push_kept(L, &objects_key, "v");
  lua_insert(L, -2);
  lua_rawsetp(L, -2, address);
  lua_pop(L, 1);
}
void push_object(lua_State* L, const void* address) {
  push_kept(L, &objects_key, "v");
  lua_rawgetp(L, -1, address);
  lua_remove(L, -2);
}
void hold(lua_State* L, int index) {
  push_user_value(L, 1, optim_held, true);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, lua_Integer(lua_rawlen(L, -2)) + 1);
  lua_pop(L, 1);
}

bool push_own_field(lua_State* L) {
  for (OptimValue which : {optim_fields, optim_class}) {
    if (!push_user_value(L, 1, which, false)) continue;
    lua_pushvalue(L, 2);
    const bool found = lua_gettable(L, -2) != LUA_TNIL;
    lua_remove(L, -2);
    if (found) return true;
    lua_pop(L, 1);
  }
  return false;
}

int set_own_field(lua_State* L) {
  if (!lua_isuserdata(L, 1)) throw Error("cannot set a field of {}", given_text(L, 1));
  const std::string name = luaL_tolstring(L, 2, nullptr);
  lua_pop(L, 1);
  if (!push_user_value(L, 1, optim_class, false))
    throw Error(
        "cannot set the field '{}': settings are in param_groups, own fields are for classes made by "
        "optim.class",
        name);
  if (name == "param_groups" || name == "state" || name == "defaults" || name == "optimizer")
    throw Error("cannot set '{}'", name);
  push_user_value(L, 1, optim_fields, true);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_settable(L, -3);
  return 0;
}

bool push_lua_method(lua_State* L, int index, const char* name) {
  if (!push_user_value(L, index, optim_class, false)) return false;
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  if (lua_isfunction(L, -1) && !lua_iscfunction(L, -1)) return true;
  return lua_pop(L, 1), false;
}

namespace {

int class_text(lua_State* L) {
  lua_getmetatable(L, 1);
  lua_getfield(L, -1, "name");
  return lua_pushfstring(L, "class %s", lua_tostring(L, -1)), 1;
}

}  // namespace

void push_optim_class(lua_State* L, const char* name, int base, lua_CFunction construct) {
  base = lua_absindex(L, base);
  lua_newtable(L);
  lua_createtable(L, 0, 4);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "name");
  lua_pushcfunction(L, guarded<class_text>);
  lua_setfield(L, -2, "__tostring");
  lua_pushvalue(L, base);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, construct);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, -2);
  push_kept(L, reinterpret_cast<const void*>(construct));
  lua_insert(L, -2);
  name_class(L, name);
  lua_remove(L, -2);
}
void push_named_class(lua_State* L, const std::string& name, lua_CFunction construct) {
  push_kept(L, reinterpret_cast<const void*>(construct));
  lua_getfield(L, -1, name.c_str());
  lua_remove(L, -2);
}

std::string class_name(lua_State* L, int index, const std::string& otherwise) {
  if (!push_user_value(L, index, optim_class, false)) return otherwise;
  lua_getmetatable(L, -1);
  lua_getfield(L, -1, "name");
  std::string name = lua_tostring(L, -1);
  lua_pop(L, 3);
  return name;
}

void call_init(lua_State* L, int self, int last) {
  luaL_checkstack(L, last + 4, nullptr);
  const int top = lua_gettop(L);
  if (lua_getfield(L, 1, "init") == LUA_TNIL) throw Error("the class has no init");
  lua_pushvalue(L, self);
  if (last == 2 && is_named(L, 2)) lua_pushnil(L);
  for (int i = 2; i <= last; ++i) lua_pushvalue(L, i);
  lua_call(L, lua_gettop(L) - top - 1, 0);
}

namespace {

// Names of settings live as long as the process: fields point to them.
const char* interned(const char* name) {
  static std::mutex lock;
  static std::set<std::string> names;
  std::lock_guard hold(lock);
  return names.emplace(name).first->c_str();
}

/// Settings that a script names: numbers, booleans, texts, lists of numbers.
class ScriptSettings final : public optim::Settings {
 public:
  void describe(Fields& f) override {
    for (auto& [name, value] : values_) {
      Attr changed = value;
      if (f.visit({name, "", AttrKind(value.index()), false, as::plain}, changed)) value = changed;
    }
  }
  std::unique_ptr<Settings> copy() const override { return std::make_unique<ScriptSettings>(*this); }
  void check() const override {}
  void add(const char* name, Attr value) { values_.emplace_back(interned(name), std::move(value)); }

 private:
  std::vector<std::pair<const char*, Attr>> values_;
};

/// An optimizer whose step is written in Lua.
class ScriptOptimizer final : public optim::Optimizer {
 public:
  ScriptOptimizer(std::string name, std::unique_ptr<optim::Settings> defaults)
      : Optimizer(std::move(defaults)), name_(std::move(name)) {}
  std::string type() const override { return name_; }
  const char* brief() const override { return "an optimizer whose step is written in Lua"; }

 protected:
  void step_group(optim::Settings&, const std::vector<Tensor>&) override {
    throw Error("{} has no step: define function {}:step(closure)", name_, name_);
  }
  bool shaped_like_parameters() const override { return false; }

 private:
  std::string name_;
};

Attr setting_at(lua_State* L, int index, const char* name) {
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN: return bool(lua_toboolean(L, index));
    case LUA_TSTRING: return std::string(lua_tostring(L, index));
    case LUA_TNUMBER:
      return lua_isinteger(L, index) ? Scalar(int64_t(lua_tointeger(L, index))) : Scalar(lua_tonumber(L, index));
    case LUA_TTABLE: return read_attr(L, index, {name, "", AttrKind::numbers, false, as::plain});
    default:
      throw Error(
          "optim.Optimizer.init: the default '{}' must be a number, a boolean, a string or a list of numbers, "
          "got {}",
          name, given_text(L, index));
  }
}

// The defaults in the table at `index`, in order of their names.
std::unique_ptr<optim::Settings> read_defaults(lua_State* L, int index) {
  auto settings = std::make_unique<ScriptSettings>();
  if (lua_isnoneornil(L, index)) return settings;
  if (!lua_istable(L, index))
    throw Error("optim.Optimizer.init: defaults must be a table, got {}", given_text(L, index));
  std::map<std::string, Attr> sorted;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || std::string_view("params") == lua_tostring(L, -2))
      throw Error("optim.Optimizer.init: defaults must be settings by name, such as {{lr = 0.1}}");
    sorted[lua_tostring(L, -2)] = setting_at(L, lua_gettop(L), lua_tostring(L, -2));
  }
  for (auto& [name, value] : sorted) settings->add(name.c_str(), std::move(value));
  return settings;
}

// optim.Optimizer.init(self, params, defaults)
int init(lua_State* L) {
  auto& o = new_object<optim::OptimizerRef>(L, "optim.Optimizer.init");
  o = make_script_optimizer(L, class_name(L, 1, "Optimizer"), 3);
  remember_object(L, 1, o.get());
  if (!lua_isnoneornil(L, 2)) add_params(L, *o, 2, "optim.Optimizer.init");
  return 0;
}

// ---- opt.state[p].name ----------------------------------------------------------------------------------------------

struct AllState {
  optim::OptimizerRef optimizer;
};
struct OneState {
  optim::OptimizerRef optimizer;
  Tensor param;
};

int all_state_index(lua_State* L) {
  return push_box<OneState>(L, {own<AllState>(L).optimizer, check_tensor(L, 2, "opt.state expects a parameter:")}), 1;
}
int state_index(lua_State* L) {
  OneState& at = own<OneState>(L);
  optim::ParameterState* s = at.optimizer->state_of(at.param);
  return s && push_state_value(L, *s, luaL_checkstring(L, 2)) ? 1 : 0;
}
int state_newindex(lua_State* L) {
  OneState& at = own<OneState>(L);
  set_state_value(L, at.optimizer->state(at.param), luaL_checkstring(L, 2), 3);
  return 0;
}
int state_pairs(lua_State* L) {
  OneState& at = own<OneState>(L);
  optim::ParameterState* s = at.optimizer->state_of(at.param);
  lua_getglobal(L, "next");
  push_state(L, s ? *s : optim::ParameterState());
  return 2;
}

template <class T>
void open_proxy(lua_State* L, const char* name, std::initializer_list<luaL_Reg> events) {
  open_box<T>(L, name);
  for (auto& e : events) {
    lua_pushcfunction(L, e.func);
    lua_setfield(L, -2, e.name);
  }
  lua_pushcfunction(L, destroy_box<T>);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
}

// optim.class(name, base = optim.Optimizer). Upvalue 1: the function that makes objects, 2: optim.Optimizer.
int make_class(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  if (lua_isnoneornil(L, 2)) {
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(2));
  }
  const bool is_class = lua_istable(L, 2) &&
                        (lua_rawequal(L, 2, lua_upvalueindex(2)) ||
                         (lua_getfield(L, 2, "init") != LUA_TNIL && lua_getfield(L, 2, "add_param_group") != LUA_TNIL));
  if (!is_class)
    throw Error("optim.class: argument 2 (the base) expects a class of optimizers, got {}", given_text(L, 2));
  push_optim_class(L, name, 2, lua_tocfunction(L, lua_upvalueindex(1)));
  return 1;
}

}  // namespace

optim::OptimizerRef make_script_optimizer(lua_State* L, const std::string& name, int defaults) {
  return optim::OptimizerRef(new ScriptOptimizer(name, read_defaults(L, defaults)));
}

void push_all_state(lua_State* L, const optim::OptimizerRef& o) { push_box<AllState>(L, {o}); }

void open_optimizer_class(lua_State* L, int optim, int methods, lua_CFunction construct) {
  open_proxy<AllState>(L, "optim.State", {{"__index", guarded<all_state_index>}});
  open_proxy<OneState>(
      L, "optim.ParameterState",
      {{"__index", guarded<state_index>}, {"__newindex", guarded<state_newindex>}, {"__pairs", guarded<state_pairs>}});
  lua_pushcfunction(L, guarded<init>);
  document(L, -1,
           "optim.Optimizer.init(self, params, defaults)\n  The constructor of the base, which the init of an own "
           "class calls. defaults: the settings of groups that give none.");
  lua_setfield(L, methods, "init");
  document(L, methods,
           "optim.Optimizer\n  The base of all optimizers. optim.class makes classes from it. opt.state[p] is what the "
           "optimizer keeps for parameter p: numbers, tensors, lists of tensors by name.");
  lua_pushvalue(L, methods);
  lua_setfield(L, optim, "Optimizer");
  lua_pushcfunction(L, construct);
  lua_pushvalue(L, methods);
  lua_pushcclosure(L, guarded<make_class>, 2);
  document(L, -1,
           "optim.class(name, base = optim.Optimizer)\n  A class of optimizers: define My:init(params, options), which "
           "calls optim.Optimizer.init(self, params, defaults), and My:step(closure); then opt = My(params, {…}). It "
           "may derive from a built-in class.");
  lua_setfield(L, optim, "class");
}

}  // namespace luth::lang
