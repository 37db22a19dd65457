// Boxes: C++ values inside Lua userdata. A box begins with a tag of its type, so that a type check costs two loads.
#pragma once
#include <lua5.4/lua.hpp>
#include <new>
#include <utility>

#include "core/base/error.h"

namespace luth::lang {

/// The address is the tag of T. Only one program contains lang, so there is one address per type.
template <class T>
inline char box_tag;

template <class T>
struct Box {
  const void* tag;
  T value;
};

/// The registry's key of the metatable of T's boxes. Integers are the fastest keys, and luaL_ref uses none below 1.
inline int boxes = 0;
template <class T>
inline const int box_slot = --boxes;

/// The T inside the userdata at `index`, or null for any other Lua value.
template <class T>
T* to_box(lua_State* L, int index) {
  void* p = lua_touserdata(L, index);
  if (!p || lua_rawlen(L, index) != sizeof(Box<T>)) return nullptr;
  auto* box = static_cast<Box<T>*>(p);
  return box->tag == &box_tag<T> ? &box->value : nullptr;
}

/// The T of the userdata that a method was called on; throws for a call with anything else.
template <class T>
T& own(lua_State* L) {
  if (T* v = to_box<T>(L, 1)) return *v;
  throw Error("expects the object that it belongs to, got {} (a method takes a colon)", luaL_typename(L, 1));
}

/// Pushes a userdata that holds `value`, with the metatable of open_box<T>. `user_values`: slots for the Lua values
/// that it needs (lang/runtime/ref.h).
template <class T>
T& push_box(lua_State* L, T value, int user_values = 0) {
  void* p = lua_newuserdatauv(L, sizeof(Box<T>), user_values);
  auto* box = new (p) Box<T>{&box_tag<T>, std::move(value)};
  lua_rawgeti(L, LUA_REGISTRYINDEX, box_slot<T>);
  lua_setmetatable(L, -2);
  return box->value;
}

template <class T>
int destroy_box(lua_State* L) {
  if (T* v = to_box<T>(L, 1)) {
    const T dead = std::move(*v);  // takes all memory along, which a mere assignment to a string would keep
    *v = T();                      // an empty T needs no destructor
  }
  return 0;
}

/// Makes the metatable of T's boxes and leaves it on the stack. `name` is the type's name in errors.
template <class T>
void open_box(lua_State* L, const char* name) {
  lua_newtable(L);
  lua_pushstring(L, name);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "__name");
  lua_setfield(L, -2, "__metatable");  // what getmetatable gives: metamethods are not called with other values
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, box_slot<T>);
}

}  // namespace luth::lang
