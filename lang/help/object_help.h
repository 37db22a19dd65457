// Help on objects: devices, dtypes, streams, events, nodes, optimizers, loaders.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>
#include <vector>

namespace luth::lang {

/// The help text of the object at `index`: its class, its fields, and a line for each method. "" for other values.
std::string object_text(lua_State* L, int index);
/// That of a class by its name, "data.Dataset"; "" where there is none.
std::string class_text(lua_State* L, const std::string& name);
/// The names of the fields of the object at `index`, those of tensors too.
std::vector<std::string> object_fields(lua_State* L, int index);
/// Pushes a table of all classes of objects: name -> table of methods.
void push_classes(lua_State* L);

}  // namespace luth::lang
