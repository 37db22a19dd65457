// Described settings read from the arguments of a Lua call: modules, optimizers, schedules.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/tensor/describe.h"
#include "lang/values/values.h"

namespace luth::lang {

using Describe = std::function<void(Fields&)>;

/// Gives the settings of `describe` the arguments from `first` to the top of the stack: by position, then by name in a
/// trailing table. Positions that the language counts from 1 become those of C++; bases become 1. Throws, with
/// `function` in the text, for what is unknown, given twice, of a wrong kind, or required and missing.
/// `others` are names in the table that somebody else reads.
void read_settings(lua_State* L, int first, const std::string& function, const Describe& describe,
                   const std::vector<std::string>& others = {});
/// The same from a table alone, which may lack everything (parameter groups).
void read_named_settings(lua_State* L, int table, const std::string& function, const Describe& describe,
                         const std::vector<std::string>& others = {});
/// Pushes the setting of that name as Lua has it; false (and nothing pushed) when there is none.
bool push_setting(lua_State* L, const Describe& describe, std::string_view name);
/// Sets one from the value at `index`; false when there is none of that name.
bool set_setting(lua_State* L, int index, const std::string& owner, const Describe& describe, std::string_view name);

/// A help text: "nn.Linear(in_features, out_features, {bias = true, …})" and a line per setting.
std::string settings_help(const std::string& function, const std::string& brief, const Describe& describe);

}  // namespace luth::lang
