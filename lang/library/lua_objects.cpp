#include "lang/library/lua_objects.h"

#include <algorithm>
#include <array>

#include "core/base/visible.h"
#include "lang/binding/bind.h"
#include "lang/nn/nn.h"
#include "lang/optim/optim.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"
#include "lang/runtime/user_values.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

constexpr const char *optimizer_kind = "optimizer", *schedule_kind = "schedule", *function_kind = "function";

// Functions of luth that a file may name, by the tables in which they are looked for: those of tensors. In the place of
// an activation, torch.save would write files.
constexpr std::array<const char*, 2> tables{"F", "torch"};
bool may_be_named(lua_State* L, std::string_view table, const std::string& name) {
  if (!lua_iscfunction(L, -1)) return false;
  if (table == "F" || find_function(name)) return true;
  const int top = lua_gettop(L);
  lua_getglobal(L, "torch");
  lua_getfield(L, -1, "Tensor");  // its methods
  lua_pushstring(L, name.c_str());
  rawget_or_late(L, -2);
  const bool is_method = !lua_isnil(L, -1);
  return lua_settop(L, top), is_method;
}

// The name of luth's own function on top of the stack, "F.relu"; "" for another one.
std::string function_name(lua_State* L) {
  const int function = lua_gettop(L);
  for (const char* table : tables) {
    lua_getglobal(L, table);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING || !lua_rawequal(L, -1, function)) continue;
      const std::string name = lua_tostring(L, -2);
      if (!may_be_named(L, table, name)) continue;
      return lua_settop(L, function), std::string(table) + "." + name;
    }
    lua_settop(L, function);
  }
  return "";
}
void push_function(lua_State* L, const std::string& name) {
  const size_t dot = name.find('.');
  const std::string table = name.substr(0, std::min(dot, name.size()));
  if (std::find(tables.begin(), tables.end(), table) == tables.end() || dot == name.npos)
    throw Error(ErrorCode::checkpoint, "the file names the function '{}', which is none of luth's", foreign(name));
  lua_getglobal(L, table.c_str());
  lua_pushstring(L, name.c_str() + dot + 1);
  lua_gettable(L, -2);
  lua_remove(L, -2);
  if (!may_be_named(L, table, name.substr(dot + 1)))
    throw Error(ErrorCode::checkpoint, "the file names the function '{}', which is none of luth's for tensors",
                foreign(name));
}

// The schedules inside, where they can be set.
std::vector<optim::ScheduleRef>* inner_schedules(optim::Schedule& s) {
  if (auto* sequential = dynamic_cast<optim::SequentialLR*>(&s)) return &sequential->schedules;
  if (auto* chained = dynamic_cast<optim::ChainedScheduler*>(&s)) return &chained->schedules;
  return nullptr;
}

// The class that a map names, found by `find`.
template <class Class>
const Class& class_of(const io::Map& map, const Class* (*find)(std::string_view)) {
  const std::string& name = io::entry<std::string>(map, "class");
  if (const Class* c = find(name)) return *c;
  throw Error(ErrorCode::checkpoint, "the file holds the {} '{}', which this luth does not have", map.kind,
              foreign(name));
}

std::string settings_of(const auto& object) {
  FieldList list;
  object->describe(list);
  return io::settings_text(list.items);
}

}  // namespace

// ---- Writing ------------------------------------------------------------------------------------------------------

bool ObjectWriter::write_object(int index, io::Item& item) {
  if (nn::Module* m = to_module(L_, index))
    item = write(*m);
  else if (to_box<optim::OptimizerRef>(L_, index))
    item = optimizer(index);
  else if (to_box<optim::ScheduleRef>(L_, index))
    item = schedule(index);
  else if (lua_isfunction(L_, index)) {
    lua_pushvalue(L_, index);
    io::Map map;
    map.kind = function_kind;
    map.add("name", function_name(L_));
    lua_pop(L_, 1);
    if (io::entry<std::string>(map, "name").empty()) return false;
    item = map;
  } else {
    return false;
  }
  return true;
}

// Two classes of one name would become one when the file is loaded.
void ObjectWriter::check_one_class(const nn::Module& m) {
  push_class_of(L_, m);
  const auto [it, first] = classes_.try_emplace(m.type(), LuaRef(L_, -1));
  it->second.push(L_);
  if (!lua_rawequal(L_, -1, -2))
    throw Error(
        "two classes of modules have the name '{}', that of {} and that of {}; a file finds classes by their names: "
        "rename one of them",
        m.type(), class_place(L_, -1), class_place(L_, -2));
  lua_pop(L_, 2);
}

// A class of Lua's by name, and the plain fields of any module.
void ObjectWriter::add(const nn::Module& m, io::Map& map) {
  if (auto* script = dynamic_cast<const ScriptModule*>(&m)) {
    check_one_class(m);
    map.add("language", "Lua");
    if (script->native()) map.add("base", script->native()->type());
  } else {
    io::ModuleWriter::add(m, map);
  }
  const int top = lua_gettop(L_);
  push_module(L_, nn::ModuleRef(const_cast<nn::Module*>(&m)));
  if (push_values_of(L_, -1, module_fields, false)) map.add("fields", value_("(" + m.type() + ")"));
  lua_settop(L_, top);
}

io::Item ObjectWriter::state_of(int index) {
  lua_getfield(L_, index, "state_dict");
  lua_pushvalue(L_, index);
  lua_call(L_, 1, 1);
  io::Item state = value_(":state_dict()");
  lua_pop(L_, 1);
  return state;
}

// An object of a class written in Lua: its base, its fields, and the defaults of an optimizer without a built-in base.
void ObjectWriter::add_own(int index, const std::string& base, io::Map& map) {
  if (!push_user_value(L_, index, optim_class, false)) return;
  const int top = lua_gettop(L_) - 1;
  map.add("language", "Lua");
  if (!base.empty()) map.add("base", base);
  if (push_user_value(L_, index, optim_fields, false)) map.add("fields", value_(""));
  if (base.empty() && to_box<optim::OptimizerRef>(L_, index)) {
    lua_getfield(L_, index, "defaults");
    map.add("own_defaults", value_(".defaults"));
  }
  lua_settop(L_, top);
}

io::Item ObjectWriter::optimizer(int index) {
  optim::OptimizerRef o = check_optimizer(L_, index);
  bool known = false;
  io::Map map = begin(o.get(), optimizer_kind, known);
  if (known) return map;
  map.add("class", class_name(L_, index, o->type()));
  add_own(index, optim::find_optimizer_class(o->type()) ? o->type() : "", map);
  if (optim::find_optimizer_class(o->type())) map.add("defaults", settings_of(&o->defaults()));
  io::List groups;
  for (auto& g : o->groups()) {
    io::Map group;
    if (map.find("defaults")) group.add("settings", settings_of(g.settings));
    group.add("params", io::List(g.params.begin(), g.params.end()));
    groups.push_back(group);
  }
  map.add("groups", groups);
  map.add("state", state_of(index));
  return map;
}

io::Item ObjectWriter::schedule(int index) {
  optim::ScheduleRef s = check_schedule(L_, index);
  bool known = false;
  io::Map map = begin(s.get(), schedule_kind, known);
  if (known) return map;
  const bool functions = dynamic_cast<optim::LambdaLR*>(s.get()) || dynamic_cast<optim::MultiplicativeLR*>(s.get());
  if (functions)
    throw Error("the schedule {} has a function, which has no form in a file; save its state_dict()", s->type());
  map.add("class", s->type());
  add_own(index, "", map);
  map.add("settings", settings_of(s));
  const int top = lua_gettop(L_);
  if (s->attached()) {
    push_optimizer(L_, optim::OptimizerRef(&s->optimizer()));
    map.add("optimizer", optimizer(top + 1));
    lua_settop(L_, top);
  }
  io::List inner;
  for (auto& child : s->children()) {
    push_schedule(L_, child);
    inner.push_back(schedule(top + 1));
    lua_settop(L_, top);
  }
  if (!inner.empty()) map.add("schedulers", inner);
  map.add("state", state_of(index));
  return map;
}

// ---- Reading ------------------------------------------------------------------------------------------------------

// Keeps the value on top of the stack, which stays there.
void ObjectReader::keep() {
  lua_pushvalue(L_, -1);
  lua_rawseti(L_, kept_, lua_Integer(lua_rawlen(L_, kept_)) + 1);
}

void ObjectReader::push_object(const io::Map& map) {
  luaL_checkstack(L_, 16, "too many nested objects");
  if (map.kind == function_kind) return push_function(L_, io::entry<std::string>(map, "name"));
  if (map.kind == io::kinds::same)
    if (auto it = others_.find(io::entry<int64_t>(map, "id")); it != others_.end())
      return void(lua_rawgeti(L_, kept_, it->second));
  if (map.kind == io::kinds::module || map.kind == io::kinds::same) return push_module(L_, read(map));
  if (map.kind == optimizer_kind) return push_optimizer_of(map);
  if (map.kind == schedule_kind) return push_schedule_of(map);
  throw Error(ErrorCode::checkpoint, "the file holds an object of the kind '{}', which this luth does not know",
              foreign(map.kind));
}

// Pushes the class of modules of that name, and reads the file of luth's own that has it; false, and pushes nothing,
// where there is none.
static bool push_script_class(lua_State* L, const std::string& name) {
  auto push = [&] {
    push_named_classes(L);
    lua_pushstring(L, name.c_str());
    lua_rawget(L, -2);
    lua_remove(L, -2);
    return lua_istable(L, -1) || (lua_pop(L, 1), false);
  };
  if (push()) return true;
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.torch.classes");
  lua_call(L, 1, 1);
  lua_pushstring(L, name.c_str());
  lua_call(L, 1, 0);
  return push();
}

nn::ModuleRef ObjectReader::make(const io::Map& map) {
  if (!map.find("language")) return io::ModuleReader::make(map);
  const std::string& name = io::entry<std::string>(map, "class");
  if (name == function_class) push_function_class(L_), lua_pop(L_, 1);
  if (!push_script_class(L_, name))
    throw Error(ErrorCode::checkpoint,
                "the file holds a module of the class '{0}', which no script has defined: first require the file that "
                "has nn.class('{0}')",
                foreign(name));
  warn_of_replaced_class(L_, name);
  Ref<ScriptModule> m(new ScriptModule(name, WeakRef(L_, -1)));
  lua_pop(L_, 1);
  if (map.find("base")) {
    io::Map native;
    native.kind = map.kind;
    native.add("class", io::entry<std::string>(map, "base"));
    if (auto* settings = map.find("settings")) native.add("settings", *settings);
    m->set_native(io::ModuleReader::make(native));
  }
  return m;
}
void ObjectReader::made(const nn::ModuleRef& m) {
  push_module(L_, m);
  keep();
  lua_pop(L_, 1);
}
// Adds the hooks of a module some of whose parameters are computed (share/luth/torch/computed.lua).
static void hook_computed(lua_State* L, int module) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.torch.computed");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "hook");
  lua_pushvalue(L, module);
  lua_call(L, 1, 0);
}
void ObjectReader::filled(const nn::ModuleRef& m, const io::Map& map) {
  const int top = lua_gettop(L_);
  push_module(L_, m);
  update_children(L_, -1);
  if (map.find("fields")) {
    push_values_of(L_, top + 1, module_fields, true);
    push_(*map.find("fields"));
    for (lua_pushnil(L_); lua_next(L_, top + 3);) {
      lua_pushvalue(L_, -2);
      lua_insert(L_, -2);
      lua_rawset(L_, top + 2);
    }
    if (lua_getfield(L_, top + 2, "_computed") == LUA_TTABLE) hook_computed(L_, top + 1);
  }
  lua_settop(L_, top);
}

// Gives the object on top of the stack the state in the map.
void ObjectReader::load_state(const io::Map& map) {
  lua_getfield(L_, -1, "load_state_dict");
  lua_pushvalue(L_, -2);
  push_(io::Item(io::entry<io::Map>(map, "state")));
  lua_call(L_, 2, 0);
  keep();
  if (auto* id = map.find("id") ? map.find("id")->as<int64_t>() : nullptr) others_[*id] = int(lua_rawlen(L_, kept_));
}

void ObjectReader::push_optimizer_of(const io::Map& map) {
  const std::string& name = io::entry<std::string>(map, "class");
  const int top = lua_gettop(L_);
  if (map.find("language")) {
    push_own_values(map);
    const std::string base = map.find("base") ? io::entry<std::string>(map, "base") : "";
    push_saved_optimizer(L_, name, base, top + 1, top + 2);
  } else {
    push_optimizer(L_, class_of(map, optim::find_optimizer_class).make());
  }
  lua_insert(L_, top + 1);
  lua_settop(L_, top + 1);
  optim::OptimizerRef o = check_optimizer(L_, top + 1);
  auto read = [](const std::string& text, optim::Settings& to) {
    io::read_settings_text(text, [&](Fields& f) { to.describe(f); });
  };
  if (map.find("defaults")) read(io::entry<std::string>(map, "defaults"), o->defaults());
  for (auto& item : io::entry<io::List>(map, "groups")) {
    if (!item.as<io::Map>()) throw Error(ErrorCode::checkpoint, "the file holds an optimizer with an unreadable group");
    auto settings = o->defaults().copy();
    if (map.find("defaults")) read(io::entry<std::string>(*item.as<io::Map>(), "settings"), *settings);
    std::vector<Tensor> params;
    for (auto& p : io::entry<io::List>(*item.as<io::Map>(), "params")) {
      if (!p.as<Tensor>())
        throw Error(ErrorCode::checkpoint, "the file holds an optimizer of something else than tensors");
      params.push_back(*p.as<Tensor>());
    }
    o->add_group(std::move(params), std::move(settings));
  }
  load_state(map);
}

// Pushes the defaults and the fields of an object of a class written in Lua: tables or nil.
void ObjectReader::push_own_values(const io::Map& map) {
  for (const char* name : {"own_defaults", "fields"})
    if (auto* value = map.find(name))
      push_(*value);
    else
      lua_pushnil(L_);
}

// A schedule sets rates when it gets its optimizer, whose state has the present ones.
void ObjectReader::push_schedule_of(const io::Map& map) {
  const std::string& name = io::entry<std::string>(map, "class");
  const int top = lua_gettop(L_);
  if (map.find("language")) {
    push_own_values(map);
    push_saved_schedule(L_, name, top + 2);
  } else {
    push_schedule(L_, class_of(map, optim::find_schedule_class).make());
  }
  lua_insert(L_, top + 1);
  lua_settop(L_, top + 1);
  optim::ScheduleRef s = check_schedule(L_, top + 1);
  io::read_settings_text(io::entry<std::string>(map, "settings"), [&](Fields& f) { s->describe(f); });
  lua_newtable(L_);  // what the userdata of the schedule keeps
  lua_pushvalue(L_, -1);
  lua_setiuservalue(L_, top + 1, optim_held);
  optim::OptimizerRef o;
  if (map.find("optimizer")) {
    push_object(io::entry<io::Map>(map, "optimizer"));
    o = check_optimizer(L_, -1);
    lua_rawseti(L_, top + 2, 1);
  }
  std::vector<std::unique_ptr<optim::Settings>> before;
  if (o)
    for (auto& g : o->groups()) before.push_back(g.settings->copy());
  if (auto* list = inner_schedules(*s)) {
    for (auto& item : io::entry<io::List>(map, "schedulers")) {
      if (!item.as<io::Map>()) throw Error(ErrorCode::checkpoint, "the file holds a schedule without those inside");
      push_object(*item.as<io::Map>());
      list->push_back(check_schedule(L_, -1));
      lua_rawseti(L_, top + 2, lua_Integer(list->size()) + 1);
    }
  }
  if (o && !s->attached()) s->attach(o);
  for (size_t i = 0; i < before.size(); ++i) o->groups()[i].settings = std::move(before[i]);
  lua_settop(L_, top + 1);
  load_state(map);
}

}  // namespace luth::lang
