// Functions of luth.native about processes and names, for luth bench.
#pragma once
#include "lang/runtime/functions.h"

namespace luth::lang {

/// run(words): starts a program and waits for it. Returns seconds, peak of its memory in bytes, and its exit code, or
/// 128 and the number of the signal that ended it.
int run_process(lua_State* L);
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
