// The parts of luaL_newstate besides the state: a message before a panic ends the process, and warn().
#include "lang/runtime/state.h"

#include <cstdio>
#include <cstring>

namespace luth::lang {
namespace {

void warnings_on(void* L, const char* text, int more);
void warnings_off(void* L, const char* text, int more);

// warn('@on') and warn('@off').
bool is_control(void* state, const char* text, int more) {
  if (more || text[0] != '@') return false;
  auto* L = static_cast<lua_State*>(state);
  if (std::strcmp(text, "@on") == 0) lua_setwarnf(L, warnings_on, L);
  if (std::strcmp(text, "@off") == 0) lua_setwarnf(L, warnings_off, L);
  return true;
}
void warnings_off(void* L, const char* text, int more) { is_control(L, text, more); }

// A piece of a message; the last one ends the line.
void more_of_warning(void* L, const char* text, int more) {
  std::fprintf(stderr, more ? "%s" : "%s\n", text);
  lua_setwarnf(static_cast<lua_State*>(L), more ? more_of_warning : warnings_on, L);
}
void warnings_on(void* L, const char* text, int more) {
  if (is_control(L, text, more)) return;
  std::fputs("Lua warning: ", stderr);
  more_of_warning(L, text, more);
}

int panic(lua_State* L) {
  const char* text = lua_tostring(L, -1);
  std::fprintf(stderr, "PANIC: unprotected error in call to Lua API (%s)\n", text ? text : "no message");
  return 0;  // Lua aborts
}

thread_local lua_State* running_here = nullptr;  // the Lua thread that this thread runs

}  // namespace

lua_State* running_thread() { return running_here; }

RunningScope::RunningScope(lua_State* L) : data_(StateData::of(L)), entry_{L, data_.running}, before_(running_here) {
  data_.running = &entry_;
  running_here = L;
}

RunningScope::~RunningScope() {
  data_.running = entry_.below;
  running_here = before_;
}

lua_State* new_state(Allocator& allocator, StateData& data) {
  lua_State* L = lua_newstate(Allocator::reallocate, &allocator);
  if (!L) return nullptr;
  *static_cast<StateData**>(lua_getextraspace(L)) = &data;
  lua_atpanic(L, panic);
  lua_setwarnf(L, warnings_off, L);
  return L;
}

}  // namespace luth::lang
