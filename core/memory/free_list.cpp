#include "core/memory/free_list.h"

#include "core/base/per_thread.h"

namespace luth {

constinit thread_local FreeList detail::free_lists[5];
static constinit thread_local ThreadEnd end;

void FreeList::register_thread() {
  end.set([](ThreadEnd&) {
    for (auto& l : detail::free_lists) l.clear();
  });
}

void FreeList::clear() {
  while (void* p = take()) ::operator delete(p);
}

}  // namespace luth
