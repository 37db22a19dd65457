// Hooks of tensors written in Lua, and full collections of Lua that find the cycles through them.
#pragma once
#include <cstdint>
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// Registers the function at `f` as a hook of the tensor at `tensor`; returns its id. `accumulated`: it gets the
/// tensor, a leaf, when a gradient was added to its grad.
int64_t add_tensor_hook(lua_State* L, int tensor, int f, bool accumulated = false);

/// A full collection; false inside of a finalizer, where there is none. What a hook captures is kept by the tensor's
/// holders. Where these are all known (the userdata on which it was registered, modules with the tensor as parameter or
/// buffer), it lives as long as one of them can be reached, so that a cycle through a hook is freed. With a holder
/// that Lua cannot see (a graph, an optimizer, a view, another userdata of the tensor), the hook is a root, as it is at
/// all other times.
bool collect_all(lua_State* L);

}  // namespace luth::lang
