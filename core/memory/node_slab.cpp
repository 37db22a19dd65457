#include "core/memory/node_slab.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "core/device/device.h"

namespace luth {
namespace {

constexpr size_t chunk_bytes = size_t(2) << 20;  // aligned to its size: a node's address tells its chunk
constexpr size_t first_place = 64;               // where places begin in it; before them lies the Chunk
constexpr int spare_chunks = 4;                  // kept for the next graph
constexpr int ordinary_chunks = 4;               // of small pages: a small graph does not pay for clearing a huge one
constexpr int most = 2048;                       // places that a thread keeps at hand

struct Place {
  Place* next;
};

// `live`: the places that are out or at a thread's hand; while a thread takes from the chunk, also those that were
// never out, and 1 more. `first`: a list of the others, in bytes from the chunk's begin; 0: none.
struct alignas(8) State {
  uint32_t live, first;
};

struct Chunk {
  explicit Chunk(size_t place) : bytes(uint32_t(place)), capacity(uint32_t((chunk_bytes - first_place) / place)) {}
  Place* place(uint32_t at) { return at ? reinterpret_cast<Place*>(reinterpret_cast<char*>(this) + at) : nullptr; }
  const uint32_t bytes, capacity;  // of a place; places
  std::atomic<State> state{State{capacity + 1, 0}};
  size_t used = first_place;              // bytes, of what was ever out; this and what follows: under the lock
  bool taken = true;                      // a thread takes from it
  Chunk *next = nullptr, **at = nullptr;  // in the list `empty`; what points to it there, null: it is not there
};
static_assert(sizeof(Chunk) <= first_place && std::atomic<State>::is_always_lock_free);

struct Shared {
  std::mutex lock;
  Chunk* empty = nullptr;  // half empty at least, and nobody takes from them: they are taken before others
  Chunk* spare = nullptr;  // a list
  int spares = 0, mapped = 0;
};
Shared& shared() {
  static auto* s = new Shared;  // outlives the last node
  return *s;
}

// 2 MB at a multiple of 2 MB: of twice as much, what lies before and behind is given back. Null: there is no more.
void* map_chunk(bool huge) {
  void* p = mmap(nullptr, 2 * chunk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(p), aligned = (begin + chunk_bytes - 1) & ~(chunk_bytes - 1);
  if (aligned > begin) munmap(p, aligned - begin);
  munmap(reinterpret_cast<void*>(aligned + chunk_bytes), begin + chunk_bytes - aligned);
  if (huge) madvise(reinterpret_cast<void*>(aligned), chunk_bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

Chunk* new_chunk(Shared& s, size_t bytes) {
  void* p = s.spare;
  if (p)
    s.spare = s.spare->next, --s.spares;
  else if ((p = map_chunk(s.mapped >= ordinary_chunks)))
    ++s.mapped;
  return p ? new (p) Chunk(bytes) : nullptr;
}

void link(Chunk* c, Chunk*& list) {
  c->next = list;
  if (list) list->at = &c->next;
  list = c;
  c->at = &list;
}
void unlink(Chunk* c) {
  if (!c->at) return;
  *c->at = c->next;
  if (c->next) c->next->at = c->at;
  c->at = nullptr;
}

// Under the lock: what follows from having `live` places only.
void check_empty(Shared& s, Chunk* c, uint32_t live) {
  if (live) {
    if (live <= c->capacity / 2 && !c->taken && !c->at) link(c, s.empty);
    return;
  }
  unlink(c);
  if (s.spares < spare_chunks) {
    c->next = std::exchange(s.spare, c);
    ++s.spares;
  } else {
    munmap(static_cast<void*>(c), chunk_bytes);
    --s.mapped;
  }
}

// Gives a place back to its chunk; without the lock, unless the chunk is to be listed or to go.
void drop(void* p) {
  auto* c = reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(p) & ~(chunk_bytes - 1));
  const auto at = uint32_t(reinterpret_cast<uintptr_t>(p) & (chunk_bytes - 1));
  State old = c->state.load(std::memory_order_relaxed);
  auto give = [&] {
    static_cast<Place*>(p)->next = c->place(old.first);
    return c->state.compare_exchange_weak(old, {old.live - 1, at}, std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
  };
  while (old.live - 1 != 0 && old.live - 1 != c->capacity / 2)
    if (give()) return;
  Shared& s = shared();
  std::lock_guard hold(s.lock);
  while (!give()) {}
  check_empty(s, c, old.live - 1);
}

// What a thread has at hand. It needs no destructor: Closer gives it back when the thread ends.
struct Hand {
  Place* places = nullptr;  // a list
  int count = 0;
  Chunk* chunk = nullptr;
  size_t used = chunk_bytes;  // of the chunk; all, where there is none
  enum : uint8_t { fresh, open, closed } state = fresh;
};
constinit thread_local Hand hand;

void leave_chunk() {
  Chunk* c = std::exchange(hand.chunk, nullptr);
  if (!c) return;
  Shared& s = shared();
  std::lock_guard hold(s.lock);
  c->used = std::exchange(hand.used, chunk_bytes);
  c->taken = false;
  const uint32_t less = 1 + uint32_t((chunk_bytes - c->used) / c->bytes);
  State old = c->state.load(std::memory_order_relaxed);
  while (!c->state.compare_exchange_weak(old, {old.live - less, old.first}, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {}
  check_empty(s, c, old.live - less);
}

// Another chunk for this thread, which has no places at hand: the free ones come there. False: the system has no more.
bool next_chunk(size_t bytes) {
  leave_chunk();
  Shared& s = shared();
  std::lock_guard hold(s.lock);
  Chunk* c = s.empty;
  if (c) {
    unlink(c);
    c->taken = true;
    const State old = c->state.exchange({c->capacity + 1, 0}, std::memory_order_acq_rel);
    hand.places = c->place(old.first);
    hand.count = int((c->used - first_place) / c->bytes - old.live);
  } else if (!(c = new_chunk(s, bytes))) {
    return false;
  }
  hand.chunk = c;
  hand.used = c->used;
  return true;
}

void close_hand() {
  for (Place* p = std::exchange(hand.places, nullptr); p;) {
    Place* next = p->next;
    drop(std::exchange(p, next));
  }
  hand.count = 0;
  leave_chunk();
}
struct Closer {
  ~Closer() {
    close_hand();
    hand.state = Hand::closed;
  }
};
void open_hand() {
  thread_local Closer closer;
  (void)&closer;
  hand.state = Hand::open;
}

bool is_ready(size_t bytes) { return hand.places || hand.used + bytes <= chunk_bytes; }

void make_ready(size_t bytes) {
  if (hand.state == Hand::fresh) open_hand();
  if (next_chunk(bytes)) return;
  relieve_memory_pressure();  // places may come to hand
  if (!is_ready(bytes) && !next_chunk(bytes)) throw std::bad_alloc();
}

void* take_ready(size_t bytes) {
  if (Place* p = hand.places) {
    hand.places = p->next;
    --hand.count;
    return p;
  }
  void* p = reinterpret_cast<char*>(hand.chunk) + hand.used;
  hand.used += bytes;
  return p;
}

}  // namespace

void* take_node(size_t bytes) {
  bytes = (bytes + 15) & ~size_t(15);
  if (!is_ready(bytes)) make_ready(bytes);
  void* p = take_ready(bytes);
  if (hand.state == Hand::closed) close_hand();  // the thread is ending
  return p;
}

void give_node(void* p) {
  if (hand.count >= most || hand.state != Hand::open) return drop(p);
  static_cast<Place*>(p)->next = hand.places;
  hand.places = static_cast<Place*>(p);
  ++hand.count;
}

}  // namespace luth
