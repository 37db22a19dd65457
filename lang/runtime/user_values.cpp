#include "lang/runtime/user_values.h"

#include <fmt/format.h>

#include "core/base/warn.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

// Where the Lua function that called this C function is, "net.lua:12". The prompt has no lines: definitions that are
// typed again count as one place.
std::string caller_place(lua_State* L) {
  lua_Debug ar;
  if (!lua_getstack(L, 1, &ar)) return "luth";
  lua_getinfo(L, "Sl", &ar);
  if (ar.currentline < 0) return "luth";
  return ar.source[0] == '@' ? std::string(ar.short_src) + ":" + std::to_string(ar.currentline) : ar.short_src;
}

// The text that the metatable of the class at `index` has, or "".
std::string class_note(lua_State* L, int index, const char* field) {
  if (!lua_getmetatable(L, index)) return "";
  const std::string text = lua_getfield(L, -1, field) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  return lua_pop(L, 2), text;
}
void set_class_note(lua_State* L, int index, const char* field, const std::string& text) {
  index = lua_absindex(L, index);
  lua_getmetatable(L, index);
  lua_pushlstring(L, text.data(), text.size());
  lua_setfield(L, -2, field);
  lua_pop(L, 1);
}

}  // namespace

void name_class(lua_State* L, const std::string& name) {
  const int klass = lua_gettop(L), classes = klass - 1;
  const std::string place = caller_place(L);
  set_class_note(L, klass, "place", place);
  if (lua_getfield(L, classes, name.c_str()) == LUA_TTABLE) {
    const std::string before = class_note(L, -1, "place"), replaced = class_note(L, -1, "replaced");
    const std::string& other = before == place ? replaced : before;
    if (!other.empty() && other != place) set_class_note(L, klass, "replaced", other);
  }
  lua_pop(L, 1);
  lua_pushvalue(L, klass);
  lua_setfield(L, classes, name.c_str());
}

std::string class_place(lua_State* L, int index) { return class_note(L, index, "place"); }

void warn_of_replaced_class(lua_State* L, const std::string& name) {
  const std::string other = class_note(L, -1, "replaced");
  if (other.empty()) return;
  warn(
      fmt::format("two classes have the name '{0}', that of {1} and that of {2}; the file means one of them, and luth "
                  "takes the one that was defined last, that of {2}: rename one of them",
                  name, other, class_place(L, -1)));
}

}  // namespace luth::lang
