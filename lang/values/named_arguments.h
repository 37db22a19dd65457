// Named arguments: the last argument of a call as a table, {dim = 1, keepdim = true}.
#pragma once
#include <cstdint>
#include <lua5.4/lua.hpp>
#include <string>
#include <vector>

namespace luth::lang {

/// The table of named arguments at `index` (0 or nil: none), read name by name. done() throws for a name that was not
/// asked for, and says the nearest one. Messages begin with `function`.
class NamedArguments {
 public:
  NamedArguments(lua_State* L, int index, const char* function);
  /// Pushes the value and returns its index; returns 0 and pushes nothing where it is absent.
  int get(const char* name);
  bool flag(const char* name, bool otherwise);
  double number(const char* name, double otherwise);
  int64_t integer(const char* name, int64_t otherwise);
  void done() const;

 private:
  lua_State* L_;
  int index_;
  const char* function_;
  std::vector<std::string> known_;
};
/// The argument at `index` of a function that takes one flag, by position or in a table of named arguments.
bool flag_at(lua_State* L, int index, const char* function, const char* name, bool otherwise = true);
/// The same, but by position any value counts, by Lua's truth. Without one the flag is true.
bool truth_at(lua_State* L, int index, const char* function, const char* name);
/// Whether the value is a table of named arguments: one with string keys. A sequence and the empty table are not.
bool is_named(lua_State* L, int index);

}  // namespace luth::lang
