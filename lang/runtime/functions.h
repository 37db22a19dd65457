// Functions written by hand: how they enter a table, and the help texts of all values and names.
#pragma once
#include <functional>
#include <initializer_list>
#include <lua5.4/lua.hpp>
#include <span>
#include <string>

namespace luth::lang {

/// A function with its help. `f` is guarded. `signature` shows a call, `brief` describes the function.
struct Row {
  const char* name;
  lua_CFunction f;
  const char* signature;  // "save(value, path)"
  const char* brief;
};
/// Adds the functions to the table at `table`, with their help. They are late names, unless it has a metatable without
/// such or is that of globals; so set no other metatable afterwards. The rows live as long as the program. Where
/// several rows have a name, the first holds.
void add_functions(lua_State* L, int table, std::span<const Row> rows);
/// The same for functions that are written in Lua: those of the same names in a module of luth's library, which is
/// required at the first call. `f` of the rows is null, and `module` lives as long as the program.
void add_library(lua_State* L, int table, const char* module, std::span<const Row> rows);
/// Completes the metatable that open_box has left on the stack, and pops it. `events` are its metamethods. `index`
/// becomes __index: its upvalue 1 is the table of methods (push_method).
void finish_class(lua_State* L, std::span<const Row> methods, lua_CFunction index,
                  std::initializer_list<luaL_Reg> events);
/// For an __index of finish_class: pushes the method that argument 2 names. Pushes nothing and returns false where
/// there is none.
bool push_method(lua_State* L);
/// Pushes a class: a table whose call is `construct`, which gets `description` as upvalue 1 and the table as
/// argument 1.
void push_constructor(lua_State* L, const void* description, lua_CFunction construct);
/// Gives a value without a row, such as a table, a help text, which lasts as long as the program.
void document(lua_State* L, int index, const char* text);
/// The same with the string at `text`.
void document(lua_State* L, int index, int text);
/// The same, made when it is asked for: text(of).
void document(lua_State* L, int index, std::string (*text)(const void* of), const void* of);

/// Help texts of names without a value: a field ("shape"), a word of recipes. An object of this type at namespace scope
/// adds those that `list` gives, each when help is asked for.
using TakeText = std::function<void(const char* name, const std::string& text)>;
struct NamedTexts {
  explicit NamedTexts(void (*list)(const TakeText& take));
};

/// The help text that the value at `index` was given, "" where there is none. lang/help/help.h knows more.
std::string documented_text(lua_State* L, int index);
/// The help texts of all functions and fields of that name, joined.
std::string named_texts(lua_State* L, const std::string& name);
/// Pushes a table of these, from name to texts.
void push_named_texts(lua_State* L);

}  // namespace luth::lang
