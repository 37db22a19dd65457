// Settings of modules, optimizers and schedules, read from the arguments of a Lua call by their description.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/tensor/describe.h"
#include "lang/values/values.h"

namespace luth::lang {

using Describe = std::function<void(Fields&)>;

/// Reads the settings of `describe` from the arguments from `first` to the top of the stack: by position, then by name
/// in a trailing table. Dims and indices counted from 1 become those of C++; bases become 1. Throws, with `function` in
/// the text, for an argument that is unknown, given twice, of a wrong kind, or required and missing. `others` are names
/// in the table that the caller reads.
void read_settings(lua_State* L, int first, const std::string& function, const Describe& describe,
                   const std::vector<std::string>& others = {});
/// The same from a table alone, in which every setting may be missing: that of a parameter group.
void read_named_settings(lua_State* L, int table, const std::string& function, const Describe& describe,
                         const std::vector<std::string>& others = {});
/// Pushes the setting of that name as a Lua value; returns false and pushes nothing where there is none.
bool push_setting(lua_State* L, const Describe& describe, std::string_view name);
/// Sets the setting of that name from the value at `index`; returns false where there is none.
bool set_setting(lua_State* L, int index, const std::string& owner, const Describe& describe, std::string_view name);

/// Sets each of `fields` in the table on top of the stack.
void set_fields(lua_State* L, const std::vector<FieldDoc>& fields);

/// A help text: "nn.Linear(in_features, out_features, {bias = true, …})" and a line per setting. `first`: the arguments
/// before the settings, such as "optimizer".
std::string settings_help(const std::string& function, const std::string& brief, const Describe& describe,
                          const std::string& first = "");

}  // namespace luth::lang
