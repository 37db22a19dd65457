// Completion of names at the prompt: fields of tables, methods and fields of objects, globals, words of Lua.
#pragma once
#include <functional>
#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace luth::lang {

/// Pushes the value of a local variable of the session, or returns false.
using PushVariable = std::function<bool(lua_State*, const std::string&)>;

/// The completions of the last name of a text: whole names, sorted, whose first `typed` bytes the text has already.
struct Completion {
  std::vector<std::string> names;
  std::vector<std::string> shown;  // what a list shows for each name; empty: the names
  std::vector<std::string> notes;  // what is said above the list
  size_t typed = 0;
};
/// Adds the files and folders that continue a path.
void add_files(const std::string& typed, std::vector<std::string>& names);
/// Reads tables by raw access, so that no metamethod is called. May raise Lua errors (memory).
Completion complete(lua_State* L, std::string_view line, const std::vector<std::string>& variables,
                    const PushVariable& push_variable);

}  // namespace luth::lang
