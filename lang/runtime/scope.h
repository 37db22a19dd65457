// Scopes: settings that hold for a block, `local _ <close> = torch.no_grad()`. The userdata restores the setting when
// it is closed, and warns when it is collected open.
#pragma once
#include <cstdio>

#include "core/base/warn.h"
#include "lang/runtime/box.h"
#include "lang/runtime/bridge.h"

namespace luth::lang {

/// `Restore` is a plain struct; its call restores the setting. The texts live as long as the program.
template <class Restore>
struct Scope {
  Restore restore{};
  bool open = false;             // the setting was changed and not restored yet
  const char* what = "";         // "a grad mode"
  const char* advice = nullptr;  // "torch.no_grad()": the call that the warning advises; null: no warning
  char line[96] = {};            // where it was opened
};

/// Pushes a scope. Its caller sets `restore` and `open`, once the change is made.
template <class Restore>
Scope<Restore>& push_scope(lua_State* L, const char* what, const char* advice) {
  Scope<Restore> s{{}, false, what, advice, {}};
  push_where(L);
  std::snprintf(s.line, sizeof s.line, "%s", lua_tostring(L, -1));
  return push_box(L, s);
}

template <class Restore>
int close_scope(lua_State* L) {
  auto* s = to_box<Scope<Restore>>(L, 1);
  if (s && s->open) s->open = false, s->restore();
  return 0;
}
template <class Restore>
int collect_scope(lua_State* L) {
  auto* s = to_box<Scope<Restore>>(L, 1);
  if (s && s->open && s->advice)
    warn_at(s->line, std::string(s->what) + " scope was opened and never closed; write local _ <close> = " + s->advice);
  return 0;
}

/// Makes the type known as `name`. Scopes have a method close().
template <class Restore>
void open_scopes(lua_State* L, const char* name) {
  open_box<Scope<Restore>>(L, name);
  lua_pushcfunction(L, guarded<close_scope<Restore>>);
  lua_setfield(L, -2, "__close");
  lua_pushcfunction(L, collect_scope<Restore>);
  lua_setfield(L, -2, "__gc");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, guarded<close_scope<Restore>>);
  lua_setfield(L, -2, "close");
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

}  // namespace luth::lang
