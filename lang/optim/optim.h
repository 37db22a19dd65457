// Optimizers and schedules in Lua. Opened by optim.cpp.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>

#include "core/optim/schedule.h"
#include "lang/runtime/user_values.h"
#include "lang/values/values.h"

namespace luth::lang {

/// The user values of an optimizer's userdata and of a schedule's: tables, or nil while they are empty.
enum OptimValue : int {
  optim_fields = 1,  // fields that the script has set
  optim_class,       // the class table, of a class written in Lua
  optim_held,        // hooks of an optimizer by kind; functions, schedules and the optimizer that a schedule needs
  optim_values = optim_held
};

/// The optimizer at `index`. Throws "expects an optimizer, got …".
optim::OptimizerRef check_optimizer(lua_State* L, int index, const char* what = "expects");
/// An optimizer or schedule has one userdata at a time. Who holds the object holds its userdata, which has its hooks
/// and fields.
void push_optimizer(lua_State* L, const optim::OptimizerRef& o);
void push_schedule(lua_State* L, const optim::ScheduleRef& s);
/// Notes that the userdata at `index` is that of the object at this address.
void remember_object(lua_State* L, int index, const void* address);
/// Pushes that userdata, nil where there is none.
void push_object(lua_State* L, const void* address);
/// The same for a Ref, made where there is none.
template <class Ref>
void push_object_of(lua_State* L, const Ref& r) {
  push_object(L, r.get());
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  push_box<Ref>(L, r, optim_values);
  remember_object(L, -1, r.get());
}
/// The schedule at 1 holds the value at `index` from here on.
void hold(lua_State* L, int index);
/// Adds the list of parameters or of groups at `index`; `function` is named in errors.
void add_params(lua_State* L, optim::Optimizer& o, int index, const std::string& function);
optim::ScheduleRef check_schedule(lua_State* L, int index, const char* what = "expects");

/// `{state = {[1] = {step = …, exp_avg = …}}, param_groups = {{lr = …, params = {1, …}}}}` and back.
int optimizer_state_dict(lua_State* L);
int optimizer_load_state_dict(lua_State* L);
// A group may have fields that are settings of no optimizer, as in PyTorch: {params = …, name = 'head'}.
std::vector<std::string> setting_names(optim::Settings& s);
/// Whether some built-in optimizer has such a setting.
bool is_setting(std::string_view name);
/// A number, string or boolean; throws for another value.
Attr own_value(lua_State* L, int index, const std::string& name);
/// The keys of the table that are such fields, of a group with these settings.
std::vector<std::string> own_names(lua_State* L, int table, optim::Settings& settings);
std::map<std::string, Attr> read_own(lua_State* L, int table, const std::vector<std::string>& names);
/// Sets them in the table on top of the stack.
void set_own(lua_State* L, const std::map<std::string, Attr>& own);
/// The named argument `base` of the table at `index`: 1, or 0 for PyTorch's numbers, which count from 0.
int64_t read_base(lua_State* L, int index, const char* function);
/// Opens optim.lr_scheduler in the table at `optim`.
void open_schedules(lua_State* L, int optim);

/// Pushes a value of a parameter's state: a number, a tensor, a list of tensors; false where there is none.
bool push_state_value(lua_State* L, optim::ParameterState& s, const std::string& name);
/// Sets it from the value at `index`; nil removes it.
void set_state_value(lua_State* L, optim::ParameterState& s, const std::string& name, int index);
/// Pushes the state as a table.
void push_state(lua_State* L, const optim::ParameterState& s);

// Hooks: opt:register_step_pre_hook and the like.
/// Calls the hooks of one kind: f(optimizer, argument), where `argument` is the stack index of a value that each may
/// replace by its result; 0: f(optimizer). The optimizer is at 1.
void call_hooks(lua_State* L, const char* kind, int argument);
/// The same for hooks of step, together with those of all optimizers. The closure is at 2.
void call_step_hooks(lua_State* L, bool before);
/// Whether a hook of all optimizers was ever added.
bool has_global_hooks();
/// Opens optim.optimizer in the table at `optim`, and adds the methods of hooks to `methods`.
void open_hooks(lua_State* L, int optim, int methods);

// Classes written in Lua. `kind` is "optim" or "optim.lr_scheduler".
/// Makes a class whose base is the class table at `base` and whose call is `construct`.
void push_optim_class(lua_State* L, const char* name, int base, lua_CFunction construct);
/// For __index: pushes the field or the method of the Lua class that argument 2 names; false where there is none.
bool push_own_field(lua_State* L);
/// For __newindex of an object of a Lua class.
int set_own_field(lua_State* L);
/// The function `name` of the object's Lua class, which is at `index`, if it is not written in C++; else false.
bool push_lua_method(lua_State* L, int index, const char* name);
/// Calls init of the class at 1 on the object at `self` with the arguments from 2 to `last`. A table of settings alone
/// counts as the last of two arguments: what comes first is given later.
void call_init(lua_State* L, int self, int last);
/// Pushes the class of that name whose call is `construct`, nil where no script has made one.
void push_named_class(lua_State* L, const std::string& name, lua_CFunction construct);
/// Pushes an object of such a class as a file has it: without parameters, or without an optimizer. `base` is the
/// built-in class that it derives from, or "". `defaults` and `fields`
/// are the stack indices of tables or nil.
void push_saved_optimizer(lua_State* L, const std::string& name, const std::string& base, int defaults, int fields);
void push_saved_schedule(lua_State* L, const std::string& name, int fields);
/// The name of the Lua class of the object at `index`, or `otherwise`.
std::string class_name(lua_State* L, int index, const std::string& otherwise);
/// My(…), for a class written in Lua: an object, which the init of its base gives its Ref. `base`: that init.
template <class Ref>
int construct_object(lua_State* L, const char* base) {
  const int last = lua_gettop(L), self = last + 1;
  push_box<Ref>(L, {}, optim_values);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, self, optim_class);
  call_init(L, self, last);
  if (!*to_box<Ref>(L, self))
    throw Error("{}:init must call {}, or the init of its base", class_name(L, self, ""), base);
  return lua_settop(L, self), 1;
}
/// For such an init: the empty Ref of the object at 1.
template <class Ref>
Ref& new_object(lua_State* L, const std::string& init) {
  if (Ref* r = to_box<Ref>(L, 1); r && !*r) return *r;
  throw Error("{}: expects the object that an own class is making, got {}", init, given_text(L, 1));
}
/// An optimizer whose step is written in Lua, with the settings in the table at `defaults`.
optim::OptimizerRef make_script_optimizer(lua_State* L, const std::string& name, int defaults);
/// opt.state, which is indexed by parameters.
void push_all_state(lua_State* L, const optim::OptimizerRef& o);
/// optim.Optimizer, the table `methods`, and optim.class, whose classes are called by `construct`.
void open_optimizer_class(lua_State* L, int optim, int methods, lua_CFunction construct);

}  // namespace luth::lang
