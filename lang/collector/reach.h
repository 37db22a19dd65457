// Which userdata Lua values lead to.
#pragma once
#include <functional>
#include <lua5.4/lua.hpp>
#include <unordered_set>

namespace luth::lang {

/// Finds all userdata that values lead to: through tables and their metatables, upvalues, user values, and the stacks
/// of coroutines. Not through the globals and loaded modules, which live anyway. No collection may run meanwhile. Its
/// list of work stays on the stack.
class Reach {
 public:
  /// Calls found() once for each, with the userdata on top of the stack.
  Reach(lua_State* L, std::function<void()> found);
  /// Adds the value on top of the stack, which it pops. run() goes on from all that were added.
  void add();
  void run();

 private:
  void skip_what_lives();
  void from_table();
  void from_function();
  void from_userdata();
  void from_coroutine();

  lua_State* L_;
  std::function<void()> found_;
  std::unordered_set<const void*> seen_;
  int list_;  // stack index of the values that were found and not looked into
  lua_Integer left_ = 0;
};

}  // namespace luth::lang
