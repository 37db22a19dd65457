#include "core/data/workers.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <utility>

#include "core/base/limits.h"
#include "core/base/threads.h"

namespace luth::data {
namespace {

constexpr auto patience = std::chrono::milliseconds(100);

class Pool {
 public:
  // Joined threads have destroyed what they kept per thread before the rest of the program ends.
  ~Pool() {
    {
      std::lock_guard hold(lock_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto* list : {&threads_, &ended_})
      for (auto& thread : *list) thread.join();
  }

  int ready(int wanted) {
    std::lock_guard hold(lock_);
    const int missing = wanted - int(threads_.size());
    const int most = missing > 0 && address_space_left() ? startable_threads(missing) : missing;
    for (int i = 0; i < most && start(); ++i) {}
    return std::min(wanted, int(threads_.size()));
  }

  bool run(std::function<void()> job) {
    std::list<Threads> ended;
    std::unique_lock hold(lock_);
    if (jobs_.size() >= idle_ + new_) start();
    if (threads_.empty()) return false;
    jobs_.push_back(std::move(job));
    ended.swap(ended_);
    hold.unlock();
    wake_.notify_one();
    return true;
  }

 private:
  // Adds a thread; false where the system has no room for it. lock_ is held.
  bool start() {
    const auto own = threads_.emplace(threads_.end());
    if (!own->start([this, own] { serve(own); })) return threads_.erase(own), false;
    return ++new_, true;
  }
  void serve(std::list<Threads>::iterator own) {
    SerialScope serial;
    std::unique_lock hold(lock_);
    --new_;
    for (;;) {
      ++idle_;
      wake_.wait_for(hold, patience, [&] { return stop_ || !jobs_.empty(); });
      --idle_;
      if (jobs_.empty()) break;
      const auto job = std::move(jobs_.front());
      jobs_.pop_front();
      hold.unlock();
      job();
      hold.lock();
    }
    if (!stop_) ended_.splice(ended_.end(), threads_, own);
  }

  std::mutex lock_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::list<Threads> threads_, ended_;  // each of one thread
  size_t idle_ = 0, new_ = 0;           // new: started, and not yet at the lock
  bool stop_ = false;
};

Pool& pool() {
  static Pool pool;
  return pool;
}

}  // namespace

int ready_workers(int wanted) { return pool().ready(wanted); }
bool run_on_worker(std::function<void()> job) { return pool().run(std::move(job)); }

}  // namespace luth::data
