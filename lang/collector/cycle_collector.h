// Full collections that also free cycles through the autograd graph: a tensor's hook that captures the tensor.
#pragma once
#include <cstdint>
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// Collects all garbage of Lua. Returns false inside of a finalizer, where Lua collects nothing.
///
/// A graph root (a hook, a Function's ctx, a checkpoint's function) stays a root unless all that refers to its owner is
/// known: Lua's userdata, the objects of HeldTensors, and what TrialDeletion follows in C++. Else it lives as long as
/// one of these userdata can be reached, so that a cycle through it is freed.
bool collect_all(lua_State* L);

/// No collection runs while it lives: between counting references and acting on the counts, or while one table grows by
/// many tensors, which every collection would visit again.
class CollectorStop {
 public:
  explicit CollectorStop(lua_State* L) : L_(L), running_(lua_gc(L, LUA_GCISRUNNING)) { lua_gc(L, LUA_GCSTOP); }
  ~CollectorStop() {
    if (running_) lua_gc(L_, LUA_GCRESTART);
  }
  CollectorStop(const CollectorStop&) = delete;

 private:
  lua_State* L_;
  bool running_;
};

/// Nanoseconds that this thread has computed: a collection that other processes interrupt does not look slow.
int64_t computed_time();

/// Whether a full collection should run for the sake of the roots, when so many more tensors were handed to Lua. It is
/// due when there are twice as many roots as survived the last one (at least 4000, and one for each KB that Lua had
/// then), or when there are new ones and Lua's memory has doubled or many tensors were made. Then it may wait until it
/// takes a third of the time at most, or all of that has doubled again.
bool full_collection_due(lua_State* L, size_t tensors);

}  // namespace luth::lang
