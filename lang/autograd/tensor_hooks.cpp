#include "lang/autograd/tensor_hooks.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <vector>

#include "core/autograd/autograd.h"
#include "lang/collector/cycle_collector.h"
#include "lang/nn/nn.h"
#include "lang/runtime/ref.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

using HeldList = std::vector<std::weak_ptr<HeldValue>>;

using Clock = std::chrono::steady_clock;
constexpr size_t least_held = 10000;
struct Held {  // of an interpreter
  HeldList list;
  size_t due = least_held;  // how long it is when many_held looks
  Clock::time_point rest_until = {};
};

// The gradient through the Lua function; null where it returns nil.
Tensor call_hook(const LuaRef& f, const Tensor& gradient) {
  lua_State* L = f.running();
  luaL_checkstack(L, 8, "too many hooks");
  f.push(L);
  if (lua_isnil(L, -1)) return lua_pop(L, 1), Tensor();  // collected, with all that could see it
  push_tensor(L, gradient);
  lua_call(L, 1, 1);
  Tensor out = is_none(L, lua_gettop(L)) ? Tensor() : check_tensor(L, lua_gettop(L), "a hook returns nil or");
  lua_pop(L, 1);
  return out;
}

void erase_dead(HeldList& list) {
  std::erase_if(list, [](auto& weak) { return weak.expired(); });
}

Held& held_by(lua_State* L) {
  static char key;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  if (auto* held = to_box<Held>(L, -1)) return lua_pop(L, 1), *held;
  lua_pop(L, 1);
  open_box<Held>(L, "torch.held");
  lua_pushcfunction(L, destroy_box<Held>);
  lua_setfield(L, -2, "__gc");
  Held& held = push_box<Held>(L, {});
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  lua_pop(L, 1);
  return held;
}

// Calls f(userdata's index, tensor) for the parameters and buffers of all modules that Lua has.
template <class F>
void each_part(lua_State* L, F f) {
  push_module_cache(L);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    nn::Module* m = to_module(L, -1);
    if (!m) continue;
    for (auto& p : m->parts().parameters) f(lua_gettop(L), p.value);
    for (auto& b : m->parts().buffers) f(lua_gettop(L), b.value);
  }
  lua_pop(L, 1);
}

// Pushes the userdata of a tensor; null, and nothing is pushed, where it has gone.
const Tensor* push_holder(lua_State* L, const WeakRef& holder) {
  holder.push(L);
  if (const Tensor* t = to_tensor(L, -1); t && *t) return t;
  return lua_pop(L, 1), nullptr;
}

// What Lua knows of the holders of a leaf.
struct Holders {
  std::set<const void*> userdata;
  size_t modules = 0;
  std::vector<HeldRef> hooks;
  bool all(const TensorImpl* t) const { return t->use_count() == userdata.size() + modules; }
};

// No collection between what is counted and what is done about it.
class Stopped {
 public:
  explicit Stopped(lua_State* L) : L_(L), running_(lua_gc(L, LUA_GCISRUNNING)) { lua_gc(L, LUA_GCSTOP); }
  ~Stopped() {
    if (running_) lua_gc(L_, LUA_GCRESTART);
  }

 private:
  lua_State* L_;
  bool running_;
};

// A collection during which hooks belong to the tensors' holders, as far as these are known.
class Collection {
 public:
  explicit Collection(lua_State* L) : L_(L) {
    luaL_checkstack(L, 16, nullptr);
    push_weak(L, "k");  // by holder: its hooks' functions, alive as long as a holder is
    table_ = lua_gettop(L);
  }
  void add(const HeldRef& h) {
    if (h->leaf) return leaves_[h->leaf].hooks.push_back(h);
    graph_.add(h);
  }
  /// Whether values of nodes are left, and whether one that may have held these was freed.
  bool others() const { return others_; }
  bool freed() const { return freed_; }
  bool run() {
    graph_.find(L_);
    held_ = graph_.hold(L_, table_);
    others_ = graph_.others();
    graph_ = {};
    find_holders();
    for (auto& [leaf, holders] : leaves_)
      for (auto& h : holders.hooks)
        if (holders.all(leaf) && push_holder(L_, h->holders[0])) hold(lua_gettop(L_), h), lua_pop(L_, 1);
    each_part(L_, [&](int module, const Tensor& t) {
      auto it = t ? leaves_.find(t.impl()) : leaves_.end();
      if (it == leaves_.end() || !it->second.all(t.impl())) return;
      for (auto& h : it->second.hooks) hold(module, h);
    });
    leaves_.clear();
    for (auto& h : held_) h->value.set_rooted(L_, false);
    HeldList held(held_.begin(), held_.end());
    held_.clear();
    bool done = lua_gc(L_, LUA_GCCOLLECT) == 0;
    for (auto& weak : held) {
      if (HeldRef h = weak.lock())
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
    each_part(L_, [&](int, const Tensor& t) {
      if (auto it = t ? leaves_.find(t.impl()) : leaves_.end(); it != leaves_.end()) ++it->second.modules;
    });
  }
  // The userdata at `holder` keeps the value.
  void hold(int holder, const HeldRef& h) {
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
    held_.push_back(h);
  }

  lua_State* L_;
  Stopped stopped_{L_};
  int table_;
  std::map<TensorImpl*, Holders> leaves_;
  HeldGraph graph_;
  std::vector<HeldRef> held_;
  bool others_ = false, freed_ = false;
};

}  // namespace

void open_held(lua_State* L) { held_by(L); }

HeldRef hold_for_node(lua_State* L, int index, Node* node) {
  auto h = std::make_shared<HeldValue>();
  h->node = node;
  if (node) h->sequence = node->sequence;
  h->value = LuaRef(L, index);
  HeldList& list = held_by(L).list;
  if (list.size() == list.capacity()) erase_dead(list);
  list.push_back(h);
  return h;
}

int64_t add_tensor_hook(lua_State* L, int tensor, int f, bool accumulated) {
  const Tensor& t = check_tensor(L, tensor);
  HeldRef h = hold_for_node(L, f, nullptr);
  h->holders.emplace_back(L, tensor);
  Hook hook = [h](const Tensor& g) { return call_hook(h->value, g); };
  int64_t id = accumulated ? register_accumulated_hook(t, std::move(hook)) : register_hook(t, std::move(hook));
  h->node = t.impl()->meta->node.get();
  h->node ? void(h->sequence = h->node->sequence) : void(h->leaf = t.impl());
  return id;
}

// A second pass sees without the userdata that the first has freed. A value that falls may uncover others, by what is
// not seen of their holders: a long chain of such falls in several collections.
bool collect_all(lua_State* L) {
  constexpr int most_passes = 8;
  const auto begin = Clock::now();
  for (int pass = 1;; ++pass) {
    drop_dead_roots(L);
    std::vector<HeldRef> held;
    for (auto& weak : held_by(L).list)
      if (HeldRef h = weak.lock()) held.push_back(std::move(h));
    if (held.empty()) return lua_gc(L, LUA_GCCOLLECT) == 0;
    Collection collection(L);
    for (auto& h : held) collection.add(h);
    held.clear();
    if (!collection.run()) return false;
    if (!collection.others() || (pass > 1 && !collection.freed()) || pass == most_passes) break;
  }
  Held& held = held_by(L);
  erase_dead(held.list);
  held.due = std::max({least_held, 2 * held.list.size(), size_t(lua_gc(L, LUA_GCCOUNT))});
  const auto now = Clock::now();
  held.rest_until = now + 8 * (now - begin);
  return true;
}

bool many_held(lua_State* L) {
  Held& held = held_by(L);
  if (held.list.size() < held.due || Clock::now() < held.rest_until) return false;
  erase_dead(held.list);
  return held.list.size() > held.due / 2;
}

}  // namespace luth::lang
