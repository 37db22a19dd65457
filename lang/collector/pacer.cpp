// The policy, chosen by measuring (tests/bench/collector.lua):
//   - Generational mode: the cost of a minor collection depends on young objects alone (0.2 us for none), so a
//     million tables cost nothing, and a loop of small additions reuses memory that is still in the cache.
//   - A minor collection after every 128 tensors or 8 MB handed to Lua. Its overhead beyond freeing those tensors (for
//     a large table that changes, for instance) may take a quarter of the time. Until then it is postponed, to 4 times
//     those amounts at most.
//   - An early one after 512 KB, of two tensors or a small one, so that results take turns in a few blocks, which stay
//   in the cache. Its overhead may
//     take an eighth of the time, about what it gains. Until then it is postponed, to twice those bytes, and so on; the
//     same where much of what is new is in use, because what survives two minor collections is old.
//   - A minor collection does not see old objects. So a full one runs when tensors take more than twice the memory that
//     survived the last full one: more than 256 MB, or old ones alone where a full one takes next to no time; and when
//     there are many graph roots. Its time does not count as a minor one's. collectgarbage() and this one see cycles
//     through hooks of tensors (lang/collector/cycle_collector.h).
//   - An allocation that fails collects fully and is tried once more (core/tensor/storage.cpp).
#include "lang/collector/pacer.h"

#include <malloc.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/error_context.h"
#include "core/base/per_thread.h"
#include "core/device/device.h"
#include "lang/collector/cycle_collector.h"
#include "lang/collector/pressure.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/state.h"

namespace luth::lang {

constinit thread_local Pacer pacer;

namespace {

constexpr size_t tensors_between = 128, bytes_between = size_t(8) << 20;
constexpr size_t early_tensors = 2, early_bytes = size_t(512) << 10;
constexpr size_t early_alone = size_t(1) << 20;  // a single tensor up to here: it and the next are in a cache
constexpr int64_t to_free = 400;                 // nanoseconds to free a tensor, generously
// bytes below which no full collection runs; below which none runs that takes its time
constexpr int64_t least = int64_t(8) << 20, much = int64_t(256) << 20;
constexpr int share = 4;        // the collector gets at most 1/share of the time beyond that
constexpr int early_share = 8;  // and early collections at most this
constexpr int cheap = 32;       // next to no time: at most 1/cheap of it
constexpr size_t patience = 4;  // and runs after that many times the usual amounts in any case

// Collections of one kind, in nanoseconds of computed_time().
struct Collections {
  int64_t end = 0, last_overhead = 0, overhead = 0;  // overhead: the smaller of the last two

  /// Whether at most 1/part of the time goes to them, if the next one begins at `now`.
  bool take_at_most(int part, int64_t now) const { return now - end >= part * overhead; }
  void ended(int64_t begin, size_t tensors) {
    end = computed_time();
    const int64_t beyond = std::max<int64_t>(0, end - begin - int64_t(tensors) * to_free);
    overhead = std::min(beyond, std::exchange(last_overhead, beyond));
  }
};

thread_local Collections minor, full;
thread_local int64_t full_at = least;
thread_local size_t since_full = 0;  // tensors
thread_local size_t early = early_bytes;
thread_local lua_State* of_thread = nullptr;
constinit thread_local PerThread<std::vector<Tensor>> kept;

int64_t allocated() {
  int64_t n = 0;
  for (Device* d : open_devices()) n += d->memory().allocated;
  return n;
}

void begin_again() { pacer = {0, 0, tensors_between, early}; }
void wait_for(size_t tensors, size_t bytes) { pacer.tensors_due = tensors, pacer.bytes_due = bytes; }

void collected_fully() {
  begin_again();
  full_at = std::max(least, 2 * allocated());
}

bool full_is_due(lua_State* L, int64_t now) {
  if (full_collection_due(L, pacer.tensors)) return true;
  const int64_t bytes = allocated(), old = bytes - int64_t(pacer.bytes);
  return bytes > std::max(much, full_at) || (old > full_at && full.take_at_most(cheap, now));
}

// A minor collection, and when the next early one is due: later where much of what was new is in use.
void step(lua_State* L) {
  const int64_t before = allocated(), fresh = int64_t(pacer.bytes);
  lua_gc(L, LUA_GCSTEP, 0);
  const bool in_use = before - allocated() < fresh / 2;
  early = in_use ? std::min(2 * early, bytes_between) : std::max(early_bytes, early - early / 8);
}

void collect_fully(lua_State* L, int64_t begin) {
  collect_all(L);
  collected_fully();
  full.ended(begin, std::exchange(since_full, 0));
  minor.end = full.end;
}

void relieve() {
  if (!of_thread) return;
  auto* running = StateData::of(of_thread).running.load();
  lua_gc(running ? running->L : of_thread, LUA_GCCOLLECT);  // may be deep in an operator: no more than that
  collected_fully();
}

// The hook outlives no state.
int closing(lua_State* L) {
  forget_pressure(L);
  return 0;
}

// collectgarbage: Lua's own is upvalue 1.
int collect_garbage(lua_State* L) {
  if (lua_isnoneornil(L, 1) || std::string_view(luaL_checkstring(L, 1)) == "collect") {
    if (!collect_all(L)) return lua_pushnil(L), 1;
    return collected_fully(), lua_pushinteger(L, 0), 1;
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

}  // namespace

void keep_for_operator(const Tensor& t) { kept->push_back(t); }

void detail::collect_young(lua_State* L) {
  if (running_name().empty()) kept->clear();
  if (!lua_gc(L, LUA_GCISRUNNING)) return;  // it stays due
  const bool due = pacer.tensors >= tensors_between || pacer.bytes >= bytes_between;
  if (!due && pacer.tensors < early_tensors && pacer.bytes > early_alone) return wait_for(early_tensors, bytes_between);
  const int64_t begin = computed_time();
  if (!due && !minor.take_at_most(early_share, begin))
    return wait_for(std::min(tensors_between, 2 * pacer.tensors), std::min(bytes_between, 2 * pacer.bytes));
  const bool urgent = pacer.tensors >= patience * tensors_between || pacer.bytes >= patience * bytes_between;
  if (!urgent && !minor.take_at_most(share, begin))
    return wait_for(pacer.tensors + tensors_between, pacer.bytes + bytes_between);
  const size_t tensors = pacer.tensors;
  since_full += tensors;
  if (full_is_due(L, begin)) return collect_fully(L, begin);
  step(L);
  begin_again();
  minor.ended(begin, tensors);
}

void note_object(lua_State* L, size_t tensors) {
  static thread_local size_t before = 0;
  const auto heap = mallinfo2();
  const size_t now = heap.uordblks + heap.hblkhd;
  pacer.bytes += (now > before ? now - before : 0) + tensors;
  before = now;
  if (pacer.bytes >= pacer.bytes_due) detail::collect_young(L);
}

void forget_pressure(lua_State* L) {
  if (of_thread == L) of_thread = nullptr;
}

void open_pacer(lua_State* L) {
  lua_gc(L, LUA_GCGEN, 0, 0);
  if (!of_thread) of_thread = L;
  set_memory_pressure_hook(relieve);
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, closing);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, "luth.memory");
  lua_getglobal(L, "collectgarbage");
  lua_pushcclosure(L, guarded<collect_garbage>, 1);
  lua_setglobal(L, "collectgarbage");
}

}  // namespace luth::lang
