// A lua_State on luth's allocator, and what luth keeps for each.
#pragma once
#include <atomic>
#include <lua5.4/lua.hpp>
#include <string>

#include "core/base/error.h"
#include "lang/runtime/allocator.h"

namespace luth::lang {

/// The last error of C++ that became a Lua error.
struct LastError {
  std::string text;  // empty: none yet
  ErrorCode code = ErrorCode::runtime;
};

/// A list of the Lua threads that are running now, innermost first: an interrupt sets its hook in each.
struct RunningThreads {
  lua_State* L;
  RunningThreads* below;
};

/// luth's data of a lua_State and all its Lua threads.
struct StateData {
  LastError last_error;
  std::atomic<RunningThreads*> running{nullptr};  // read by the signal handler on this same thread

  /// That of any of its Lua threads: one load, so cheap enough for every call.
  static StateData& of(lua_State* L) { return **static_cast<StateData**>(lua_getextraspace(L)); }
};

/// Marks a Lua thread as running for the life of the object.
class RunningScope {
 public:
  explicit RunningScope(lua_State* L);
  ~RunningScope();
  RunningScope(const RunningScope&) = delete;
  RunningScope& operator=(const RunningScope&) = delete;

 private:
  StateData& data_;
  RunningThreads entry_;
  lua_State* before_;  // what this thread ran, of any state
};
/// The Lua thread that this thread runs; null outside of Lua.
lua_State* running_thread();

/// A new state as luaL_newstate makes one, on `allocator` and with `data`, which both outlive it; null where there is
/// no memory.
lua_State* new_state(Allocator& allocator, StateData& data);

}  // namespace luth::lang
