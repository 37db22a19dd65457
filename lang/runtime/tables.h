// Helpers for Lua tables: lists, weak tables, tables in the registry, objects with __pairs.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace luth::lang {

/// Pushes a new table whose keys ("k") or values ("v") are weak.
inline void push_weak(lua_State* L, const char* mode) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, mode);
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

/// Pushes the registry's table under the address `key`, made where there is none: a weak one, or with no mode a plain
/// one.
inline void push_kept(lua_State* L, const void* key, const char* mode = nullptr) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  mode ? push_weak(L, mode) : lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/// Pushes a list: push(item) pushes each item of `items`. A finalizer may run meanwhile and change `items`, so push
/// gets a copy where there can be one. Returns 1, the number of pushed values.
template <class Items, class Push>
int push_items(lua_State* L, const Items& items, Push&& push) {
  lua_createtable(L, int(items.size()), 0);
  for (decltype(items.size()) i = 0; i < items.size(); ++i) {
    using Item = std::remove_cvref_t<decltype(items[i])>;
    if constexpr (std::is_copy_constructible_v<Item>) {
      const Item item = items[i];
      push(item);
    } else {
      push(items[i]);
    }
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
  return 1;
}

/// Makes `search` the searcher of require at position `at`, counted from 1; those from there on come after it.
inline void insert_searcher(lua_State* L, lua_Integer at, lua_CFunction search) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  for (auto i = lua_Integer(lua_rawlen(L, -1)); i >= at; --i) {
    lua_rawgeti(L, -1, i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushcfunction(L, search);
  lua_rawseti(L, -2, at);
  lua_pop(L, 2);
}

/// Calls f(at, k) for each element k of the list at `index`. The element is at `at`, the top of the stack, where f
/// leaves it.
template <class F>
void each_element(lua_State* L, int index, F&& f) {
  index = lua_absindex(L, index);
  for (lua_Integer k = 1, n = luaL_len(L, index); k <= n; ++k) {
    lua_geti(L, index, k);
    f(lua_gettop(L), k);
    lua_pop(L, 1);
  }
}

/// The list of strings at `index`.
inline std::vector<std::string> read_names(lua_State* L, int index) {
  std::vector<std::string> names;
  each_element(L, index, [&](int at, lua_Integer) { names.emplace_back(luaL_checkstring(L, at)); });
  return names;
}

/// Walks the object at `index` by its __pairs, which is on top of the stack; pops that. Calls f() for each pair, with
/// the key and the value on top of the stack, where f leaves them.
template <class F>
void each_pair(lua_State* L, int index, F&& f) {
  lua_pushvalue(L, index);
  lua_call(L, 1, 3);  // iterator, state, control
  const int base = lua_gettop(L) - 2;
  for (;;) {
    lua_pushvalue(L, base);
    lua_pushvalue(L, base + 1);
    lua_pushvalue(L, base + 2);
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) break;
    f();
    lua_pop(L, 1);
    lua_replace(L, base + 2);
  }
  lua_settop(L, base - 1);
}

}  // namespace luth::lang
