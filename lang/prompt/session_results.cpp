// What the prompt prints of values, and the globals _, _1 … that keep them.
#include "lang/prompt/session.h"
#include "lang/values/show.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

constexpr int most_results = 10;
constexpr size_t most_text = 4000;  // bytes of a string that is printed

// The summary of a large tensor, a line below it, or nothing.
void add_summary(lua_State* L, int index, std::string& text) {
  const Tensor* t = to_tensor(L, index);
  if (!t || !*t || t->numel() <= 1000) return;
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.prompt.summary");
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
    lua_pushvalue(L, index);
    if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_isstring(L, -1)) text += std::string("\n") + lua_tostring(L, -1);
  }
  lua_pop(L, 1);
}

}  // namespace

// The result at `index` becomes _, those before _1, _2 … A variable of the user's that has such a name stays.
void Session::keep_result(int index) {
  lua_rawgeti(L_, LUA_REGISTRYINDEX, results_);
  const int results = lua_gettop(L_);
  lua_rawgeti(L_, results, 1);
  const bool same = lua_isnil(L_, index) || lua_rawequal(L_, -1, index);
  lua_pop(L_, 1);
  lua_pushglobaltable(L_);
  for (int i = most_results; i >= 1 && !same; --i) {
    const std::string name = i == 1 ? "_" : "_" + std::to_string(i - 1);
    lua_pushstring(L_, name.c_str());
    lua_rawget(L_, -2);
    lua_rawgeti(L_, results, i);
    const bool ours = lua_isnil(L_, -2) || lua_rawequal(L_, -1, -2);
    lua_pop(L_, 2);
    if (i == 1)
      lua_pushvalue(L_, index);
    else
      lua_rawgeti(L_, results, i - 1);
    if (ours) {
      lua_pushstring(L_, name.c_str());
      lua_pushvalue(L_, -2);
      lua_rawset(L_, -4);
    }
    lua_rawseti(L_, results, i);
  }
  lua_settop(L_, results - 1);
}

void push_shown(lua_State* L, int index) {
  size_t size = 0;
  if (is_shown(L, index)) return show(L, index);
  if (lua_type(L, index) == LUA_TSTRING) {
    const char* text = lua_tolstring(L, index, &size);
    return void(lua_pushstring(L, quoted({text, size}, most_text).c_str()));
  }
  std::string summary;
  add_summary(L, index, summary);
  if (summary.empty()) return lua_pushvalue(L, index);
  const char* text = luaL_tolstring(L, index, &size);
  lua_pushstring(L, (std::string(text, size) + summary).c_str());
  lua_remove(L, -2);
}

void Session::print_results() {
  const int n = lua_gettop(L_);
  luaL_checkstack(L_, 20, nullptr);
  for (int i = 1; i <= n; ++i) keep_result(i);
  for (int i = 1; i <= n; ++i) {
    push_shown(L_, i);
    lua_replace(L_, i);
  }
}

// Prints the values on the stack. Returns Lua's status.
int Session::print_values() {
  const int n = lua_gettop(L_);
  const auto collect = [&] {
    lua_createtable(L_, n, 0);
    for (int i = 1; i <= n; ++i) lua_pushvalue(L_, i), lua_rawseti(L_, -2, i);
  };
  if (printer_ == LUA_NOREF) {
    print_results();
    lua_getglobal(L_, "print");
    lua_insert(L_, 1);
    return interp_.call(n, 0);
  }
  collect();
  const int values = luaL_ref(L_, LUA_REGISTRYINDEX);
  print_results();
  collect();
  lua_rawgeti(L_, LUA_REGISTRYINDEX, values);
  luaL_unref(L_, LUA_REGISTRYINDEX, values);
  lua_insert(L_, -2);
  lua_rawgeti(L_, LUA_REGISTRYINDEX, printer_);
  lua_insert(L_, -3);
  lua_pushinteger(L_, n);
  return interp_.call(3, 0);
}

}  // namespace luth::lang
