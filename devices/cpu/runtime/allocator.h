// The CPU's caching allocator: freed blocks are kept by size class and handed out again, because fresh pages cost far
// more than arithmetic on old ones (2 GB/s for a first touch of 4 KiB pages).
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "core/device/device.h"

namespace luth::cpu {

/// Size classes: multiples of 64 bytes up to 1 KiB, then eight for each power of two, so that a block wastes at most
/// an eighth.
struct SizeClass {
  static constexpr int count = 16 + 8 * 38;           // up to 2^48 bytes
  static constexpr int small = 16 + 8 * 5;            // up to 32 KiB: kept per thread
  static constexpr size_t huge = size_t(1) << 21;     // from here on: whole huge pages
  static constexpr size_t largest = size_t(1) << 47;  // more than any process can address
  int index;
  size_t bytes, asked;
  explicit SizeClass(size_t n);  // 0 < n ≤ largest
  static constexpr size_t bytes_of(int index) {
    if (index < 16) return size_t(index + 1) * 64;
    int power = 10 + (index - 16) / 8;
    return (size_t(1) << power) + size_t((index - 16) % 8 + 1) * (size_t(1) << (power - 3));
  }
};

/// Seconds of a clock that never goes back.
int64_t coarse_seconds();

/// Thread-safe. Small blocks come from a list of the calling thread, without a lock or an atomic operation.
///
/// Freed blocks are kept as long as what is kept and what is in use are together at most one and a half times what was
/// in use at once lately, and no class lies idle for two periods. A class whose block was given back too early, because
/// it is asked for again, raises the limit by that block, to two and a half times: so a program that does the same
/// again and again soon asks the system for nothing.
class Allocator {
 public:
  static constexpr int64_t period = 10;              // seconds; lately: in this period or the one before
  static constexpr size_t least = size_t(64) << 20;  // bytes that are kept in any case
  /// Keeps at most `bound` bytes in large freed blocks; 0: a quarter of this machine's memory.
  explicit Allocator(size_t bound = 0, int64_t (*clock)() = coarse_seconds);
  ~Allocator();
  Allocator(const Allocator&) = delete;

  /// 64-byte aligned. Throws ErrorCode::memory, with the bytes asked for and the bytes available.
  void* allocate(size_t bytes);
  void free(void* p, size_t bytes) noexcept;
  /// Frees all kept blocks, except in lists of other threads (about 2 MiB each at most).
  void empty_cache();
  MemoryStats stats();
  void reset_peak();

 private:
  struct Block {
    Block* next;
  };
  struct List {
    Block* first = nullptr;
    int count = 0;
    int given_back = 0;  // blocks, in this period, to make room
    uint64_t used = 0;   // when last taken from or added to, in calls
  };
  // The lists and counters of one thread, which alone writes them; stats() of another thread reads the counters.
  struct Local {
    Allocator* owner;
    std::array<List, SizeClass::small> lists{};
    std::atomic<int64_t> delta{0}, top{0};  // bytes handed out since the last merge, and the highest value of it
    std::atomic<int64_t> calls{0};
    Local* next = nullptr;
  };

  Local* local() { return local_ && local_->owner == this ? local_ : make_local(); }
  Local* make_local() noexcept;
  void end_local() noexcept;
  void* pass_through(size_t bytes);
  void* refill(Local* l, const SizeClass& c);
  void spill(List& list, const SizeClass& c);
  void* take(const SizeClass& c);
  void put(Block* b, const SizeClass& c) noexcept;
  size_t room(size_t more = 0) const;
  void evict(size_t room);
  void give_back(int index);
  void give_all_back();
  void look_at_clock();
  void merge(Local& l);
  void count_large(int64_t bytes);
  void drop(Local& l) noexcept;

  static __attribute__((tls_model("initial-exec"))) thread_local Local* local_;

  std::mutex lock_;
  std::array<List, SizeClass::count> lists_{};
  Local* locals_ = nullptr;
  size_t bound_;
  int64_t (*clock_)();
  int64_t period_end_;
  uint64_t period_begin_ = 0, period_before_ = 0;  // of this period and the one before, in calls
  int64_t most_ = 0, most_before_ = 0;             // bytes in use at once, in this period and the one before
  int64_t regretted_ = 0;                          // bytes that were given back too early
  size_t kept_ = 0;                                // bytes in lists_
  int64_t reserved_ = 0;                           // bytes taken from the system
  uint64_t tick_ = 0;
  int64_t allocated_ = 0, peak_ = 0, calls_ = 0;
};

/// As /proc/cpuinfo has it.
std::string processor_name();

}  // namespace luth::cpu
