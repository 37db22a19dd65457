#include "core/memory/free_list.h"

#include "core/base/per_thread.h"

namespace luth {
namespace {

constexpr int slots = 4;
constinit thread_local FreeList lists[slots];
constinit thread_local ThreadEnd end;

}  // namespace

FreeList& free_list_of(int slot) { return lists[slot]; }

void FreeList::register_thread() {
  end.set([](ThreadEnd&) {
    for (auto& l : lists) l.clear();
  });
}

void FreeList::clear() {
  while (void* p = take()) ::operator delete(p);
}

}  // namespace luth
