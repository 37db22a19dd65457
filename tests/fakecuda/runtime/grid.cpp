// Grids: blocks in an order drawn from the seed, now and then on two OS threads.
#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

#include "tests/fakecuda/runtime/worker.h"

namespace fake {
namespace {

// What both OS threads share while a grid runs. Block i of the order is (start + i step) mod n, with step and n
// coprime.
struct Progress {
  Progress(const Grid& g) : grid(g), n(uint64_t(g.blocks.x) * g.blocks.y * g.blocks.z) {
    Random random(g.seed);
    start = random.next() % n;
    do step = random.next() % n | 1;
    while (std::gcd(step, n) != 1);
  }
  void run_blocks() {
    Worker& worker = Worker::mine();
    for (uint64_t i; !failed && (i = taken++) < n;) {
      uint64_t b = uint64_t((fakecuda_uint128(i) * step + start) % n), x = grid.blocks.x, y = grid.blocks.y;
      Failure f = worker.run(grid, {unsigned(b % x), unsigned(b / x % y), unsigned(b / x / y)});
      if (f && !failed.exchange(true)) failure = f;
    }
    barriers += worker.take_barriers();
  }
  const Grid& grid;
  uint64_t n, start = 0, step = 1;
  std::atomic<uint64_t> taken = 0, barriers = 0;
  std::atomic<bool> failed = false;
  Failure failure;  // of who set `failed`
};

// The second OS thread. It lives until the process ends.
class Helper {
 public:
  static Helper& one() {
    static Helper* helper = new Helper;
    return *helper;
  }
  /// Runs a grid with the caller; false if another caller has the helper.
  bool run(Progress& progress) {
    std::unique_lock only(turn_, std::try_to_lock);
    if (!only) return false;
    {
      std::lock_guard lock(mutex_);
      work_ = &progress;
    }
    changed_.notify_all();
    progress.run_blocks();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !work_; });
    return true;
  }

 private:
  Helper() {
    std::thread([this] { serve(); }).detach();
  }
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return work_ != nullptr; });
      Progress* work = work_;
      lock.unlock();
      work->run_blocks();
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }
  std::mutex turn_, mutex_;
  std::condition_variable changed_;
  Progress* work_ = nullptr;
};

}  // namespace

Failure run_grid(const Grid& grid, bool two_threads, uint64_t& barriers) {
  Progress progress(grid);
  if (!two_threads || progress.n < 2 || !Helper::one().run(progress)) progress.run_blocks();
  barriers += progress.barriers;
  return progress.failure;
}

}  // namespace fake
