#include "core/node_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace luth {
namespace {

constexpr size_t chunk_bytes = size_t(2) << 20;  // aligned to its size: a node's address tells its chunk
constexpr size_t spare_chunks = 4;               // kept for the next graph
constexpr int ordinary_chunks = 4;               // of small pages: a small graph does not pay for clearing a huge one
constexpr int most = 2048;                       // places that a thread keeps at hand

struct Chunk {
  std::atomic<uint32_t> live{0};  // places that are out, or at hand; and 1 while a thread takes from it
};

struct Spare {
  std::mutex lock;
  std::vector<void*> chunks;
};
Spare& spare() {
  static auto* s = new Spare;  // outlives the last node
  return *s;
}

std::atomic<int> mapped{0};  // chunks

// 2 MB at a multiple of 2 MB: of twice as much, what lies before and behind is given back.
void* map_chunk() {
  void* p = mmap(nullptr, 2 * chunk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<uintptr_t>(p), aligned = (begin + chunk_bytes - 1) & ~(chunk_bytes - 1);
  if (aligned > begin) munmap(p, aligned - begin);
  munmap(reinterpret_cast<void*>(aligned + chunk_bytes), begin + chunk_bytes - aligned);
  if (mapped.fetch_add(1, std::memory_order_relaxed) >= ordinary_chunks)
    madvise(reinterpret_cast<void*>(aligned), chunk_bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

Chunk* new_chunk() {
  Spare& s = spare();
  void* p = nullptr;
  {
    std::lock_guard hold(s.lock);
    if (!s.chunks.empty()) p = s.chunks.back(), s.chunks.pop_back();
  }
  if (!p) p = map_chunk();
  auto* chunk = new (p) Chunk;
  chunk->live = 1;
  return chunk;
}

void drop(Chunk* chunk) {
  if (chunk->live.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Spare& s = spare();
  {
    std::lock_guard hold(s.lock);
    if (s.chunks.size() < spare_chunks) return s.chunks.push_back(chunk);
  }
  munmap(static_cast<void*>(chunk), chunk_bytes);
  mapped.fetch_sub(1, std::memory_order_relaxed);
}
Chunk* chunk_of(void* p) { return reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(p) & ~(chunk_bytes - 1)); }

// What a thread has at hand. It needs no destructor: Closer gives it back when the thread ends.
struct Hand {
  void* places = nullptr;  // a list
  int count = 0;
  Chunk* chunk = nullptr;
  size_t used = 0;
  enum : uint8_t { fresh, open, closed } state = fresh;
};
constinit thread_local Hand hand;

void close_hand() {
  while (void* p = hand.places) {
    hand.places = *static_cast<void**>(p);
    drop(chunk_of(p));
  }
  hand.count = 0;
  if (hand.chunk) drop(std::exchange(hand.chunk, nullptr));
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

void* take_fresh(size_t bytes) {
  if (hand.state == Hand::fresh) open_hand();
  if (!hand.chunk || hand.used + bytes > chunk_bytes) {
    Chunk* next = new_chunk();
    if (hand.chunk) drop(hand.chunk);
    hand.chunk = next;
    hand.used = 64;
  }
  char* p = reinterpret_cast<char*>(hand.chunk) + hand.used;
  hand.used += bytes;
  hand.chunk->live.fetch_add(1, std::memory_order_relaxed);
  if (hand.state == Hand::closed) close_hand();  // the thread is ending
  return p;
}

}  // namespace

void* take_node(size_t bytes) {
  if (void* p = hand.places) {
    hand.places = *static_cast<void**>(p);
    --hand.count;
    return p;
  }
  return take_fresh((bytes + 15) & ~size_t(15));
}

void give_node(void* p) {
  if (hand.count >= most || hand.state != Hand::open) return drop(chunk_of(p));
  *static_cast<void**>(p) = hand.places;
  hand.places = p;
  ++hand.count;
}

}  // namespace luth
