// The line of Lua that is running, for the core (core/tensor/source_mark.h). Includes nothing of luth.
#pragma once
#include <atomic>
#include <cstdint>
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// interp.cpp: the Lua thread that this thread runs; null outside of Lua.
lua_State* running_thread();
/// bridge.cpp: whether a function (lua_getinfo "S") is of luth's own library, whose errors are about what its user
/// gave.
bool is_own_code(const lua_Debug& ar);

/// Counts the functions that were compiled, so that what is known of a place in the code can be told to be old.
/// lang/runtime/memory.cpp counts.
extern std::atomic<uint32_t> code_generation;

/// Makes the marks; tests first whether the interpreter's frames look as expected.
void open_sites(lua_State* L);

}  // namespace luth::lang
