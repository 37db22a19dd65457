#include "core/base/threads.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/block_signals.h"
#include "core/base/error.h"

namespace luth {
namespace {

thread_local bool serial = false;
std::mutex lock;
std::unique_ptr<oneapi::tbb::global_control> control;
std::unique_ptr<oneapi::tbb::task_arena> arena;

// Counts the workers that have come to the arena. oneTBB starts them within execute(), some at the first and some
// later.
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

// The limit of cgroup v2 or v1, in whole cores; 0 where there is none.
int cgroup_cores() {
  long long quota = -1, period = 0;
  char text[32] = "";
  if (FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    if (std::fscanf(f, "%31s %lld", text, &period) == 2 && text[0] != 'm') quota = std::atoll(text);
    std::fclose(f);
  } else if (FILE* q = std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "r")) {
    if (std::fscanf(q, "%lld", &quota) != 1) quota = -1;
    std::fclose(q);
    if (FILE* p = std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "r")) {
      if (std::fscanf(p, "%lld", &period) != 1) period = 0;
      std::fclose(p);
    }
  }
  return quota > 0 && period > 0 ? std::max(1, int(std::ceil(double(quota) / double(period)))) : 0;
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
  int limit = cgroup_cores();
  return std::max(1, limit ? std::min(n, limit) : n);
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
  auto one = [&](int64_t i) { f(context, i * grain, std::min(n, (i + 1) * grain)); };
  if (ranges == 1 || serial || num_threads() == 1) {
    for (int64_t i = 0; i < ranges; ++i) one(i);
    return;
  }
  {
    std::lock_guard hold(lock);
    if (!arena) {
      using oneapi::tbb::global_control;
      control = std::make_unique<global_control>(global_control::max_allowed_parallelism, threads);
      arena = std::make_unique<oneapi::tbb::task_arena>(threads);
      workers = std::make_unique<Workers>();
    }
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
