// When Lua's collector runs. Lua sees a tensor as 40 bytes, so left alone it keeps gigabytes of dead ones; see
// memory.cpp for the policy and tests/bench/collector.lua for what it costs.
#pragma once
#include <lua5.4/lua.hpp>

#include "core/tensor/tensor.h"

namespace luth::lang {

/// What has been handed to Lua since the last collection, per thread, and when to think of the next one.
struct Pacer {
  size_t tensors = 0, bytes = 0;
  size_t tensors_due = 0, bytes_due = 0;
};
extern constinit thread_local Pacer pacer;

/// Lua's memory: blocks of malloc, the small ones kept for the next of the same size. A program of tensors makes and
/// drops one userdata per operator, and malloc is slow where a collection frees hundreds.
class Pool {
 public:
  Pool() = default;
  ~Pool();
  Pool(const Pool&) = delete;
  /// A lua_Alloc; `pool` is a Pool.
  static void* reallocate(void* pool, void* block, size_t old_size, size_t size);

 private:
  static constexpr size_t unit = 8, largest = 128, most = 4096;  // sizes that are kept, and how many of each
  struct List {
    void* first = nullptr;
    size_t count = 0;
  };
  List* list_of(size_t size) {
    return size && size <= largest && size % unit == 0 ? &lists_[size / unit - 1] : nullptr;
  }
  void* take(size_t size);
  void give(void* block, size_t size);
  List lists_[largest / unit];
};

namespace detail {
void collect_young(lua_State* L);
}  // namespace detail

/// Call after a tensor has been pushed: counts it and, now and then, collects.
inline void note_tensor(lua_State* L, const Tensor& t) {
  Pacer& p = pacer;
  p.bytes += t.impl()->view ? 0 : t.bytes();  // a view's memory was counted with its base
  if (++p.tensors >= p.tensors_due || p.bytes >= p.bytes_due) detail::collect_young(L);
}

/// Chooses the collector's mode and hangs it on failed allocations (set_memory_pressure_hook).
void open_memory(lua_State* L);

}  // namespace luth::lang
