// The one bridge between C++ exceptions and Lua errors.
//
// luth links Lua's C++ build: a Lua error is a C++ exception of Lua's own type, so destructors run when it passes a C++
// frame. Rules for functions that Lua calls:
//   - it is registered as `guarded<f>`, and throws luth::Error (or luaL_error; both are fine) at any depth;
//   - nothing between Lua and a call back into Lua says `catch (...)`: swallowing Lua's exception crashes later;
//   - a C++ exception never passes a Lua frame: a function that calls Lua (lua_call) was itself called by Lua or by
//     Interp::call.
#pragma once
#include <exception>
#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace luth::lang {

namespace detail {
void note(lua_State* L, const std::exception& e);  // keeps text and code for raise()
[[noreturn]] void raise(lua_State* L,
                        bool with_position = true);  // raises the noted error; with_position: after "file:line: "
}  // namespace detail

/// `F` as a lua_CFunction. An exception becomes a Lua error after all of F's destructors have run: a string that begins
/// with the position of the nearest Lua code (push_where). luth::Error keeps its ErrorCode (error_code), std::bad_alloc
/// becomes "not enough memory" with ErrorCode::memory. Lua's own errors pass untouched.
template <lua_CFunction F>
int guarded(lua_State* L) {
  try {
    return F(L);
  } catch (const std::exception& e) { detail::note(L, e); }
  detail::raise(L);
}

/// Raises a Lua error with a code, for instance an interrupt. `with_position`: after the position of the nearest Lua
/// code.
[[noreturn]] void raise(lua_State* L, ErrorCode code, std::string_view text, bool with_position = true);

/// The code of an error message that nothing caught: that of the last bridged error if the message contains its text,
/// ErrorCode::memory for Lua's own "not enough memory", else ErrorCode::runtime.
ErrorCode error_code(lua_State* L, std::string_view text);

/// Pushes the position "file:line: " of the nearest Lua code that is running, "" where there is none. luth's own
/// library does not count, because an error there is about its caller's arguments.
void push_where(lua_State* L);

/// Whether a function (lua_getinfo "S") is of luth's own library (the folder luth in share_dir()).
bool is_own_code(const lua_Debug& ar);

/// Sets the function whose text is appended to an error of C++: where it arose, ", in module net.fc1". The error must
/// not say so already (Error::located); "" adds nothing.
void set_error_location(std::string (*location)());

}  // namespace luth::lang
