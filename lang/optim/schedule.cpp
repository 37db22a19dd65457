// optim.lr_scheduler: schedules by their descriptions; functions of the epoch and schedules of schedules.
#include "lang/optim/optim.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/ref.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {

optim::ScheduleRef check_schedule(lua_State* L, int index, const char* what) {
  return check_ref<optim::ScheduleRef>(L, index, what, "a schedule");
}
namespace {

optim::Schedule& self(lua_State* L) { return self_ref<optim::ScheduleRef>(L, "a schedule"); }

// ---- Making them --------------------------------------------------------------------------------------------------

// The stack index of a table of the Lua values that the schedule needs: functions and inner schedules. It becomes the
// user value of the schedule's userdata.
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

// Upvalue 1: the ScheduleClass. The optimizer comes first, or not at all: then `attach` gives it.
int construct(lua_State* L) {
  auto* c = static_cast<const optim::ScheduleClass*>(lua_touserdata(L, lua_upvalueindex(1)));
  lua_newtable(L);
  lua_replace(L, needs);  // the class table goes; arguments from 2 on
  optim::ScheduleRef s = c->make();
  std::string name = "optim.lr_scheduler." + c->name;
  optim::OptimizerRef o;
  if (to_box<optim::OptimizerRef>(L, 2)) {
    o = check_optimizer(L, 2);
    lua_remove(L, 2);
  } else if (!is_named(L, 2) && !lua_isnone(L, 2) && !lua_isfunction(L, 2)) {
    throw Error("{}: argument 1 expects an optimizer, got {}", name, given_text(L, 2));
  }
  const std::vector<std::string> others = take_lua_values(L, *s, name.c_str());
  read_settings(
      L, 2, name, [&](Fields& f) { s->describe(f); }, others);
  if (o) s->attach(o);
  push_box(L, s, 1);
  lua_pushvalue(L, needs);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

// ---- Methods ------------------------------------------------------------------------------------------------------

int step(lua_State* L) {
  optim::Schedule& s = self(L);
  if (lua_isnoneornil(L, 2)) return s.step(), 0;
  FieldInfo metric{"metrics", "", AttrKind::number, false, as::plain};
  return s.step(std::get<double>(read_attr(L, 2, metric))), 0;
}
int attach(lua_State* L) { return self(L).attach(check_optimizer(L, 2, "attach: expects")), lua_settop(L, 1), 1; }

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
void read_state(lua_State* L, int table, optim::Schedule& s) {
  luaL_checkstack(L, 8, nullptr);
  read_named_settings(L, table, "load_state_dict", [&](Fields& f) { s.describe_state(f); }, {"schedulers"});
  auto children = s.children();
  if (children.empty()) return;
  if (lua_getfield(L, table, "schedulers") != LUA_TTABLE || luaL_len(L, -1) != lua_Integer(children.size()))
    throw Error("load_state_dict: {} has {} schedules, the state has others", s.type(), children.size());
  int list = lua_gettop(L);
  for (size_t i = 0; i < children.size(); ++i) {
    lua_rawgeti(L, list, lua_Integer(i) + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    read_state(L, lua_gettop(L), *children[i]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}
int state_dict(lua_State* L) { return push_state(L, self(L)); }
int load_state_dict(lua_State* L) {
  if (!lua_istable(L, 2)) throw Error("load_state_dict: expects a table, got {}", given_text(L, 2));
  return read_state(L, 2, self(L)), 0;
}

// Upvalue 1: the methods.
int index(lua_State* L) {
  optim::Schedule& s = self(L);
  if (push_method(L)) return 1;
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  std::string name = lua_tostring(L, 2);
  if (name == "last_epoch") return lua_pushinteger(L, s.last_epoch()), 1;
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
int text(lua_State* L) {
  std::string s = self(L).repr();
  return lua_pushlstring(L, s.data(), s.size()), 1;
}
int is_instance(lua_State* L) {
  lua_getglobal(L, "optim");
  lua_getfield(L, -1, "lr_scheduler");
  lua_getfield(L, -1, self(L).type().c_str());
  return lua_pushboolean(L, lua_rawequal(L, -1, 2)), 1;
}

constexpr Row rows[] = {
    {"step", guarded<step>, "schedule:step(metric?)", "Sets the learning rates of the next epoch (or batch)."},
    {"get_last_lr", guarded<get_last_lr>, "schedule:get_last_lr()",
     "The present learning rates, one per parameter group."},
    {"attach", guarded<attach>, "schedule:attach(optimizer)",
     "Sets the optimizer of a schedule that was made without one."},
    {"state_dict", guarded<state_dict>, "schedule:state_dict()", "The state of the schedule, as a table."},
    {"load_state_dict", guarded<load_state_dict>, "schedule:load_state_dict(table)",
     "Restores a state that state_dict has returned."},
};

std::string class_help(const void* of) {
  auto* c = static_cast<const optim::ScheduleClass*>(of);
  optim::ScheduleRef s = c->make();
  return settings_help(
      "optim.lr_scheduler." + c->name, c->brief, [&](Fields& f) { s->describe(f); }, first_arguments(*s));
}

}  // namespace

void open_schedules(lua_State* L, int optim) {
  open_box<optim::ScheduleRef>(L, "optim.lr_scheduler");
  finish_class(L, rows, guarded<index>,
               {{"__tostring", guarded<text>},
                {"__isinstance", guarded<is_instance>},
                {"__gc", destroy_box<optim::ScheduleRef>}});
  lua_newtable(L);
  for (auto* c : optim::schedule_classes()) {
    push_constructor(L, c, guarded<construct>);
    document(L, -1, class_help, c);
    lua_setfield(L, -2, c->name.c_str());
  }
  lua_setfield(L, optim, "lr_scheduler");
}

}  // namespace luth::lang
