#include "lang/collector/reach.h"

#include <utility>

namespace luth::lang {

Reach::Reach(lua_State* L, std::function<void()> found) : L_(L), found_(std::move(found)) {
  luaL_checkstack(L, 16, nullptr);
  lua_newtable(L);
  list_ = lua_gettop(L);
  skip_what_lives();
}

void Reach::skip_what_lives() {
  lua_pushglobaltable(L_);
  seen_.insert(lua_topointer(L_, -1));
  luaL_getsubtable(L_, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  seen_.insert(lua_topointer(L_, -1));
  for (lua_pushnil(L_); lua_next(L_, -2); lua_pop(L_, 1)) seen_.insert(lua_topointer(L_, -1));
  lua_pop(L_, 2);
}

void Reach::add() {
  const int type = lua_type(L_, -1);
  const bool leads = type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA || type == LUA_TTHREAD;
  if (!leads || !seen_.insert(lua_topointer(L_, -1)).second) return lua_pop(L_, 1);
  if (type == LUA_TUSERDATA) found_();
  lua_rawseti(L_, list_, ++left_);
}

void Reach::run() {
  while (left_) {
    lua_rawgeti(L_, list_, left_--);
    switch (lua_type(L_, -1)) {
      case LUA_TTABLE: from_table(); break;
      case LUA_TFUNCTION: from_function(); break;
      case LUA_TUSERDATA: from_userdata(); break;
      default: from_coroutine();
    }
    lua_pop(L_, 1);
  }
}

void Reach::from_table() {
  if (lua_getmetatable(L_, -1)) add();
  for (lua_pushnil(L_); lua_next(L_, -2);) {
    add();
    lua_pushvalue(L_, -1);
    add();
  }
}

void Reach::from_function() {
  for (int i = 1; lua_getupvalue(L_, -1, i); ++i) add();
}

// The metatable of one with user values may be that of a class of the script's.
void Reach::from_userdata() {
  int i = 1;
  for (; lua_getiuservalue(L_, -1, i) != LUA_TNONE; ++i) add();
  lua_pop(L_, 1);
  if (i > 1 && lua_getmetatable(L_, -1)) add();
}

// The functions and variables of one that is suspended. One that runs lives anyway.
void Reach::from_coroutine() {
  lua_State* co = lua_tothread(L_, -1);
  lua_Debug frame;
  const bool begun = lua_getstack(co, 0, &frame);
  if (co == L_ || (begun && lua_status(co) == LUA_OK) || !lua_checkstack(co, 4)) return;
  const auto take = [&] { lua_xmove(co, L_, 1), add(); };
  for (int i = begun ? 0 : lua_gettop(co); i > 0; --i) lua_pushvalue(co, i), take();
  for (int level = 0; lua_getstack(co, level, &frame); ++level) {
    lua_getinfo(co, "f", &frame);
    take();
    for (int i = 1; lua_getlocal(co, &frame, i); ++i) take();
    for (int i = -1; lua_getlocal(co, &frame, i); --i) take();
  }
}

}  // namespace luth::lang
