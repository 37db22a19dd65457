// Hooks of tensors written in Lua.
#pragma once
#include <cstdint>
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// Registers the function at `f` as a hook of the tensor at `tensor`; returns its id. `accumulated`: the hook gets the
/// tensor, a leaf, after a gradient was added to its grad.
int64_t add_tensor_hook(lua_State* L, int tensor, int f, bool accumulated = false);

}  // namespace luth::lang
