#include "lang/notebook/expressions.h"

#include "lang/notebook/texts.h"
#include "lang/runtime/bridge.h"

namespace luth::lang {
namespace {

// data(value): the data of a value, {mime type = data, …}, by share/luth/notebook.lua, which the kernel has opened.
int data(lua_State* L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "luth.notebook");
  lua_getfield(L, -1, "data");
  lua_pushvalue(L, 1);
  return lua_call(L, 1, 1), 1;
}

Json failed(lua_State* L) {
  const char* message = lua_tostring(L, -1);
  Json error = error_of(message ? message : "an error that is no text");
  error["status"] = "error";
  return error;
}

// The first value of an expression; nil for statements.
Json value_of(Session& session, Interp& interp, const std::string& code) {
  lua_State* L = session.state();
  const int top = lua_gettop(L);
  if (!session.push_function(code) || interp.call(0, 1)) return failed(L);
  lua_pushcfunction(L, guarded<data>);
  lua_insert(L, top + 1);
  if (interp.call(1, 1)) return failed(L);
  return {{"status", "ok"}, {"data", data_of(L, lua_gettop(L))}, {"metadata", Json::object()}};
}

}  // namespace

Json data_of(lua_State* L, int index) {
  Json data = Json::object();
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    size_t n = 0;
    if (const char* text = lua_tolstring(L, -1, &n)) data[lua_tostring(L, -2)] = std::string(text, n);
  }
  return data;
}

Json evaluated(Session& session, Interp& interp, const Json& expressions) {
  Json values = Json::object();
  lua_State* L = session.state();
  for (auto& [name, code] : expressions.items()) {
    const int top = lua_gettop(L);
    values[name] = value_of(session, interp, code.get<std::string>());
    lua_settop(L, top);
  }
  return values;
}

}  // namespace luth::lang
