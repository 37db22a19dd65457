// Functions of luth.native about processes and names, for luth bench and luth train --sweep.
#pragma once
#include "lang/runtime/functions.h"

namespace luth::lang {

/// run(words): starts a program and waits for it. Returns seconds, peak of its memory in bytes, and its exit code, or
/// 128 and the number of the signal that ended it.
int run_process(lua_State* L);
/// start(words, path): starts a program whose output goes to the end of a file. Returns its number. It ends with this
/// process, and has a process group of its own, so that Ctrl-C comes by this process.
int start_process(lua_State* L);
/// wait(numbers, seconds): the number of a started process that has ended, and its exit code as run() gives it, -1
/// where it is not known; nil where none has within the time, or where this process is asked to end.
int wait_process(lua_State* L);
/// signal(number, signal): sends a signal to a started process and to what that has started.
int signal_process(lua_State* L);
/// program(): the path of this program.
int program_path(lua_State* L);
/// counted(f, x): f(x) within the function luth_counted_call.
int counted_call(lua_State* L);
/// counted_all(): ends what counted() adds up.
int counted_all(lua_State* L);
/// compiler(): "GCC 12", what this program was compiled with.
int compiler_name(lua_State* L);
/// process(): the number of this process.
int process_number(lua_State* L);
/// matching(names, pattern): the names in which the regular expression (ECMAScript's) is found, in order;
/// ErrorCode::usage where it is none.
int matching_names(lua_State* L);

}  // namespace luth::lang
