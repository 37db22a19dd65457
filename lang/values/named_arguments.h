// Named arguments: the table in last place of a call, {dim = 1, keepdim = true}.
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
  /// Pushes the value and returns its index, or 0 (and pushes nothing) when it is absent.
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
/// True for a table with string keys: named arguments. A sequence and the empty table are values.
bool is_named(lua_State* L, int index);

}  // namespace luth::lang
