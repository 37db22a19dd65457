// Modules as settings of a constructor, and help on them and on calls.
#include "core/nn/described_call.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// The forward of the class that function_to_module makes modules of.
int call_function(lua_State* L) {
  lua_getfield(L, 1, "f");
  lua_replace(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}
// Replaces the function on the top by a module that calls it.
void function_to_module(lua_State* L) {
  push_function_class(L);
  lua_call(L, 0, 1);
  lua_insert(L, -2);
  lua_setfield(L, -2, "f");
}

void copy_table(lua_State* L, int table) {
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, table);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_replace(L, table);
}

// Takes away what is given for the setting, by position or by name, and pushes it; nil where nothing is. A text in the
// place of a function is a plain setting, and stays.
void take(lua_State* L, const nn::ModuleSetting& s, int first) {
  const int top = lua_gettop(L), table = is_named(L, top) ? top : 0, last = table ? table - 1 : top,
            at = first + int(s.position), value = top + 1;
  auto ours = [&](int i) { return !s.function || lua_type(L, i) != LUA_TSTRING; };
  lua_pushnil(L);
  if (at <= last && ours(at)) {
    lua_copy(L, at, value);
    lua_pushnil(L);
    lua_replace(L, at);
  }
  if (table && lua_isnil(L, value) && (lua_getfield(L, table, s.name), ours(-1))) {
    lua_copy(L, -1, value);
    lua_pushnil(L);
    lua_setfield(L, table, s.name);
  }
  lua_settop(L, value);
  if (!s.function && at <= last) lua_remove(L, at);
}

}  // namespace

void push_function_class(lua_State* L) {
  push_named_classes(L);
  if (lua_getfield(L, -1, function_class) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushcfunction(L, guarded<make_class>);
    lua_pushstring(L, function_class);
    lua_call(L, 1, 1);
    lua_pushcfunction(L, guarded<call_function>);
    lua_setfield(L, -2, "forward");
  }
  lua_remove(L, -2);
}

int take_module_settings(lua_State* L, int first, const std::string& function, nn::TakesModules& m) {
  luaL_checkstack(L, 8, nullptr);
  const bool named = is_named(L, lua_gettop(L));
  if (named) copy_table(L, lua_gettop(L));
  auto settings = m.module_settings();
  int taken = 0;
  for (auto s = settings.rbegin(); s != settings.rend(); ++s) {  // from the last one: the positions before it stay
    take(L, *s, first + taken);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      continue;
    }
    if (s->function && lua_isfunction(L, -1)) function_to_module(L);
    *s->value = nn::ModuleRef(to_module(L, -1));
    if (!*s->value)
      throw Error("{}: argument '{}' expects a module{}, got {}", function, s->name,
                  s->function ? ", a function or a name" : "", given_text(L, -1));
    lua_insert(L, first);
    ++taken;
  }
  if (named && !is_named(L, lua_gettop(L))) lua_pop(L, 1);  // all of it was taken
  return taken;
}

void describe_all_settings(nn::Module& m, Fields& f) {
  auto* takes = dynamic_cast<nn::TakesModules*>(&m);
  const auto modules = takes ? takes->module_settings() : std::vector<nn::ModuleSetting>();
  auto show = [&](bool required) {
    Attr nothing;
    for (auto& s : modules)
      if (s.required == required && *s.doc)
        f.visit({s.name, s.doc, AttrKind::none, true, required ? as::required : as::plain}, nothing);
  };
  show(true);
  m.describe(f);
  show(false);
}

std::string call_help(nn::Module& m) {
  auto* d = dynamic_cast<nn::DescribedCall*>(&m);
  if (!d) return "";
  return "\n\n" + settings_help("m", "The call:", [&](Fields& f) { d->describe_call(f); });
}

}  // namespace luth::lang
