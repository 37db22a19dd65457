#include "lang/values/named_arguments.h"

#include <algorithm>

#include "core/base/text.h"
#include "lang/values/values.h"

namespace luth::lang {

bool flag_at(lua_State* L, int index, const char* function, const char* name, bool otherwise) {
  if (lua_istable(L, index)) {
    NamedArguments o(L, index, function);
    bool on = o.flag(name, otherwise);
    o.done();
    return on;
  }
  if (lua_isnoneornil(L, index)) return otherwise;
  if (!lua_isboolean(L, index))
    throw Error("{}: argument '{}' expects true or false, got {}", function, name, given_text(L, index));
  return lua_toboolean(L, index);
}

bool truth_at(lua_State* L, int index, const char* function, const char* name) {
  if (lua_istable(L, index) || lua_isnoneornil(L, index)) return flag_at(L, index, function, name);
  return lua_toboolean(L, index);
}

bool is_named(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || lua_rawlen(L, index) > 0) return false;
  if (lua_getmetatable(L, index)) return lua_pop(L, 1), false;
  index = lua_absindex(L, index);
  lua_pushnil(L);
  if (!lua_next(L, index)) return false;
  bool named = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return named;
}

NamedArguments::NamedArguments(lua_State* L, int index, const char* function)
    : L_(L), index_(index), function_(function) {
  if (index_ && lua_isnoneornil(L, index_)) index_ = 0;
  if (index_ && !lua_istable(L, index_))
    throw Error("{}: expects a table of named arguments, got {}", function, given_text(L, index_));
  if (index_) index_ = lua_absindex(L, index_);
}

int NamedArguments::get(const char* name) {
  known_.emplace_back(name);
  if (!index_) return 0;
  luaL_checkstack(L_, 4, nullptr);
  if (lua_getfield(L_, index_, name) == LUA_TNIL) return lua_pop(L_, 1), 0;
  return lua_gettop(L_);
}

bool NamedArguments::flag(const char* name, bool otherwise) {
  int i = get(name);
  if (!i) return otherwise;
  if (!lua_isboolean(L_, i))
    throw Error("{}: argument '{}' expects true or false, got {}", function_, name, given_text(L_, i));
  bool v = lua_toboolean(L_, i);
  lua_pop(L_, 1);
  return v;
}

double NamedArguments::number(const char* name, double otherwise) {
  int i = get(name);
  if (!i) return otherwise;
  if (lua_type(L_, i) != LUA_TNUMBER)
    throw Error("{}: argument '{}' expects a number, got {}", function_, name, given_text(L_, i));
  double v = lua_tonumber(L_, i);
  lua_pop(L_, 1);
  return v;
}

int64_t NamedArguments::integer(const char* name, int64_t otherwise) {
  int i = get(name);
  if (!i) return otherwise;
  int ok = 0;
  int64_t v = lua_type(L_, i) == LUA_TNUMBER ? lua_tointegerx(L_, i, &ok) : 0;
  if (!ok) throw Error("{}: argument '{}' expects an integer, got {}", function_, name, given_text(L_, i));
  lua_pop(L_, 1);
  return v;
}

void NamedArguments::done() const {
  if (!index_) return;
  lua_pushnil(L_);
  while (lua_next(L_, index_)) {
    lua_pop(L_, 1);
    std::string name = lua_type(L_, -1) == LUA_TSTRING ? lua_tostring(L_, -1) : given_text(L_, lua_gettop(L_));
    if (std::find(known_.begin(), known_.end(), name) == known_.end())
      throw Error("{}: no argument is named '{}'{}", function_, name, did_you_mean(name, known_));
  }
}

}  // namespace luth::lang
