// A bounded graph search through Lua values.
#pragma once
#include <lua5.4/lua.hpp>
#include <set>
#include <string_view>

namespace luth::lang {

/// A depth-first search through tables and the upvalues of functions. Depth and the number of edges are bounded, so it
/// may miss something.
template <class F>
class Search {
 public:
  /// `f()` says whether the userdata on top ends the search.
  Search(lua_State* L, F f) : L_(L), f_(f) { luaL_checkstack(L, 64, nullptr); }

  /// From the value on top, which it pops; whether f has ended it.
  bool run(int depth = 0) {
    bool found = lua_type(L_, -1) == LUA_TUSERDATA && f_();
    if (!found && depth < 8 && left_ > 0 && (lua_istable(L_, -1) || lua_isfunction(L_, -1)))
      if (seen_.insert(lua_topointer(L_, -1)).second) found = lua_istable(L_, -1) ? in_table(depth) : captured(depth);
    lua_pop(L_, 1);
    return found;
  }

 private:
  bool in_table(int depth) {
    for (lua_pushnil(L_); lua_next(L_, -2);) {
      --left_;
      const bool found = run(depth + 1);
      if (!found && left_ > 0) continue;
      lua_pop(L_, 1);  // the key
      return found;
    }
    return false;
  }
  bool captured(int depth) {
    bool found = false;
    for (int i = 1; !found; ++i) {
      const char* name = lua_getupvalue(L_, -1, i);
      if (!name) break;
      --left_;
      if (std::string_view(name) == "_ENV")
        lua_pop(L_, 1);
      else
        found = run(depth + 1);
    }
    return found;
  }

  lua_State* L_;
  F f_;
  std::set<const void*> seen_;
  int left_ = 200;
};

}  // namespace luth::lang
