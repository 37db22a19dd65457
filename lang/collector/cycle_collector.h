// Full collections that also free cycles through the autograd graph: a tensor's hook that captures the tensor.
#pragma once
#include <functional>
#include <lua5.4/lua.hpp>

#include "core/tensor/tensor.h"

namespace luth::lang {

/// Collects all garbage of Lua. Returns false inside of a finalizer, where Lua collects nothing.
///
/// A graph root (a hook, a Function's ctx) stays a root unless all holders of its tensor are known to Lua: the userdata
/// on which it was registered, the objects of HeldTensors, and for results of nodes what TrialDeletion finds. A root
/// whose holders are known lives as long as one of them can be reached, so that a cycle through it is freed. Holders
/// that Lua cannot see are graphs, views, and other userdata of the tensor.
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

/// Whether a full collection should run for the sake of the roots: about twice as many as survived the last one, at
/// least 10000, and one for each KB that Lua had then; and not before 8 times the duration of the last one has passed.
bool full_collection_due(lua_State* L);

/// Calls the function with the stack index of each userdata and each tensor that its object holds.
using HeldTensorVisitor = std::function<void(int index, const Tensor& t)>;
/// Registers before main the objects of a kind that hold tensors, such as modules their parameters.
struct HeldTensors {
  explicit HeldTensors(void (*each)(lua_State*, const HeldTensorVisitor&));
};

}  // namespace luth::lang
