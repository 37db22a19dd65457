// Lua values that C++ keeps: hooks, callbacks.
#pragma once
#include <lua5.4/lua.hpp>
#include <memory>

namespace luth::lang {

struct RefTable;  // of one interpreter; outlives it while references do

/// Keeps a Lua value alive. Copies share it. May be destroyed on any thread and after the interpreter: the slot is then
/// given back by the next Ref that is made, or never.
class LuaRef {
 public:
  LuaRef() = default;
  /// The value at `index`.
  LuaRef(lua_State* L, int index);
  /// Pushes the value. `L` is any Lua thread of its interpreter.
  void push(lua_State* L) const;
  /// The Lua thread that is running now, on which a callback may be called; throws where the interpreter is gone.
  lua_State* running() const;
  explicit operator bool() const { return bool(slot_); }

 private:
  std::shared_ptr<RefTable> table_;
  std::shared_ptr<int> slot_;
};

}  // namespace luth::lang
