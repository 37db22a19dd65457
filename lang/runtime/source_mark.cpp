// A cache from code addresses to source marks. Every recorded operator takes a mark, and lua_getinfo needs 50 to 150 ns
// to find a line. A frame of Lua 5.4 holds the address of its running instruction at a known offset; looking that up in
// a small table takes 8 ns. open_source_marks tests once whether frames look like that. If not, lua_getinfo answers.
#include "lang/runtime/source_mark.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/tensor/source_mark.h"
#include "lang/runtime/allocator.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/state.h"

namespace luth::lang {

namespace {

// The head of Lua 5.4's CallInfo.
struct CallInfo {
  void *func, *top;
  CallInfo *previous, *next;
  const void* code;  // of a Lua function: the address of its running instruction
  int trap, more_arguments;
  void* of_c;
  int u2;
  short results;
  unsigned short status;
};
constexpr unsigned short is_c = 2;

std::atomic<bool> frames_known{false};

// Null for a C function.
const void* running_code(const lua_Debug& ar) {
  auto* frame = reinterpret_cast<const CallInfo*>(ar.i_ci);
  return frame->status & is_c ? nullptr : frame->code;
}

struct LineTable {
  static constexpr size_t most = 1 << 16;
  std::mutex lock;
  std::unordered_map<std::string, uint32_t> marks;
  std::vector<std::string> texts;
};
LineTable& lines() {
  static auto* s = new LineTable;  // outlives the last tensor
  return *s;
}

// The mark of the line of a Lua function; 0 for luth's own library, and when there are too many.
uint32_t mark_of(lua_State* L, lua_Debug& ar) {
  if (!lua_getinfo(L, "Sl", &ar) || ar.currentline <= 0 || is_own_code(ar)) return 0;
  std::string text = std::string(ar.short_src) + ":" + std::to_string(ar.currentline);
  LineTable& s = lines();
  std::lock_guard hold(s.lock);
  if (auto it = s.marks.find(text); it != s.marks.end()) return it->second;
  if (s.texts.size() == LineTable::most) return 0;
  s.texts.push_back(text);
  return s.marks[text] = uint32_t(s.texts.size());
}
std::string text_of(uint32_t mark) {
  LineTable& s = lines();
  std::lock_guard hold(s.lock);
  return mark && mark <= s.texts.size() ? s.texts[mark - 1] : "";
}

struct CachedMark {
  const void* code;
  uint32_t generation, mark;
};
constexpr size_t cache_size = 512;
constinit thread_local CachedMark cached_marks[cache_size] = {};

// That of the line that a known frame of a Lua function runs.
uint32_t cached_mark(lua_State* L, lua_Debug& ar, const void* code) {
  CachedMark& s =
      cached_marks[(reinterpret_cast<uintptr_t>(code) >> 2 ^ reinterpret_cast<uintptr_t>(code) >> 12) % cache_size];
  const uint32_t now = code_generation.load(std::memory_order_relaxed);
  if (s.code != code || s.generation != now) s = {code, now, mark_of(L, ar)};
  return s.mark;
}

// The innermost line that is neither luth's own library nor a C function. Known frames are followed one by one, since
// lua_getstack counts to a level from the top each time.
uint32_t mark_line() {
  lua_State* L = running_thread();
  lua_Debug ar;
  if (!L) return 0;
  if (!frames_known.load(std::memory_order_relaxed)) {
    for (int level = 0; lua_getstack(L, level, &ar); ++level)
      if (const uint32_t mark = mark_of(L, ar)) return mark;
    return 0;
  }
  if (!lua_getstack(L, 0, &ar)) return 0;
  for (auto* frame = reinterpret_cast<CallInfo*>(ar.i_ci); frame->previous; frame = frame->previous) {
    ar.i_ci = reinterpret_cast<::CallInfo*>(frame);
    const void* code = running_code(ar);
    if (const uint32_t mark = code ? cached_mark(L, ar, code) : 0) return mark;
  }
  return 0;
}

// ---- The test of the frames -----------------------------------------------------------------------------------------

// probe(): notes what the frames of its call look like.
struct Probe {
  bool c_frame, lua_frame, behind;  // behind: the frame of the caller is the one before
  const void* code;
};
std::vector<Probe>& probes() {
  static std::vector<Probe> list;
  return list;
}
int probe(lua_State* L) {
  lua_Debug own, caller;
  if (!lua_getstack(L, 0, &own) || !lua_getstack(L, 1, &caller)) return 0;
  auto* before = reinterpret_cast<::CallInfo*>(reinterpret_cast<CallInfo*>(own.i_ci)->previous);
  probes().push_back(
      {!running_code(own), running_code(caller) != nullptr, before == caller.i_ci, running_code(caller)});
  return 0;
}

bool frames_as_expected(lua_State* L) {
  if (sizeof(void*) != 8 || lua_version(L) != 504) return false;
  const uint32_t before = code_generation;
  if (luaL_loadstring(L, "local f = ... for _ = 1, 2 do f() f() end") != LUA_OK) return lua_pop(L, 1), false;
  const bool counted = code_generation != before;
  lua_pushcfunction(L, probe);
  lua_call(L, 1, 0);
  std::vector<Probe> p = std::move(probes());
  probes().clear();
  if (!counted || p.size() != 4) return false;
  for (auto& one : p)
    if (!one.c_frame || !one.lua_frame || !one.behind) return false;
  return p[0].code == p[2].code && p[1].code == p[3].code && p[0].code < p[1].code;
}

}  // namespace

void open_source_marks(lua_State* L) {
  static const bool known = frames_as_expected(L);
  frames_known = known;
  set_source_mark_hooks(mark_line, text_of);
}

}  // namespace luth::lang
