#include "devices/cpu/runtime/allocator.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "core/base/limits.h"
#include "core/base/per_thread.h"

namespace luth::cpu {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool passes_through = true;  // so that the sanitizer sees every allocation
#else
constexpr bool passes_through = false;
#endif

// A list of a thread keeps at most this many blocks, and half of them move to or from the shared list at once. Those of
// small blocks hold what Lua's collector frees at once (lang/collector/pacer.cpp).
constexpr auto list_limit = [] {
  std::array<uint8_t, SizeClass::small> limits{};
  for (int i = 0; i < SizeClass::small; ++i)
    limits[size_t(i)] = uint8_t(std::clamp<size_t>((size_t(32) << 10) / SizeClass::bytes_of(i), 4, 192));
  return limits;
}();

void* map_huge(size_t bytes) {
  constexpr size_t align = SizeClass::huge;
  size_t whole = bytes + align;
  void* p = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  auto at = reinterpret_cast<uintptr_t>(p);
  uintptr_t begin = (at + align - 1) / align * align, end = begin + bytes;
  if (begin > at) munmap(p, begin - at);
  if (at + whole > end) munmap(reinterpret_cast<void*>(end), at + whole - end);
  madvise(reinterpret_cast<void*>(begin), bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(begin);
}

// Null when the system has no more.
void* from_system(size_t bytes) {
  if (!memory_for(bytes)) return nullptr;
  return bytes < SizeClass::huge ? std::aligned_alloc(64, bytes) : map_huge(bytes);
}

void to_system(void* p, size_t bytes) noexcept {
  if (bytes < SizeClass::huge)
    std::free(p);
  else
    munmap(p, bytes);
}

std::string shown_bytes(double n) {
  const char* unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int i = 0;
  for (; n >= 1024 && i < 6; ++i) n /= 1024;
  return i ? fmt::format("{:.1f} {}", n, unit[i]) : fmt::format("{:.0f} bytes", n);
}

[[noreturn]] void throw_out_of_memory(size_t bytes) {
  throw Error(
      ErrorCode::memory,
      "cannot allocate {} bytes ({}) on the CPU: {} are available; use smaller tensors or batches, or free some", bytes,
      shown_bytes(double(bytes)), shown_bytes(double(available_memory())));
}

}  // namespace

// The library is opened late, and finds room for 8 bytes: no call for their address.
__attribute__((tls_model("initial-exec"))) thread_local Allocator::Local* Allocator::local_ = nullptr;

SizeClass::SizeClass(size_t n) : asked(n) {
  if (n <= 1024) {
    index = int((n - 1) / 64);
    bytes = size_t(index + 1) * 64;
    return;
  }
  int power = std::bit_width(n - 1) - 1;  // 2^power < n ≤ 2^(power+1)
  size_t step = size_t(1) << (power - 3), part = (n - 1 - (size_t(1) << power)) / step;
  index = 16 + 8 * (power - 10) + int(part);
  bytes = (size_t(1) << power) + (part + 1) * step;
}

int64_t coarse_seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec;
}

Allocator::Allocator(size_t bound, int64_t (*clock)())
    : bound_(bound ? bound : std::max<size_t>(size_t(total_memory()) / 4, least)),
      clock_(clock),
      period_end_(clock() + period) {}

Allocator::~Allocator() {
  if (local_ && local_->owner == this) end_local();
  give_all_back();
}

// Null without memory, or if the thread has lists of another allocator: then only the shared lists are used.
Allocator::Local* Allocator::make_local() noexcept {
  auto* l = local_ ? nullptr : new (std::nothrow) Local{this};
  if (!l) return nullptr;
  static constinit thread_local ThreadEnd end;
  end.set([](ThreadEnd&) {
    if (local_) local_->owner->end_local();
  });
  std::lock_guard hold(lock_);
  l->next = std::exchange(locals_, l);
  return local_ = l;
}

void Allocator::end_local() noexcept {
  std::lock_guard hold(lock_);
  drop(*local_);
  merge(*local_);
  Local** at = &locals_;
  while (*at != local_) at = &(*at)->next;
  *at = local_->next;
  delete std::exchange(local_, nullptr);
}

void* Allocator::pass_through(size_t bytes) {
  void* p = nullptr;
  if (!memory_for(bytes) || posix_memalign(&p, 64, bytes)) throw_out_of_memory(bytes);
  std::lock_guard hold(lock_);
  reserved_ += int64_t(bytes);
  count_large(int64_t(bytes));
  return p;
}

void* Allocator::allocate(size_t bytes) {
  if (!bytes) return nullptr;
  if (bytes > SizeClass::largest) throw_out_of_memory(bytes);
  if (passes_through) return pass_through(bytes);
  SizeClass c(bytes);
  Local* l = c.index < SizeClass::small ? local() : nullptr;
  if (!l) return take(c);
  constexpr auto relaxed = std::memory_order_relaxed;
  List& list = l->lists[c.index];
  void* p = list.first;
  if (p) {
    list.first = list.first->next;
    --list.count;
  } else {
    p = refill(l, c);
  }
  int64_t now = l->delta.load(relaxed) + int64_t(c.bytes);
  l->delta.store(now, relaxed);
  if (now > l->top.load(relaxed)) l->top.store(now, relaxed);
  l->calls.store(l->calls.load(relaxed) + 1, relaxed);
  return p;
}

void Allocator::free(void* p, size_t bytes) noexcept {
  if (!p || !bytes) return;
  if (passes_through) {
    std::free(p);
    std::lock_guard hold(lock_);
    allocated_ -= int64_t(bytes);
    reserved_ -= int64_t(bytes);
    return;
  }
  SizeClass c(bytes);
  Local* l = c.index < SizeClass::small ? local() : nullptr;
  auto* b = static_cast<Block*>(p);
  if (!l) return put(b, c);
  l->delta.store(l->delta.load(std::memory_order_relaxed) - int64_t(c.bytes), std::memory_order_relaxed);
  List& list = l->lists[c.index];
  b->next = list.first;
  list.first = b;
  if (++list.count > list_limit[c.index]) spill(list, c);
}

// One block of class c. Moves up to half a list of blocks from the shared list to the thread's.
void* Allocator::refill(Local* l, const SizeClass& c) {
  {
    std::lock_guard hold(lock_);
    List& from = lists_[c.index];
    List& to = l->lists[c.index];
    for (int n = list_limit[c.index] / 2; n > 0 && from.first; --n) {
      Block* b = from.first;
      from.first = b->next;
      --from.count;
      kept_ -= c.bytes;
      b->next = to.first;
      to.first = b;
      ++to.count;
    }
    if (Block* b = to.first) {
      to.first = b->next;
      --to.count;
      return b;
    }
  }
  void* p = from_system(c.bytes);
  if (!p) throw_out_of_memory(c.asked);
  std::lock_guard hold(lock_);
  reserved_ += int64_t(c.bytes);
  return p;
}

// Moves half of a full list of a thread to the shared one.
void Allocator::spill(List& list, const SizeClass& c) {
  std::lock_guard hold(lock_);
  List& to = lists_[c.index];
  for (int n = list.count / 2; n > 0; --n) {
    Block* b = list.first;
    list.first = b->next;
    --list.count;
    b->next = to.first;
    to.first = b;
    ++to.count;
    kept_ += c.bytes;
  }
  to.used = ++tick_;
  look_at_clock();
}

// A block of the shared lists or of the system; counts it.
void* Allocator::take(const SizeClass& c) {
  {
    std::lock_guard hold(lock_);
    List& list = lists_[c.index];
    list.used = ++tick_;
    if (Block* b = list.first) {
      list.first = b->next;
      --list.count;
      kept_ -= c.bytes;
      count_large(int64_t(c.bytes));
      return b;
    }
    if (list.given_back > 0) {
      --list.given_back;
      regretted_ += int64_t(c.bytes);
    }
    evict(room(c.bytes));
  }
  void* p = from_system(c.bytes);
  if (!p) {
    empty_cache();  // then the system may have enough
    p = from_system(c.bytes);
  }
  if (!p) throw_out_of_memory(c.asked);
  std::lock_guard hold(lock_);
  reserved_ += int64_t(c.bytes);
  count_large(int64_t(c.bytes));
  return p;
}

void Allocator::put(Block* b, const SizeClass& c) noexcept {
  std::lock_guard hold(lock_);
  allocated_ -= int64_t(c.bytes);
  if (c.bytes > bound_) {
    reserved_ -= int64_t(c.bytes);
    return to_system(b, c.bytes);
  }
  List& list = lists_[c.index];
  b->next = list.first;
  list.first = b;
  ++list.count;
  kept_ += c.bytes;
  list.used = ++tick_;
  evict(room());
  look_at_clock();
}

// How many bytes may be kept, with `more` bytes in use.
size_t Allocator::room(size_t more) const {
  const int64_t in_use = allocated_ + int64_t(more), lately = std::max({int64_t(0), in_use, most_, most_before_});
  const int64_t beside = lately / 2 + std::min(regretted_, lately);
  return std::min(bound_, std::max(least, size_t(lately + beside - in_use)));
}

// Gives the first block of a list back.
void Allocator::give_back(int index) {
  List& list = lists_[size_t(index)];
  Block* b = list.first;
  list.first = b->next;
  --list.count;
  const size_t bytes = SizeClass::bytes_of(index);
  kept_ -= bytes;
  reserved_ -= int64_t(bytes);
  to_system(b, bytes);
}

void Allocator::give_all_back() {
  for (int i = 0; i < SizeClass::count; ++i)
    while (lists_[size_t(i)].first) give_back(i);
}

// At the end of a period gives back what was not used in it and in the one before.
void Allocator::look_at_clock() {
  const int64_t now = clock_();
  if (now < period_end_) return;
  for (int i = 0; i < SizeClass::count; ++i) {
    List& list = lists_[size_t(i)];
    list.given_back = 0;
    while (list.first && list.used <= period_before_) give_back(i);
  }
  period_before_ = std::exchange(period_begin_, tick_);
  most_before_ = std::exchange(most_, allocated_);
  period_end_ = now + period;
}

// Gives blocks back, of the class that was used least lately first, until at most `room` bytes are kept.
void Allocator::evict(size_t room) {
  while (kept_ > room) {
    int oldest = -1;
    for (int i = 0; i < SizeClass::count; ++i)
      if (lists_[i].first && (oldest < 0 || lists_[i].used < lists_[oldest].used)) oldest = i;
    if (oldest < 0) return;
    ++lists_[size_t(oldest)].given_back;
    give_back(oldest);
  }
}

// The caller holds the lock. `allocated_` is this thread's view: its own small blocks are merged before it is read.
void Allocator::count_large(int64_t bytes) {
  if (local_ && local_->owner == this) merge(*local_);
  allocated_ += bytes;
  peak_ = std::max(peak_, allocated_);
  most_ = std::max(most_, allocated_);
  ++calls_;
}

// Adds the counters of a thread to the allocator's. The peak is exact for one thread; it may be too low while several
// threads allocate small blocks.
void Allocator::merge(Local& l) {
  constexpr auto relaxed = std::memory_order_relaxed;
  peak_ = std::max(peak_, allocated_ + l.top.load(relaxed));
  allocated_ += l.delta.exchange(0, relaxed);
  l.top.store(0, relaxed);
  calls_ += l.calls.exchange(0, relaxed);
}

void Allocator::drop(Local& l) noexcept {
  for (int i = 0; i < SizeClass::small; ++i)
    while (Block* b = l.lists[i].first) {
      l.lists[i].first = b->next;
      to_system(b, SizeClass::bytes_of(i));
      reserved_ -= int64_t(SizeClass::bytes_of(i));
    }
  l.lists = {};
}

void Allocator::empty_cache() {
  std::lock_guard hold(lock_);
  if (local_ && local_->owner == this) drop(*local_);
  give_all_back();
}

MemoryStats Allocator::stats() {
  std::lock_guard hold(lock_);
  if (local_ && local_->owner == this) merge(*local_);
  constexpr auto relaxed = std::memory_order_relaxed;
  MemoryStats s{allocated_, peak_, reserved_, calls_};
  for (Local* l = locals_; l; l = l->next) {
    if (l == local_) continue;
    s.peak = std::max(s.peak, s.allocated + l->top.load(relaxed));
    s.allocated += l->delta.load(relaxed);
    s.allocations += l->calls.load(relaxed);
  }
  return s;
}

void Allocator::reset_peak() {
  int64_t now = stats().allocated;
  std::lock_guard hold(lock_);
  peak_ = now;
}

}  // namespace luth::cpu
