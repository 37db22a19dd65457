// Conversion of Lua values to trees (core/io/tree.h) and back, for torch.save, torch.load and checkpoints.
#pragma once
#include <lua5.4/lua.hpp>

#include "core/io/tree.h"

namespace luth::lang {

/// The value at `index` as a tree: nil, booleans, numbers, strings, tensors, tables of these, and objects with __pairs
/// (state dicts). A table whose keys are 1 … n is a list. Throws for functions, cycles and other values that a file
/// cannot hold, with the path, as in "value.layers[2]".
io::Item to_item(lua_State* L, int index);
/// Pushes a tree as a Lua value: maps and lists become tables.
void push_item(lua_State* L, const io::Item& item);

}  // namespace luth::lang
