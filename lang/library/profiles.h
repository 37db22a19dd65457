// Functions of luth.native for torch.profiler.
#pragma once
#include "lang/runtime/functions.h"

namespace luth::lang {

/// profile_start(shapes, memory, device): turns the profiler of this thread on.
int profile_start(lua_State* L);
/// profile_stop(): turns it off. A list of events in order of their beginning: {kind =, name =, began =, ended =
/// (microseconds from the first one), memory = (bytes), device = (microseconds), parent = (number of the event), line
/// =, sequence =, sequence_end =, shapes =}.
int profile_stop(lua_State* L);
/// profile_begin(name, kind): the number of a range, "range" or "module"; nil while the profiler is off.
int profile_begin(lua_State* L);
/// profile_end(number): ends it, and what is open within it.
int profile_end(lua_State* L);

}  // namespace luth::lang
