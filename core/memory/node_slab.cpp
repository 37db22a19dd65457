#include "core/memory/node_slab.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "core/base/limits.h"
#include "core/base/per_thread.h"
#include "core/device/device.h"

namespace luth {
namespace {

constexpr size_t slab_bytes = size_t(2) << 20;  // aligned to its size, so that a node's address gives its slab
constexpr size_t first_slot = 64;               // offset of the first slot; the Slab itself lies before it
constexpr int spare_slabs = 4;                  // kept for the next graph
constexpr int small_page_slabs =
    4;                      // the first slabs have small pages: clearing a huge page costs more than a small graph
constexpr int most = 2048;  // free slots that a thread keeps for itself

struct Slot {
  Slot* next;
};

// The state of a slab, in one atomic word. `live`: slots in use or in a thread's hand; while a thread fills the slab,
// also the slots that were never used, plus one. `first`: head of the list of free slots, as a byte offset; 0: empty.
struct alignas(8) State {
  uint32_t live, first;
};

struct Slab {
  explicit Slab(size_t slot) : bytes(uint32_t(slot)), capacity(uint32_t((slab_bytes - first_slot) / slot)) {}
  Slot* slot(uint32_t at) { return at ? reinterpret_cast<Slot*>(reinterpret_cast<char*>(this) + at) : nullptr; }
  const uint32_t bytes, capacity;  // bytes of a slot; number of slots
  std::atomic<State> state{State{capacity + 1, 0}};
  size_t used = first_slot;              // bytes that were ever in use; guarded by the lock, as all that follows
  bool taken = true;                     // a thread fills it
  Slab *next = nullptr, **at = nullptr;  // `at`: the pointer to this slab within the list `partial`; null: not listed
};
static_assert(sizeof(Slab) <= first_slot && std::atomic<State>::is_always_lock_free);

struct Shared {
  std::mutex lock;
  Slab* partial = nullptr;  // at most half full, and no thread fills them: the first to be filled again
  Slab* spare = nullptr;    // unused slabs, as a list
  int spares = 0, mapped = 0;
};
Shared& shared() {
  static auto* s = new Shared;  // outlives the last node
  return *s;
}

// Maps 2 MB aligned to 2 MB: maps twice as much and unmaps the ends. Null without memory.
void* map_slab(bool huge) {
  if (!memory_for(slab_bytes)) return nullptr;
  void* p = mmap(nullptr, 2 * slab_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(p), aligned = (begin + slab_bytes - 1) & ~(slab_bytes - 1);
  if (aligned > begin) munmap(p, aligned - begin);
  munmap(reinterpret_cast<void*>(aligned + slab_bytes), begin + slab_bytes - aligned);
  if (huge) madvise(reinterpret_cast<void*>(aligned), slab_bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

Slab* new_slab(Shared& s, size_t bytes) {
  void* p = s.spare;
  if (p)
    s.spare = s.spare->next, --s.spares;
  else if ((p = map_slab(s.mapped >= small_page_slabs)))
    ++s.mapped;
  return p ? new (p) Slab(bytes) : nullptr;
}

void link(Slab* c, Slab*& list) {
  c->next = list;
  if (list) list->at = &c->next;
  list = c;
  c->at = &list;
}
void unlink(Slab* c) {
  if (!c->at) return;
  *c->at = c->next;
  if (c->next) c->next->at = c->at;
  c->at = nullptr;
}

// Lists, keeps as spare or unmaps a slab that has `live` slots left. Under the lock.
void file_slab(Shared& s, Slab* c, uint32_t live) {
  if (live) {
    if (live <= c->capacity / 2 && !c->taken && !c->at) link(c, s.partial);
    return;
  }
  unlink(c);
  if (s.spares < spare_slabs) {
    c->next = std::exchange(s.spare, c);
    ++s.spares;
  } else {
    munmap(static_cast<void*>(c), slab_bytes);
    --s.mapped;
  }
}

// Frees a slot into its slab. Lock-free, unless the slab becomes half empty or empty.
void drop(void* p) {
  auto* c = reinterpret_cast<Slab*>(reinterpret_cast<uintptr_t>(p) & ~(slab_bytes - 1));
  const auto at = uint32_t(reinterpret_cast<uintptr_t>(p) & (slab_bytes - 1));
  State old = c->state.load(std::memory_order_relaxed);
  auto give = [&] {
    static_cast<Slot*>(p)->next = c->slot(old.first);
    return c->state.compare_exchange_weak(old, {old.live - 1, at}, std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
  };
  while (old.live - 1 != 0 && old.live - 1 != c->capacity / 2)
    if (give()) return;
  Shared& s = shared();
  std::lock_guard hold(s.lock);
  while (!give()) {}
  file_slab(s, c, old.live - 1);
}

// The free slots of one thread, which returns them when it ends.
struct Hand {
  Slot* slots = nullptr;  // unused slabs, as a list
  int count = 0;
  Slab* slab = nullptr;
  size_t used = slab_bytes;  // of the slab; slab_bytes without one
  bool open = false;         // it will be closed
};
constinit thread_local Hand hand;
constinit thread_local ThreadEnd end;

void leave_slab() {
  Slab* c = std::exchange(hand.slab, nullptr);
  if (!c) return;
  Shared& s = shared();
  std::lock_guard hold(s.lock);
  c->used = std::exchange(hand.used, slab_bytes);
  c->taken = false;
  const uint32_t less = 1 + uint32_t((slab_bytes - c->used) / c->bytes);
  State old = c->state.load(std::memory_order_relaxed);
  while (!c->state.compare_exchange_weak(old, {old.live - less, old.first}, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {}
  file_slab(s, c, old.live - less);
}

// Gives this thread, whose hand is empty, another slab. False without memory.
bool next_slab(size_t bytes) {
  leave_slab();
  Shared& s = shared();
  std::lock_guard hold(s.lock);
  Slab* c = s.partial;
  if (c) {
    unlink(c);
    c->taken = true;
    const State old = c->state.exchange({c->capacity + 1, 0}, std::memory_order_acq_rel);
    hand.slots = c->slot(old.first);
    hand.count = int((c->used - first_slot) / c->bytes - old.live);
  } else if (!(c = new_slab(s, bytes))) {
    return false;
  }
  hand.slab = c;
  hand.used = c->used;
  return true;
}

void close_hand(ThreadEnd&) {
  hand.open = false;
  for (Slot* p = std::exchange(hand.slots, nullptr); p;) {
    Slot* next = p->next;
    drop(std::exchange(p, next));
  }
  hand.count = 0;
  leave_slab();
}
void open_hand() {
  end.set(close_hand);
  hand.open = true;
}

bool is_ready(size_t bytes) { return hand.slots || hand.used + bytes <= slab_bytes; }

void make_ready(size_t bytes) {
  if (!hand.open) open_hand();
  if (next_slab(bytes)) return;
  relieve_memory_pressure();  // this may free nodes of this thread
  if (!is_ready(bytes) && !next_slab(bytes)) throw std::bad_alloc();
}

void* take_slot(size_t bytes) {
  if (Slot* p = hand.slots) {
    hand.slots = p->next;
    --hand.count;
    return p;
  }
  void* p = reinterpret_cast<char*>(hand.slab) + hand.used;
  hand.used += bytes;
  return p;
}

}  // namespace

void* allocate_node(size_t bytes) {
  bytes = (bytes + 15) & ~size_t(15);
  if (!is_ready(bytes)) make_ready(bytes);
  return take_slot(bytes);
}

void free_node(void* p) {
  if (hand.count >= most || !hand.open) return drop(p);
  static_cast<Slot*>(p)->next = hand.slots;
  hand.slots = static_cast<Slot*>(p);
  ++hand.count;
}

}  // namespace luth
