#include "lang/collector/cycle_collector.h"

#include <time.h>

#include <algorithm>
#include <vector>

#include "lang/collector/trial_deletion.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

enum class Outcome { cannot, none, some };  // inside of a finalizer; whether roots were freed

// The roots of owners that only Lua leads to become values of the userdata that lead there, Lua collects, and survivors
// become roots again.
Outcome collect_roots(lua_State* L) {
  luaL_checkstack(L, 16, nullptr);
  const CollectorStop stop(L);
  drop_dead_roots(L);
  std::vector<std::weak_ptr<GraphRoot>> loosened;
  push_weak(L, "k");  // userdata -> what lives as long as it does
  {
    TrialDeletion graph;  // without roots that others than their owners hold: functions that run now
    for (auto& weak : graph_roots(L).list)
      if (GraphRootRef root = weak.lock(); root && root->owner && root.use_count() == 2) graph.add(root);
    graph.find(L);
    for (auto& root : graph.attach(L, lua_gettop(L) - 1)) {
      root->value.set_rooted(L, false);
      loosened.push_back(root);
    }
  }
  const bool done = loosened.empty() || lua_gc(L, LUA_GCCOLLECT) == 0;
  bool freed = false;
  for (auto& weak : loosened)
    if (GraphRootRef root = weak.lock())
      root->value.set_rooted(L, true);
    else
      freed = true;
  lua_pop(L, 1);
  return !done ? Outcome::cannot : freed ? Outcome::some : Outcome::none;
}

}  // namespace

int64_t computed_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

// What one pass frees no longer refers to others in the next.
bool collect_all(lua_State* L) {
  constexpr int most_passes = 8;
  const int64_t begin = computed_time();
  drop_dead_roots(L);
  if (lua_gc(L, LUA_GCCOLLECT) != 0) return false;
  GraphRoots& roots = graph_roots(L);
  roots.erase_dead();
  const size_t before = roots.list.size();
  for (int pass = 0; pass < most_passes && !roots.list.empty(); ++pass) {
    const Outcome outcome = collect_roots(L);
    if (outcome == Outcome::cannot) return false;
    roots.erase_dead();
    if (outcome == Outcome::none) break;
  }
  const size_t left = roots.list.size(), kb = size_t(lua_gc(L, LUA_GCCOUNT));
  const GraphRoots::Due least;
  roots.survivors = left;
  roots.tensors = 0;
  const bool paid = before > left + left / 8;  // else most of them are in use, as in a long chain of Functions
  roots.due.roots = std::max({least.roots, (paid ? 2 : 4) * left, kb});
  roots.due.kb = std::max(least.kb, 2 * kb);
  roots.due.tensors = before > 2 * left ? least.tensors : std::min(64 * least.tensors, 2 * roots.due.tensors);
  const int64_t now = computed_time();
  roots.rest_until = now + (paid ? 2 : 8) * (now - begin);
  return true;
}

bool full_collection_due(lua_State* L, size_t tensors) {
  GraphRoots& roots = graph_roots(L);
  const size_t kb = size_t(lua_gc(L, LUA_GCCOUNT));
  roots.tensors += tensors;
  const auto over = [&](size_t times) {
    return roots.list.size() >= times * roots.due.roots || kb >= times * roots.due.kb ||
           roots.tensors >= times * roots.due.tensors;
  };
  if (!over(1) || (computed_time() < roots.rest_until && !over(2))) return false;
  roots.erase_dead();
  constexpr size_t some = 16;
  if (roots.list.size() > roots.survivors + std::max(some, roots.survivors / 8)) return true;
  if (kb >= roots.due.kb) roots.due.kb = 2 * kb;
  roots.tensors = 0;
  return false;
}

}  // namespace luth::lang
