// When Lua's collector runs. Lua sees a tensor as 40 bytes, so left alone it would keep gigabytes of dead ones;
// pacer.cpp has the policy, and tests/bench/collector.lua measures what it costs.
#pragma once
#include <lua5.4/lua.hpp>

#include "core/autograd/autograd.h"

namespace luth::lang {

/// The tensors and bytes handed to Lua since the last collection, per thread, and the counts at which the next one is
/// considered.
struct Pacer {
  size_t tensors = 0, bytes = 0;
  size_t tensors_due = 0, bytes_due = 0;
};
extern constinit thread_local Pacer pacer;

namespace detail {
void collect_young(lua_State* L);
}  // namespace detail

/// The memory that t brings. A view's was counted with its base, unless nobody else has the base: then Lua never did,
/// as with the output of a recurrent layer, which is a view of what its operator made.
inline size_t bytes_of(const Tensor& t) {
  const ViewOf* view = t.impl()->view.get();
  return view && view->base.impl()->use_count() > 1 ? 0 : t.bytes();
}

/// Collects where that is due: for who has pushed tensors while the collector was stopped.
inline void collect_if_due(lua_State* L) {
  if (pacer.tensors >= pacer.tensors_due || pacer.bytes >= pacer.bytes_due) detail::collect_young(L);
}

/// Call after a tensor has been pushed: counts it and, now and then, collects.
inline void note_tensor(lua_State* L, const Tensor& t) {
  ++pacer.tensors;
  pacer.bytes += bytes_of(t);
  collect_if_due(L);
}

/// Keeps a tensor that a script frees within an operator, which may have borrowed it (a finalizer, run where memory is
/// short), until a collection is considered outside of operators.
void keep_for_operator(const Tensor& t);

/// Call after an object has been pushed that may keep much memory of C++, such as a dataset: counts what C++ has taken
/// since the last one and, now and then, collects. `tensors`: bytes of tensors that it keeps and no script has seen.
void note_object(lua_State* L, size_t tensors = 0);

/// Chooses the collector's mode and hangs it on failed allocations (set_memory_pressure_hook).
void open_pacer(lua_State* L);

}  // namespace luth::lang
