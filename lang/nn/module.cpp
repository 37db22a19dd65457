// Modules as Lua values: calls, metatables by class, and modules whose class is written in Lua.
#include <algorithm>
#include <typeinfo>

#include "core/nn/container.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/runtime/user_values.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

std::string call_name(void* ar) {
  auto* call = static_cast<std::pair<lua_State*, lua_Debug>*>(ar);
  if (!lua_getinfo(call->first, "n", &call->second) || !call->second.name) return "";
  std::string name = call->second.name;
  return name == "?" || name == "self" ? "" : name;
}

// A method that was defined with a dot takes the module for its first argument: it gets more arguments than it has
// parameters. The function is on top of the stack.
void check_has_self(lua_State* L, int given, const std::string& type, const char* method) {
  lua_Debug ar;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">u", &ar);
  if (ar.isvararg || given <= ar.nparams || lua_iscfunction(L, -1)) return;
  const char* first = lua_getlocal(L, nullptr, 1);
  constexpr std::string_view of_module[] = {"self", "_", "this", "m", "net", "model", "module"};
  if (!first || std::find(std::begin(of_module), std::end(of_module), first) != std::end(of_module)) return;
  throw Error(
      "{0}.{1} has {2} parameter{3} and gets {4} values, the module first: write function {0}:{1}(…), with a colon",
      type, method, ar.nparams, ar.nparams == 1 ? "" : "s", given);
}

// Lua's forward, called directly: arguments and results may be anything.
int call_script(lua_State* L, ScriptModule& m) {
  int n = lua_gettop(L);
  lua_pushvalue(L, 1);
  lua_getfield(L, -1, "forward");
  lua_remove(L, -2);
  lua_insert(L, 1);
  if (lua_isnil(L, 1)) throw Error("{} has no forward: define function {}:forward(x)", m.type(), m.type());
  lua_pushvalue(L, 1);
  check_has_self(L, n, m.type(), "forward");
  lua_pop(L, 1);
  lua_call(L, n, LUA_MULTRET);
  return lua_gettop(L);
}

}  // namespace

namespace {

// A value that C++ passes through.
struct ForeignValue final : nn::Held {
  std::string text() const override { return shown; }
  LuaRef value;
  std::string shown;
};

// A sequence without a metatable and other keys.
bool is_list(lua_State* L, int index) {
  if (!lua_istable(L, index) || lua_getmetatable(L, index)) return false;
  const lua_Unsigned n = lua_rawlen(L, index);
  lua_Unsigned count = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) ++count;
  return count == n;
}

}  // namespace

nn::Argument to_argument(lua_State* L, int index) {
  if (const Tensor* t = to_tensor(L, index); t && *t) return nn::Argument(*t);
  index = lua_absindex(L, index);
  luaL_checkstack(L, 8, "too many nested tables");
  if (Value v = to_value(L, index); v || is_none(L, index)) return v;
  if (nn::PackedRef p = to_packed(L, index)) return nn::Argument(Ref<nn::Held>(p));
  const int top = lua_gettop(L);
  const bool list = is_list(L, index);
  lua_settop(L, top);
  if (!list) {
    Ref<ForeignValue> foreign(new ForeignValue);
    foreign->value = LuaRef(L, index);
    foreign->shown = given_text(L, index);
    return nn::Argument(Ref<nn::Held>(foreign));
  }
  nn::Values items;
  each_element(L, index, [&](int at, lua_Integer) { items.push_back(to_argument(L, at)); });
  return nn::Argument::list(items);
}

nn::Values check_values(lua_State* L, int first, nn::Named* named) {
  nn::Values in;
  int n = lua_gettop(L);
  if (named && n >= first && is_named(L, n)) {
    for (lua_pushnil(L); lua_next(L, n); lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING)
        throw Error("a table of arguments by name has the key {}", given_text(L, lua_gettop(L) - 1));
      named->push_back({lua_tostring(L, -2), to_argument(L, -1)});
    }
    std::sort(named->begin(), named->end(), [](auto& a, auto& b) { return a.name < b.name; });
    --n;
  }
  for (int i = first; i <= n; ++i) in.emplace_back(to_argument(L, i));
  return in;
}

static void push_argument(lua_State* L, const nn::Argument& a) {
  if (a.is_tensor()) return push_tensor(L, a.tensor());
  luaL_checkstack(L, 8, "too many nested tables");
  if (a.is_list())
    push_items(L, a.items(), [&](auto& item) { push_argument(L, item); });
  else if (auto* foreign = dynamic_cast<const ForeignValue*>(a.more().get()))
    foreign->value.push(L);
  else if (auto* packed = dynamic_cast<nn::PackedSequence*>(a.more().get()))
    push_packed(L, nn::PackedRef(packed));
  else
    push_values(L, Inputs{a});
}
int push_values(lua_State* L, const nn::Values& values) {
  luaL_checkstack(L, int(values.size()) + 4, nullptr);
  for (auto& v : values) push_argument(L, v);
  return int(values.size());
}
void push_named(lua_State* L, const nn::Named& named) {
  lua_newtable(L);
  for (auto& [name, value] : named) {
    push_argument(L, value);
    lua_setfield(L, -2, name.c_str());
  }
}

int call_module(lua_State* L) {
  nn::Module& m = self_module(L);
  const bool script = &typeid(m) == &typeid(ScriptModule);  // a final class of this program alone
  const nn::ModuleRef kept(script ? &m : nullptr);          // forward may drop the argument that holds it
  std::pair<lua_State*, lua_Debug> here{L, {}};
  bool known = lua_getstack(L, 0, &here.second);
  nn::Frame frame(m, known ? call_name : nullptr, &here);
  if (script && !m.hooked()) return call_script(L, static_cast<ScriptModule&>(m));
  nn::Named named;
  const nn::Values in = check_values(L, 2, &named);
  return push_values(L, m.call(in, named));
}

// ---- ScriptModule -------------------------------------------------------------------------------------------------

void ScriptModule::describe(Fields& f) {
  if (native_) native_->describe(f);
}
void ScriptModule::materialize_like(const nn::StateDict& own) {
  if (native_) native_->materialize_like(own);
}
void ScriptModule::set_native(nn::ModuleRef m) {
  adopt(*m);
  native_ = std::move(m);
}

// From C++, for instance from a Sequential or with hooks.
nn::Values ScriptModule::forward_named(const nn::Values& in, const nn::Named& named) {
  lua_State* L = class_.running();
  int top = lua_gettop(L);
  luaL_checkstack(L, int(in.size()) + 8, nullptr);
  push_module(L, nn::ModuleRef(this));
  lua_getfield(L, -1, "forward");
  lua_insert(L, -2);
  if (lua_isnil(L, -2)) throw Error("{} has no forward: define function {}:forward(x)", name_, name_);
  int n = push_values(L, in) + 1;
  if (!named.empty()) push_named(L, named), ++n;
  lua_call(L, n, LUA_MULTRET);
  nn::Values out = check_values(L, top + 1);
  lua_settop(L, top);
  return out;
}

// The code that clones in Lua copies the fields.
nn::ModuleRef ScriptModule::fresh() const {
  Ref<ScriptModule> copy(new ScriptModule(name_, class_));
  if (native_) copy->set_native(native_->fresh());
  return copy;
}

// A method of the class that nn.Module does not have: one of Lua, or one that is read from luth's own Lua when called.
static bool push_own_method(lua_State* L, const WeakRef& klass, const char* name) {
  klass.push(L);
  lua_getfield(L, -1, name);
  push_module_classes(L);
  lua_getfield(L, -1, "Module");
  lua_getfield(L, -1, name);
  const bool own = lua_isfunction(L, -4) && !lua_rawequal(L, -1, -4);
  lua_pop(L, 3);
  lua_remove(L, -2);
  return own || (lua_pop(L, 1), false);
}

std::string ScriptModule::extra_repr() const {
  lua_State* L = class_.running();
  luaL_checkstack(L, 8, nullptr);
  if (!push_own_method(L, class_, "extra_repr")) return native_ ? native_->extra_repr() : "";
  push_module(L, nn::ModuleRef(const_cast<ScriptModule*>(this)));
  lua_call(L, 1, 1);
  std::string s = lua_tostring(L, -1) ? lua_tostring(L, -1) : "";
  lua_pop(L, 1);
  return s;
}

void ScriptModule::reset_parameters() {
  lua_State* L = class_.running();
  luaL_checkstack(L, 8, nullptr);
  if (!push_own_method(L, class_, "reset_parameters")) {
    if (native_) native_->reset_parameters();
    return;
  }
  push_module(L, nn::ModuleRef(this));
  lua_call(L, 1, 0);
}

bool ScriptModule::has_extra_state() const {
  lua_State* L = class_.running();
  luaL_checkstack(L, 8, nullptr);
  const bool has = push_own_method(L, class_, "get_extra_state");
  lua_pop(L, has);
  return has;
}
nn::Argument ScriptModule::extra_state() const {
  lua_State* L = class_.running();
  luaL_checkstack(L, 8, nullptr);
  push_own_method(L, class_, "get_extra_state");
  push_module(L, nn::ModuleRef(const_cast<ScriptModule*>(this)));
  lua_call(L, 1, 1);
  nn::Argument state = to_argument(L, -1);
  lua_pop(L, 1);
  return state;
}
void ScriptModule::set_extra_state(const nn::Argument& state) {
  lua_State* L = class_.running();
  luaL_checkstack(L, 8, nullptr);
  if (!push_own_method(L, class_, "set_extra_state"))
    throw Error("{} has get_extra_state and no set_extra_state: define function {}:set_extra_state(state)", name_,
                name_);
  push_module(L, nn::ModuleRef(this));
  push_argument(L, state);
  lua_call(L, 2, 0);
}

// ---- Classes ------------------------------------------------------------------------------------------------------

namespace {

int to_string(lua_State* L) {
  std::string s = self_module(L).repr();
  return lua_pushlstring(L, s.data(), s.size()), 1;
}
bool holds_parameters(nn::Module& m) { return native_as<nn::ParameterList>(&m) || native_as<nn::ParameterDict>(&m); }
int length(lua_State* L) {
  nn::Module& m = self_module(L);
  auto& parts = m.parts();
  if (!m.positional() && !native_as<nn::ModuleDict>(&m) && !native_as<nn::ParameterDict>(&m))
    throw Error("{} has no length: only containers such as nn.Sequential have one", m.type());
  return lua_pushinteger(L, lua_Integer(holds_parameters(m) ? parts.parameters.size() : parts.children.size())), 1;
}
// The entry after the one whose key is at 2. 0 results after the last one.
template <class Entries, class Push>
int push_next(lua_State* L, bool positional, const Entries& entries, Push push) {
  size_t i = 0;
  if (!lua_isnoneornil(L, 2)) {
    std::string after = luaL_tolstring(L, 2, nullptr);
    if (positional)
      i = size_t(lua_tointeger(L, 2));
    else
      while (i < entries.size() && entries[i++].name != after) continue;
  }
  if (i >= entries.size()) return 0;
  positional ? lua_pushinteger(L, lua_Integer(i) + 1) : static_cast<void>(lua_pushstring(L, entries[i].name.c_str()));
  push(entries[i]);
  return 2;
}
int next_child(lua_State* L) {
  nn::Module& m = self_module(L);
  if (holds_parameters(m))
    return push_next(L, m.positional(), m.parts().parameters, [&](auto& p) { push_tensor(L, p.value); });
  return push_next(L, m.positional(), m.parts().children, [&](auto& c) { push_module(L, c.module); });
}
int pairs(lua_State* L) {
  lua_pushcfunction(L, guarded<next_child>);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

// isinstance(object, class): the class or one that it derives from.
int is_instance(lua_State* L) { return push_class_of(L, self_module(L)), push_is_instance(L); }

// The name of the class, which is another one once a lazy module has its shapes.
int type_of(lua_State* L) {
  push_class_of(L, self_module(L));
  lua_getmetatable(L, -1);
  lua_getfield(L, -1, "instance");
  return lua_getfield(L, -1, "__typename"), 1;
}

int class_text(lua_State* L) {
  lua_getmetatable(L, 1);
  lua_getfield(L, -1, "name");
  lua_pushfstring(L, "class %s", lua_tostring(L, -1));
  return 1;
}

constexpr luaL_Reg metamethods[] = {{"__call", guarded<call_module>},
                                    {"__newindex", guarded<module_newindex>},
                                    {"__tostring", guarded<to_string>},
                                    {"__len", guarded<length>},
                                    {"__concat", guarded<join_modules>},
                                    {"__pairs", guarded<pairs>},
                                    {"__isinstance", guarded<is_instance>},
                                    {"__typeof", guarded<type_of>},
                                    {nullptr, nullptr}};

// Makes a class table whose base is at `base` (0: none), with the metatable of its instances, and leaves it on the
// stack.
void push_class(lua_State* L, const std::string& name, const std::string& shown, int base) {
  lua_newtable(L);
  int klass = lua_gettop(L);
  lua_newtable(L);  // the class's metatable
  lua_pushstring(L, name.c_str());
  lua_setfield(L, -2, "name");
  lua_pushcfunction(L, guarded<class_text>);
  lua_setfield(L, -2, "__tostring");
  if (base) {
    lua_pushvalue(L, base);
    lua_setfield(L, -2, "__index");
  }
  lua_newtable(L);  // the metatable of instances
  luaL_setfuncs(L, metamethods, 0);
  lua_pushvalue(L, klass);
  lua_pushcclosure(L, guarded<module_index>, 1);
  lua_setfield(L, -2, "__index");
  for (const char* field : {"__name", "__typename", "__metatable"}) {
    lua_pushstring(L, shown.c_str());
    lua_setfield(L, -2, field);
  }
  lua_setfield(L, -2, "instance");
  lua_setmetatable(L, klass);
}

// Net(…): a new instance, initialised by the class's init.
int construct(lua_State* L) {
  lua_getmetatable(L, 1);
  lua_getfield(L, -1, "name");
  std::string name = lua_tostring(L, -1);
  lua_pop(L, 2);
  push_module(L, nn::ModuleRef(new ScriptModule(name, WeakRef(L, 1))));
  lua_insert(L, 2);  // class, self, arguments
  int top = lua_gettop(L);
  for (const char* wrong : {"__init", "__init__", "initialize"}) {
    lua_pushstring(L, wrong);
    if (lua_rawget(L, 1) == LUA_TFUNCTION)
      throw Error("{0} defines {1}, which nothing calls: the constructor is function {0}:init(…)", name, wrong);
    lua_pop(L, 1);
  }
  lua_getfield(L, 1, "init");
  if (!lua_isnil(L, -1)) {
    check_has_self(L, top - 1, name, "init");
    for (int i = 2; i <= top; ++i) lua_pushvalue(L, i);
    lua_call(L, top - 1, 0);
  }
  lua_settop(L, 2);
  return 1;
}

}  // namespace

int make_class(lua_State* L) {
  std::string name = luaL_checkstring(L, 1);
  if (lua_isnoneornil(L, 2)) {
    lua_settop(L, 1);
    push_module_classes(L);
    lua_getfield(L, -1, "Module");
    lua_replace(L, 2);
    lua_settop(L, 2);
  }
  bool is_class = lua_istable(L, 2) && lua_getmetatable(L, 2) && lua_getfield(L, -1, "instance") == LUA_TTABLE;
  if (!is_class) throw Error("nn.class: argument 2 (the base) expects a class of modules, got {}", given_text(L, 2));
  lua_settop(L, 2);
  push_class(L, name, name, 2);
  push_named_classes(L);
  lua_insert(L, -2);
  name_class(L, name);
  lua_remove(L, -2);
  lua_getmetatable(L, -1);
  lua_pushcfunction(L, guarded<construct>);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 1);
  return 1;
}

namespace {

int nothing(lua_State*) { return 0; }

constexpr const char* init_help =
    "Base.init(self, …)\n  The constructor of the base, which the init of a class made from it calls first.";

}  // namespace

void push_native_class(lua_State* L, const std::string& name, lua_CFunction construct, lua_CFunction init,
                       const void* data) {
  push_module_classes(L);
  int classes = lua_gettop(L);
  const bool lazy = name.starts_with("Lazy");  // a class made from the plain one, as in PyTorch
  lua_getfield(L, classes, lazy ? name.substr(4).c_str() : "Module");
  push_class(L, name, "nn." + name, lua_gettop(L));
  lua_pushlightuserdata(L, const_cast<void*>(data));
  lua_pushcclosure(L, init, 1);
  document(L, -1, init_help);
  lua_setfield(L, -2, "init");
  lua_getmetatable(L, -1);
  lua_pushlightuserdata(L, const_cast<void*>(data));
  lua_pushcclosure(L, construct, 1);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, classes, name.c_str());
  lua_replace(L, classes);
  lua_settop(L, classes);
}

void open_module_class(lua_State* L, int nn) {
  push_class(L, "Module", "nn.Module", 0);
  lua_pushcfunction(L, nothing);
  document(L, -1, init_help);
  lua_setfield(L, -2, "init");
  lua_getmetatable(L, -1);
  lua_pushcfunction(L, guarded<construct>);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 1);
  push_module_classes(L);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "Module");
  lua_pop(L, 1);
  document(L, -1,
           "nn.Module()\n  The base class of all modules. It has parameters, buffers, children, hooks. nn.class makes "
           "classes from it.");
  lua_pushvalue(L, -1);
  lua_setfield(L, nn, "Module");
  lua_pushcfunction(L, guarded<make_class>);
  document(L, -1,
           "nn.class(name, base = nn.Module)\n  A class of modules: define Net:init(…) and Net:forward(…), then net = "
           "Net(…).");
  lua_setfield(L, nn, "class");
}

}  // namespace luth::lang
