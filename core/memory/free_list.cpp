#include "core/memory/free_list.h"

namespace luth {
namespace {

constexpr int slots = 4;
constinit thread_local FreeList lists[slots];
constinit thread_local bool ended = false;

// Touched once per thread, so that its destructor runs at the thread's end.
struct Reaper {
  bool alive = true;
  ~Reaper() {
    ended = true;
    for (auto& l : lists) l.clear();
  }
};
thread_local Reaper reaper;

}  // namespace

FreeList& free_list_of(int slot) { return lists[slot]; }

bool FreeList::register_thread() { return !ended && reaper.alive; }

void FreeList::clear() {
  while (void* p = take()) ::operator delete(p);
}

}  // namespace luth
