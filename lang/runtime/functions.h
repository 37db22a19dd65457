// Functions written by hand: how they enter a table, and the help texts of all values and names.
#pragma once
#include <lua5.4/lua.hpp>
#include <span>
#include <string>

namespace luth::lang {

/// A function and its help: its name, the function (guarded), how it is called, what it does.
struct Row {
  const char* name;
  lua_CFunction f;
  const char* signature;  // "save(value, path)"
  const char* brief;
};
/// Sets the functions in the table at `table` and remembers their help. The rows live as long as the program.
void add_functions(lua_State* L, int table, std::span<const Row> rows);
/// The same for functions that are written in Lua: those of the same names in a module of luth's library, which is
/// required at the first call. `f` of the rows is null.
void add_library(lua_State* L, int table, const char* module, std::span<const Row> rows);
/// Gives a value without a row, such as a table, a help text.
void document(lua_State* L, int index, const char* text);
/// Adds a help text for a name without a value: a field ("shape"), a word of recipes.
void document_name(lua_State* L, const char* name, const char* text);

/// The help text that the value at `index` was given, "" where there is none. lang/help/help.h knows more.
std::string documented_text(lua_State* L, int index);
/// The help texts of all functions and fields of that name, joined.
std::string named_texts(lua_State* L, const std::string& name);
/// Pushes the table of these, from name to texts; nil where there is none.
void push_named_texts(lua_State* L);

}  // namespace luth::lang
