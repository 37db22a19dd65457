// optim.lr_scheduler: schedules by their descriptions; functions of the epoch, schedules of schedules, and classes of
// schedules that are written in Lua.
#include <algorithm>
#include <cmath>

#include "core/base/visible.h"
#include "lang/optim/optim.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/ref.h"
#include "lang/runtime/tables.h"
#include "lang/runtime/user_values.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {

optim::ScheduleRef check_schedule(lua_State* L, int index, const char* what) {
  return check_ref<optim::ScheduleRef>(L, index, what, "a schedule");
}
void push_schedule(lua_State* L, const optim::ScheduleRef& s) { push_object_of(L, s); }

namespace {

optim::Schedule& self(lua_State* L) { return self_ref<optim::ScheduleRef>(L, "a schedule"); }

// ---- Making them --------------------------------------------------------------------------------------------------

// The stack index of a table of the Lua values that the schedule needs: functions, inner schedules, its optimizer. It
// becomes the user value optim_held of the schedule's userdata.
constexpr int needs = 1;
void need(lua_State* L, int index) {
  lua_pushvalue(L, index);
  lua_rawseti(L, needs, lua_Integer(lua_rawlen(L, needs)) + 1);
}

std::function<double(int64_t)> function_at(lua_State* L, int index) {
  need(L, index);
  WeakRef f(L, index);
  return [f](int64_t epoch) {
    lua_State* L = f.running();
    luaL_checkstack(L, 4, nullptr);
    f.push(L);
    lua_pushinteger(L, epoch);
    lua_call(L, 1, 1);
    int ok = 0;
    double v = lua_tonumberx(L, -1, &ok);
    if (!ok) throw Error("lr_lambda must give a number, got {}", given_text(L, lua_gettop(L)));
    lua_pop(L, 1);
    return v;
  };
}

// The argument that is no setting: functions or schedules, by position `at` or by name in the trailing table. It is
// taken out of the arguments. False when there is none.
bool take(lua_State* L, int at, const char* name) {
  int top = lua_gettop(L);
  if (top >= at && !is_named(L, at) && !lua_isnil(L, at)) {
    lua_pushvalue(L, at);
    lua_remove(L, at);
    return true;
  }
  if (top >= at && is_named(L, top)) {
    if (lua_getfield(L, top, name) != LUA_TNIL) return true;
    lua_pop(L, 1);
  }
  return false;
}

void take_functions(lua_State* L, int at, const char* name, std::vector<std::function<double(int64_t)>>& f) {
  if (!take(L, at, "lr_lambda")) throw Error("{}: argument 'lr_lambda' is required: a function of the epoch", name);
  int i = lua_gettop(L);
  if (lua_isfunction(L, i))
    f = {function_at(L, i)};
  else if (lua_istable(L, i))
    each_element(L, i, [&](int at, lua_Integer) { f.push_back(function_at(L, at)); });
  else
    throw Error("{}: argument 'lr_lambda' expects a function or a list of them, got {}", name, given_text(L, i));
  lua_pop(L, 1);
}
void take_schedules(lua_State* L, int at, const char* name, std::vector<optim::ScheduleRef>& list) {
  if (!take(L, at, "schedulers")) throw Error("{}: argument 'schedulers' is required: a list of schedules", name);
  int i = lua_gettop(L);
  if (!lua_istable(L, i)) throw Error("{}: argument 'schedulers' expects a list, got {}", name, given_text(L, i));
  each_element(L, i, [&](int at, lua_Integer) {
    need(L, at);
    list.push_back(check_schedule(L, at, "schedulers: expects"));
  });
  lua_pop(L, 1);
}

// The functions or inner schedules of schedule `s`, where it has some, read from the arguments from 2 on. Returns the
// names of these arguments.
std::vector<std::string> take_lua_values(lua_State* L, optim::Schedule& s, const char* name) {
  auto functions = [&](auto* schedule) { return schedule && (take_functions(L, 2, name, schedule->f), true); };
  auto inner = [&](auto* schedule) { return schedule && (take_schedules(L, 2, name, schedule->schedules), true); };
  if (functions(dynamic_cast<optim::LambdaLR*>(&s)) || functions(dynamic_cast<optim::MultiplicativeLR*>(&s)))
    return {"lr_lambda"};
  if (inner(dynamic_cast<optim::SequentialLR*>(&s)) || inner(dynamic_cast<optim::ChainedScheduler*>(&s)))
    return {"schedulers"};
  return {};
}

// The arguments before the settings, for help.
std::string first_arguments(const optim::Schedule& s) {
  if (dynamic_cast<const optim::LambdaLR*>(&s) || dynamic_cast<const optim::MultiplicativeLR*>(&s))
    return "optimizer, lr_lambda";
  if (dynamic_cast<const optim::SequentialLR*>(&s) || dynamic_cast<const optim::ChainedScheduler*>(&s))
    return "optimizer, schedulers";
  return "optimizer";
}

// The settings of a schedule and, where it has one, the epoch that it goes on from.
Describe settings_of(optim::Schedule& s, int64_t& last_epoch) {
  return [&](Fields& f) {
    s.describe(f);
    if (s.can_start_after()) f("last_epoch", last_epoch, "the last epoch of the run to go on with; -1: a new run");
  };
}

// Upvalue 1: the ScheduleClass. The optimizer comes first, or not at all: then `attach` gives it. That of a
// ChainedScheduler may be the one of its schedules.
int construct(lua_State* L) {
  auto* c = static_cast<const optim::ScheduleClass*>(lua_touserdata(L, lua_upvalueindex(1)));
  lua_newtable(L);
  lua_replace(L, needs);  // the class table goes; arguments from 2 on
  optim::ScheduleRef s = c->make();
  std::string name = "optim.lr_scheduler." + c->name;
  optim::OptimizerRef o;
  if (to_box<optim::OptimizerRef>(L, 2)) {
    o = check_optimizer(L, 2);
    need(L, 2);
    lua_remove(L, 2);
  } else if (!is_named(L, 2) && !lua_isnone(L, 2) && !lua_isfunction(L, 2) &&
             !(lua_istable(L, 2) && dynamic_cast<optim::ChainedScheduler*>(s.get()))) {
    throw Error("{}: argument 1 expects an optimizer, got {}", name, given_text(L, 2));
  }
  const std::vector<std::string> others = take_lua_values(L, *s, name.c_str());
  int64_t last_epoch = -1;
  read_settings(L, 2, name, settings_of(*s, last_epoch), others);
  s->start_after(last_epoch);
  if (auto* chained = dynamic_cast<optim::ChainedScheduler*>(s.get());
      chained && !o && !chained->schedules.empty() && chained->schedules[0]->attached())
    o = optim::OptimizerRef(&chained->schedules[0]->optimizer());
  if (o) s->attach(o);
  push_schedule(L, s);
  lua_pushvalue(L, needs);
  lua_setiuservalue(L, -2, optim_held);
  return 1;
}

// Attaches the schedule at 1 to the optimizer at `index`, which its userdata holds from there on.
void attach_to(lua_State* L, int index) {
  const optim::OptimizerRef o = check_optimizer(L, index, "attach: expects");
  hold(L, index);
  self(L).attach(o);
}

// ---- Classes written in Lua -----------------------------------------------------------------------------------------

/// A schedule whose rates come from get_lr of its Lua class, one for each group.
class ScriptSchedule final : public optim::Schedule {
 public:
  ScriptSchedule(std::string name, WeakRef object) : name_(std::move(name)), object_(std::move(object)) {}
  std::string type() const override { return name_; }
  const char* brief() const override { return "a schedule whose get_lr is written in Lua"; }

 protected:
  double rate(size_t i) override {
    if (i == 0) rates_ = get_lr();
    if (rates_.size() != 1 && rates_.size() != groups())
      throw Error("{}:get_lr must return one rate, or one for each of the {} parameter groups, got {}", name_, groups(),
                  rates_.size());
    return rates_[rates_.size() == 1 ? 0 : i];
  }

 private:
  std::vector<double> get_lr() const {
    lua_State* L = object_.running();
    luaL_checkstack(L, 8, nullptr);
    object_.push(L);
    if (!push_lua_method(L, -1, "get_lr"))
      throw Error("{0} has no get_lr: define function {0}:get_lr(), which returns the rates of all groups", name_);
    lua_insert(L, -2);
    lua_call(L, 1, 1);
    FieldInfo rates{"get_lr", "", AttrKind::numbers, false, as::plain};
    auto list = std::get<std::vector<double>>(read_attr(L, lua_gettop(L), rates));
    return lua_pop(L, 1), list;
  }
  std::string name_;
  WeakRef object_;  // the userdata
  std::vector<double> rates_;
};

// optim.lr_scheduler.LRScheduler.init(self, optimizer, last_epoch)
int init(lua_State* L) {
  auto& s = new_object<optim::ScheduleRef>(L, "optim.lr_scheduler.LRScheduler.init");
  s = optim::ScheduleRef(new ScriptSchedule(class_name(L, 1, "LRScheduler"), WeakRef(L, 1)));
  if (!lua_isnoneornil(L, 3)) s->start_after(luaL_checkinteger(L, 3));
  remember_object(L, 1, s.get());
  if (!lua_isnoneornil(L, 2)) attach_to(L, 2);
  return 0;
}
int construct_own(lua_State* L) {
  return construct_object<optim::ScheduleRef>(L, "optim.lr_scheduler.LRScheduler.init(self, optimizer)");
}
// optim.lr_scheduler.class(name, base). Upvalue 1: LRScheduler.
int make_class(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) lua_pushvalue(L, lua_upvalueindex(1)), lua_replace(L, 2);
  if (!lua_istable(L, 2) || lua_getfield(L, 2, "init") == LUA_TNIL)
    throw Error("optim.lr_scheduler.class: argument 2 (the base) expects a class made by it, got {}", given_text(L, 2));
  push_optim_class(L, name, 2, guarded<construct_own>);
  return 1;
}

// Calls f() for each field of an own class's object that can be saved, with key and value on top of the stack.
template <class F>
void each_saved_field(lua_State* L, int index, F&& f) {
  if (!push_user_value(L, index, optim_fields, false)) return;
  const int fields = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, fields); lua_pop(L, 1)) {
    const int type = lua_type(L, -1);
    if (lua_type(L, -2) == LUA_TSTRING &&
        (type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TBOOLEAN || type == LUA_TTABLE))
      f();
  }
  lua_pop(L, 1);
}

// ---- Methods ------------------------------------------------------------------------------------------------------

int step(lua_State* L) {
  optim::Schedule& s = self(L);
  if (lua_isnoneornil(L, 2)) return s.step(), 0;
  FieldInfo metric{"metrics", "", AttrKind::number, false, as::plain};
  return s.step(std::get<double>(read_attr(L, 2, metric))), 0;
}
int attach(lua_State* L) { return self(L), attach_to(L, 2), lua_settop(L, 1), 1; }

int push_numbers(lua_State* L, const std::vector<double>& v) {
  return push_items(L, v, [&](double x) { lua_pushnumber(L, x); });
}
int get_last_lr(lua_State* L) { return push_numbers(L, self(L).last_lr()); }

int push_state(lua_State* L, optim::Schedule& s) {
  FieldList list;
  s.describe_state(list);
  lua_newtable(L);
  set_fields(L, list.items);
  auto children = s.children();
  if (children.empty()) return 1;
  push_items(L, children, [&](auto& child) { push_state(L, *child); });
  lua_setfield(L, -2, "schedulers");
  return 1;
}
// PyTorch's state has the same under its names, some behind an underscore, and also settings, which stay those of the
// schedule. Replaces the table at `table`.
void take_pytorch_state(lua_State* L, int table, optim::Schedule& s) {
  FieldList list;
  s.describe_state(list);
  std::vector<std::string> names{"schedulers"};
  for (auto& f : list.items) names.push_back(f.name);
  lua_newtable(L);
  for (auto& name : names) {
    if (lua_getfield(L, table, name.c_str()) == LUA_TNIL) lua_pop(L, 1), lua_getfield(L, table, ("_" + name).c_str());
    lua_setfield(L, -2, name.c_str());
  }
  lua_replace(L, table);
}
void read_state(lua_State* L, int table, optim::Schedule& s, int64_t base) {
  luaL_checkstack(L, 8, nullptr);
  if (base == 0) take_pytorch_state(L, table, s);
  read_named_settings(L, table, "load_state_dict", [&](Fields& f) { s.describe_state(f); }, {"schedulers"});
  s.check_state();
  auto children = s.children();
  if (children.empty()) return;
  if (lua_getfield(L, table, "schedulers") != LUA_TTABLE || luaL_len(L, -1) != lua_Integer(children.size()))
    throw Error("load_state_dict: {} has {} schedules, the state has others", s.type(), children.size());
  int list = lua_gettop(L);
  for (size_t i = 0; i < children.size(); ++i) {
    lua_rawgeti(L, list, lua_Integer(i) + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    read_state(L, lua_gettop(L), *children[i], base);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}
// The fields of an own class's object are part of its state.
int state_dict(lua_State* L) {
  push_state(L, self(L));
  const int state = lua_gettop(L);
  each_saved_field(L, 1, [&] {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_settable(L, state);
  });
  return 1;
}
int load_state_dict(lua_State* L) {
  optim::Schedule& s = self(L);
  if (!lua_istable(L, 2)) throw Error("load_state_dict: expects a table, got {}", given_text(L, 2));
  const int64_t base = read_base(L, 3, "load_state_dict");
  lua_settop(L, 2);
  if (base == 1 && (lua_getfield(L, 2, "_last_lr") != LUA_TNIL || lua_getfield(L, 2, "_schedulers") != LUA_TNIL))
    throw Error("load_state_dict: this is a state of PyTorch's; load it with {{base = 0}}");
  lua_settop(L, 2);
  if (!push_user_value(L, 1, optim_class, false)) return read_state(L, 2, s, base), 0;
  FieldList own;
  s.describe_state(own);
  auto is_own = [&](std::string_view name) {
    return std::any_of(own.items.begin(), own.items.end(), [&](auto& f) { return name == f.name; });
  };
  push_user_value(L, 1, optim_fields, true);
  const int fields = lua_gettop(L);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_settable(L, lua_type(L, -2) == LUA_TSTRING && is_own(lua_tostring(L, -2)) ? fields + 1 : fields);
  }
  return read_state(L, fields + 1, s, 1), 0;
}

// Upvalue 1: the methods.
int index(lua_State* L) {
  optim::Schedule& s = self(L);
  if (push_own_field(L)) return 1;
  if (push_method(L)) return 1;
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  std::string name = lua_tostring(L, 2);
  if (name == "last_epoch") return lua_pushinteger(L, s.last_epoch()), 1;
  if (name == "base_lrs") return push_numbers(L, s.base_lrs());
  if (name == "per_batch") return lua_pushboolean(L, s.per_batch()), 1;
  if (name == "optimizer") {
    if (!s.attached()) return 0;
    return push_optimizer(L, optim::OptimizerRef(&s.optimizer())), 1;
  }
  return push_setting(
             L, [&](Fields& f) { s.describe(f); }, name)
             ? 1
             : 0;
}

// Numbers that are whole, such as milestones, without a fraction.
std::string setting_text(const FieldDoc& f) {
  auto* list = std::get_if<std::vector<double>>(&f.value);
  if (!list || std::any_of(list->begin(), list->end(), [](double v) { return v != std::floor(v); }))
    return lua_text(f.value, f.as);
  Ints whole;
  for (double v : *list) whole.push_back(int64_t(v));
  return lua_text(whole, as::plain);
}
int text(lua_State* L) {
  optim::Schedule& s = self(L);
  std::vector<std::string> parts;
  FieldList list;
  s.describe(list);
  for (auto& f : list.items) parts.push_back(std::string(f.name) + "=" + setting_text(f));
  each_saved_field(L, 1, [&] {
    if (lua_istable(L, -1)) return;
    const std::string name = lua_tostring(L, -2);
    parts.push_back(name + "=" + luaL_tolstring(L, -1, nullptr));
    lua_pop(L, 1);
  });
  if (list.items.empty()) std::sort(parts.begin(), parts.end());
  std::string all = s.type() + "(";
  for (auto& part : parts) all += (&part == &parts[0] ? "" : ", ") + part;
  all += ")";
  return lua_pushlstring(L, all.data(), all.size()), 1;
}
int is_instance(lua_State* L) {
  if (!push_user_value(L, 1, optim_class, false)) {
    lua_getglobal(L, "optim");
    lua_getfield(L, -1, "lr_scheduler");
    lua_getfield(L, -1, self(L).type().c_str());
  }
  return push_is_instance(L);
}

constexpr Row rows[] = {
    {"step", guarded<step>, "schedule:step(metric?)",
     "Sets the learning rates of the next epoch (or batch). ReduceLROnPlateau takes a metric, and "
     "CosineAnnealingWarmRestarts may take an epoch with a fraction."},
    {"get_last_lr", guarded<get_last_lr>, "schedule:get_last_lr()",
     "The present learning rates, one per parameter group."},
    {"attach", guarded<attach>, "schedule:attach(optimizer)",
     "Sets the optimizer of a schedule that was made without one."},
    {"state_dict", guarded<state_dict>, "schedule:state_dict()", "The state of the schedule, as a table."},
    {"load_state_dict", guarded<load_state_dict>, "schedule:load_state_dict(table, {base = 1})",
     "Restores a state that state_dict has returned. base = 0: one of PyTorch's."},
};

const char* examples(std::string_view name) {
  if (name != "SequentialLR") return "";
  return R"(
  Warm-up for 5 epochs, then a cosine:
    local L = optim.lr_scheduler
    local schedule = L.SequentialLR(opt, { milestones = { 5 }, schedulers = {
      L.LinearLR(opt, { start_factor = 0.1, total_iters = 5 }), L.CosineAnnealingLR(opt, { T_max = 45 }) } }))";
}

std::string class_help(const void* of) {
  auto* c = static_cast<const optim::ScheduleClass*>(of);
  optim::ScheduleRef s = c->make();
  const std::string first = first_arguments(*s);
  int64_t last_epoch = -1;
  std::string text = settings_help("optim.lr_scheduler." + c->name, c->brief, settings_of(*s, last_epoch), first);
  if (first.ends_with("lr_lambda"))
    text +=
        "\n  lr_lambda            a function of the epoch, which counts from 0; or a list of them, one for each group";
  if (first.ends_with("schedulers")) text += "\n  schedulers           a list of schedules";
  return text + examples(c->name);
}

class ScheduleClasses final : public LateNames {
 public:
  bool push(lua_State* L, std::string_view name) const override {
    const optim::ScheduleClass* c = optim::find_schedule_class(name);
    if (!c) return false;
    push_constructor(L, c, guarded<construct>);
    document(L, -1, class_help, c);
    return true;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> list;
    for (auto* c : optim::schedule_classes()) list.push_back(c->name);
    return list;
  }
};

// LRScheduler, whose fields are the methods, and the function class, in the table on top of the stack.
void open_base_class(lua_State* L) {
  lua_newtable(L);
  add_functions(L, -1, rows);
  lua_pushcfunction(L, guarded<init>);
  document(L, -1,
           "optim.lr_scheduler.LRScheduler.init(self, optimizer, last_epoch = -1)\n  The constructor of the base, "
           "which the init of an "
           "own class calls. It sets the first rates.");
  lua_setfield(L, -2, "init");
  document(L, -1,
           "optim.lr_scheduler.LRScheduler\n  The base of schedules. optim.lr_scheduler.class makes classes from it.");
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "LRScheduler");
  lua_pushcclosure(L, guarded<make_class>, 1);
  document(L, -1,
           "optim.lr_scheduler.class(name, base = LRScheduler)\n  A class of schedules: define My:get_lr(), which "
           "returns the rates of all groups, from self.base_lrs, self.last_epoch and self.optimizer; then schedule = "
           "My(optimizer). An init of its own calls optim.lr_scheduler.LRScheduler.init(self, optimizer).");
  lua_setfield(L, -2, "class");
}

}  // namespace

void push_saved_schedule(lua_State* L, const std::string& name, int fields) {
  push_named_class(L, name, guarded<construct_own>);
  if (lua_isnil(L, -1))
    throw Error(ErrorCode::checkpoint,
                "the file holds a schedule of the class '{0}', which no script has made: first require the file that "
                "has optim.lr_scheduler.class('{0}')",
                foreign(name));
  warn_of_replaced_class(L, name);
  push_box<optim::ScheduleRef>(L, {}, optim_values);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, optim_class);
  lua_pushvalue(L, fields);
  lua_setiuservalue(L, -2, optim_fields);
  optim::ScheduleRef s(new ScriptSchedule(name, WeakRef(L, -1)));
  remember_object(L, -1, s.get());
  *to_box<optim::ScheduleRef>(L, -1) = std::move(s);
}

void open_schedules(lua_State* L, int optim) {
  open_box<optim::ScheduleRef>(L, "optim.lr_scheduler");
  finish_class(L, rows, guarded<index>,
               {{"__newindex", guarded<set_own_field>},
                {"__tostring", guarded<text>},
                {"__isinstance", guarded<is_instance>},
                {"__gc", destroy_box<optim::ScheduleRef>}});
  lua_newtable(L);
  open_base_class(L);
  static const ScheduleClasses classes;
  add_late_names(L, -1, classes);
  lua_setfield(L, optim, "lr_scheduler");
}

}  // namespace luth::lang
