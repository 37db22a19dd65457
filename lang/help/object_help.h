// Help on the objects of the language that are no functions and no tensors: devices, dtypes, streams, events, nodes,
// optimizers, loaders. Includes Lua.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>
#include <vector>

namespace luth::lang {

/// What the object at `index` is, its fields, and a line for each method; "" for other values.
std::string object_text(lua_State* L, int index);
/// The names of the fields of the object at `index`, those of tensors too.
std::vector<std::string> object_fields(lua_State* L, int index);
/// Pushes a table of all classes of objects: their name -> the table of their methods (empty where it has none).
void push_classes(lua_State* L);

}  // namespace luth::lang
