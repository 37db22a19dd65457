#include "core/base/threads.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/block_signals.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/limits.h"
#include "core/base/warn.h"

namespace luth {
namespace {

thread_local bool serial = false;
std::mutex lock;
std::unique_ptr<oneapi::tbb::global_control> control;
std::unique_ptr<oneapi::tbb::task_arena> arena;

// Counts the workers that have come to the arena.
class Workers : public oneapi::tbb::task_scheduler_observer {
 public:
  Workers() : task_scheduler_observer(*arena) { observe(true); }
  ~Workers() override { observe(false); }
  void on_scheduler_entry(bool worker) override {
    static thread_local int64_t met = 0;
    if (worker && std::exchange(met, number_) != number_) ++count_;
  }
  int count() const { return count_; }

 private:
  static inline int64_t all_ = 0;
  const int64_t number_ = ++all_;
  std::atomic<int> count_{0};
};
std::unique_ptr<Workers> workers;
int threads = 0;  // 0: not decided yet

// The cores that a control group's quota gives, as a number of whole ones; nothing where it sets none.
std::optional<int> quota_of(const std::string& group) {
  auto quota = number_in(group + "/cpu.cfs_quota_us"), period = number_in(group + "/cpu.cfs_period_us");
  if (FILE* f = std::fopen((group + "/cpu.max").c_str(), "re")) {
    long long q = 0, p = 0;
    if (std::fscanf(f, "%lld %lld", &q, &p) == 2) quota = q, period = p;
    std::fclose(f);
  }
  if (quota.value_or(0) <= 0 || period.value_or(0) <= 0) return {};
  return int(std::clamp<int64_t>((*quota + *period - 1) / *period, 1, 1 << 20));
}

// A thread that cannot be started while oneTBB is at work ends the process, so all of them are tried before.
void fit_threads() {
  const int wanted = threads;
  threads = 1 + startable_threads(wanted - 1);
  if (threads < wanted)
    warn_at("", fmt::format("only {} of {} threads can run here (`ulimit -u`, `ulimit -v` or a control group); luth "
                            "computes with those; --threads or LUTH_THREADS chooses their number",
                            threads, wanted));
}

// oneTBB starts its workers within execute(), each by another one. All of them start here, where signals are blocked,
// so that none has to start while a caller computes.
void start_workers() {
  using namespace std::chrono;
  const BlockSignals meanwhile;
  const auto end = steady_clock::now() + milliseconds(500);
  arena->execute([&] {
    oneapi::tbb::parallel_for(
        0, threads,
        [&](int) {
          while (workers->count() < threads - 1 && steady_clock::now() < end)
            std::this_thread::sleep_for(microseconds(20));
        },
        oneapi::tbb::simple_partitioner());
  });
}

// False where there is nothing but the calling thread.
bool have_pool() {
  std::lock_guard hold(lock);
  if (arena || threads == 1) return threads > 1;
  fit_threads();
  if (threads == 1) return false;
  using oneapi::tbb::global_control;
  control = std::make_unique<global_control>(global_control::max_allowed_parallelism, threads);
  arena = std::make_unique<oneapi::tbb::task_arena>(threads);
  workers = std::make_unique<Workers>();
  start_workers();
  return true;
}

int threads_from(const char* variable) {
  const char* text = std::getenv(variable);
  int n = text ? std::atoi(text) : 0;
  return std::clamp(n, 0, 4096);
}

}  // namespace

int available_cores() {
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  for (auto& group : control_groups("cpu"))
    if (auto cores = quota_of(group)) n = std::min(n, *cores);
  return std::max(1, n);
}

int num_threads() {
  if (!threads) {
    int n = threads_from("LUTH_THREADS");
    if (!n) n = threads_from("OMP_NUM_THREADS");
    threads = n ? n : available_cores();
  }
  return threads;
}

void set_num_threads(int n) {
  if (n < 1) throw Error("the number of threads must be at least 1, got {}", n);
  std::lock_guard hold(lock);
  threads = n;
  workers.reset();
  arena.reset();
  control.reset();
}

SerialScope::SerialScope() : before_(serial) { serial = true; }
SerialScope::~SerialScope() { serial = before_; }

void run_ranges(int64_t n, int64_t grain, RangeFn f, void* context) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  int64_t ranges = (n + grain - 1) / grain;
  auto one = [&](int64_t i) {
    if (i > 0) poll_interrupt_in_work();
    f(context, i * grain, std::min(n, (i + 1) * grain));
  };
  if (ranges == 1 || serial || num_threads() == 1 || !have_pool()) {
    for (int64_t i = 0; i < ranges; ++i) one(i);
    return;
  }
  std::optional<BlockSignals> starting;
  if (workers->count() < threads - 1) starting.emplace();
  arena->execute([&] {
    oneapi::tbb::parallel_for(int64_t(0), ranges, [&](int64_t i) {
      SerialScope inner;
      one(i);
    });
  });
}

}  // namespace luth
