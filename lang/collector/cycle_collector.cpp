#include "lang/collector/cycle_collector.h"

#include <time.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "lang/collector/trial_deletion.h"
#include "lang/runtime/box.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

// In a function, because it is filled before main, in any order of files.
std::vector<void (*)(lua_State*, const HeldTensorVisitor&)>& held_tensors() {
  static std::vector<void (*)(lua_State*, const HeldTensorVisitor&)> list;
  return list;
}
void each_held_tensor(lua_State* L, const HeldTensorVisitor& visit) {
  for (auto* each : held_tensors()) each(L, visit);
}

// Pushes the userdata of a tensor. Returns null and pushes nothing where it was collected.
const Tensor* push_holder(lua_State* L, const WeakRef& holder) {
  holder.push(L);
  if (const Tensor* t = to_box<Tensor>(L, -1); t && *t) return t;
  return lua_pop(L, 1), nullptr;
}

// The holders of a leaf that Lua knows.
struct LeafHolders {
  std::set<const void*> userdata;
  size_t objects = 0;
  std::vector<GraphRootRef> hooks;
  bool all(const TensorImpl* t) const { return t->use_count() == userdata.size() + objects; }
};

// One pass: roots with known holders become values of these holders, Lua collects, survivors become roots again.
class Collection {
 public:
  explicit Collection(lua_State* L) : L_(L) {
    luaL_checkstack(L, 16, nullptr);
    push_weak(L, "k");  // holder -> list of the values that live as long as it does
    table_ = lua_gettop(L);
  }
  void add(const GraphRootRef& h) {
    if (h->leaf) return leaves_[h->leaf].hooks.push_back(h);
    graph_.add(h);
  }
  /// Whether roots of nodes with unknown holders are left, and whether the pass freed a value that may hold them.
  bool remaining() const { return remaining_; }
  bool freed() const { return freed_; }
  bool run() {
    graph_.find(L_);
    attached_ = graph_.attach(L_, table_);
    remaining_ = graph_.remaining();
    graph_ = {};
    find_holders();
    for (auto& [leaf, holders] : leaves_)
      for (auto& h : holders.hooks)
        if (holders.all(leaf) && push_holder(L_, h->holders[0])) attach(lua_gettop(L_), h), lua_pop(L_, 1);
    each_held_tensor(L_, [&](int index, const Tensor& t) {
      auto it = t ? leaves_.find(t.impl()) : leaves_.end();
      if (it == leaves_.end() || !it->second.all(t.impl())) return;
      for (auto& h : it->second.hooks) attach(index, h);
    });
    leaves_.clear();
    for (auto& h : attached_) h->value.set_rooted(L_, false);
    std::vector<std::weak_ptr<GraphRoot>> weak_roots(attached_.begin(), attached_.end());
    attached_.clear();
    bool done = lua_gc(L_, LUA_GCCOLLECT) == 0;
    for (auto& weak : weak_roots) {
      if (GraphRootRef h = weak.lock())
        h->value.set_rooted(L_, true);
      else
        freed_ = true;
    }
    lua_pop(L_, 1);
    return done;
  }

 private:
  void find_holders() {
    for (auto& [leaf, holders] : leaves_)
      for (auto& h : holders.hooks)
        if (const Tensor* t = push_holder(L_, h->holders[0])) {
          if (t->impl() == leaf) holders.userdata.insert(lua_topointer(L_, -1));
          lua_pop(L_, 1);
        }
    each_held_tensor(L_, [&](int, const Tensor& t) {
      if (auto it = t ? leaves_.find(t.impl()) : leaves_.end(); it != leaves_.end()) ++it->second.objects;
    });
  }
  // Makes the value live as long as the userdata at `holder`.
  void attach(int holder, const GraphRootRef& h) {
    lua_pushvalue(L_, holder);
    if (lua_rawget(L_, table_) != LUA_TTABLE) {
      lua_pop(L_, 1);
      lua_newtable(L_);
      lua_pushvalue(L_, holder);
      lua_pushvalue(L_, -2);
      lua_rawset(L_, table_);
    }
    h->value.push(L_);
    lua_rawseti(L_, -2, lua_Integer(lua_rawlen(L_, -2)) + 1);
    lua_pop(L_, 1);
    attached_.push_back(h);
  }

  lua_State* L_;
  CollectorStop stop_{L_};
  int table_;
  std::map<TensorImpl*, LeafHolders> leaves_;
  TrialDeletion graph_;
  std::vector<GraphRootRef> attached_;
  bool remaining_ = false, freed_ = false;
};

}  // namespace

HeldTensors::HeldTensors(void (*each)(lua_State*, const HeldTensorVisitor&)) { held_tensors().push_back(each); }

int64_t computed_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

// The userdata that one pass frees no longer count as holders in the next. A freed value may have been the unknown
// holder of others, so a long chain of such values takes several collections.
bool collect_all(lua_State* L) {
  constexpr int most_passes = 8;
  const int64_t begin = computed_time();
  for (int pass = 1;; ++pass) {
    drop_dead_roots(L);
    std::vector<GraphRootRef> roots;
    for (auto& weak : graph_roots(L).list)
      if (GraphRootRef h = weak.lock()) roots.push_back(std::move(h));
    if (roots.empty()) return lua_gc(L, LUA_GCCOLLECT) == 0;
    Collection collection(L);
    for (auto& h : roots) collection.add(h);
    roots.clear();
    if (!collection.run()) return false;
    if (!collection.remaining() || (pass > 1 && !collection.freed()) || pass == most_passes) break;
  }
  GraphRoots& roots = graph_roots(L);
  roots.erase_dead();
  roots.due = std::max({GraphRoots::least, 2 * roots.list.size(), size_t(lua_gc(L, LUA_GCCOUNT))});
  const int64_t now = computed_time();
  roots.rest_until = now + 8 * (now - begin);
  return true;
}

bool full_collection_due(lua_State* L) {
  GraphRoots& roots = graph_roots(L);
  if (roots.list.size() < roots.due || computed_time() < roots.rest_until) return false;
  roots.erase_dead();
  return roots.list.size() > roots.due / 2;
}

}  // namespace luth::lang
