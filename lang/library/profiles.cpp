#include "lang/library/profiles.h"

#include "core/autograd/saved.h"
#include "core/tensor/profiler.h"
#include "core/tensor/source_mark.h"

namespace luth::lang {
namespace {

constexpr const char* kinds[] = {"op", "node", "range", "module"};

void set_text(lua_State* L, const char* name, std::string_view text) {
  if (text.empty()) return;
  lua_pushlstring(L, text.data(), text.size());
  lua_setfield(L, -2, name);
}
void set_number(lua_State* L, const char* name, double value) { lua_pushnumber(L, value), lua_setfield(L, -2, name); }
void set_integer(lua_State* L, const char* name, int64_t value) {
  lua_pushinteger(L, value), lua_setfield(L, -2, name);
}

void push_event(lua_State* L, const ProfileEvent& e, int64_t origin) {
  lua_createtable(L, 0, 10);
  set_text(L, "kind", kinds[int(e.kind)]);
  set_text(L, "name", e.name);
  set_text(L, "shapes", e.shapes);
  const std::string line = at_source_mark(e.mark);
  set_text(L, "line", line.empty() ? line : line.substr(4));
  set_number(L, "began", double(e.began - origin) / 1000);
  set_number(L, "ended", double(e.ended - origin) / 1000);
  if (e.device > 0) set_number(L, "device", e.device * 1000);
  if (e.memory) set_integer(L, "memory", e.memory);
  if (e.parent >= 0) set_integer(L, "parent", e.parent + 1);
  set_integer(L, "sequence", int64_t(e.sequence));
  set_integer(L, "sequence_end", int64_t(e.sequence_end));
}

}  // namespace

int profile_start(lua_State* L) {
  const auto flag = [&](int i) { return bool(lua_toboolean(L, i)); };
  set_profiling(true).start({.shapes = flag(1), .memory = flag(2), .device = flag(3)});
  return 0;
}

int profile_stop(lua_State* L) {
  const std::vector<ProfileEvent> events = set_profiling(false).stop();
  lua_createtable(L, int(events.size()), 0);
  for (size_t i = 0; i < events.size(); ++i) {
    push_event(L, events[i], events[0].began);
    lua_rawseti(L, -2, lua_Integer(i + 1));
  }
  return 1;
}

int profile_begin(lua_State* L) {
  Profiler* p = profiling();
  if (!p) return 0;
  const bool module = lua_isstring(L, 2) && std::string_view(lua_tostring(L, 2)) == "module";
  const auto kind = module ? ProfileEvent::Kind::module : ProfileEvent::Kind::range;
  // the run goes with the number: one of an earlier profile ends nothing
  const int64_t number = p->begin(kind, luaL_checkstring(L, 1), next_sequence(), &default_device());
  return lua_pushinteger(L, int64_t(p->run()) << 32 | number), 1;
}

int profile_end(lua_State* L) {
  const int64_t number = luaL_checkinteger(L, 1);
  if (Profiler* p = profiling()) p->end(int(number & INT32_MAX), int(number >> 32), next_sequence());
  return 0;
}

}  // namespace luth::lang
