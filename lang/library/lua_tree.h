// Lua values as trees (core/io/tree.h) and back: what torch.save, torch.load and checkpoints move.
#pragma once
#include <lua5.4/lua.hpp>

#include "core/io/tree.h"

namespace luth::lang {

/// Nil, booleans, numbers, strings, tensors, tables of these, and objects with __pairs (state dicts). A table whose
/// keys are 1 … n is a list. Throws, naming the place ("value.layers[2]"), for functions, cycles and what else has no
/// form in a file.
io::Item to_item(lua_State* L, int index);
/// Pushes the value: maps and lists become tables.
void push_item(lua_State* L, const io::Item& item);

}  // namespace luth::lang
