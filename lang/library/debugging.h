// What the debugger of share/luth/prompt needs beside Lua's debug library, which knows one thread of Lua at a time.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// hook_lines(f): calls f(line) before each line, in whatever coroutine; hook_lines(nil) ends that. debug.getinfo(2)
/// within f is the function that has the line.
int hook_lines(lua_State* L);
/// running(): the Lua threads that run, or wait for one that they have resumed, the innermost first.
int running_threads(lua_State* L);

}  // namespace luth::lang
