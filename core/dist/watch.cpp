#include "core/dist/watch.h"

#include "core/base/block_signals.h"
#include "core/dist/store.h"

namespace luth::dist {
namespace {
constexpr Milliseconds turn{250};
constexpr int turns_of_watch = 4;  // a second
}  // namespace

void Watch::add(Watched* g) {
  const std::lock_guard lock(mutex_);
  groups_.insert(g);
  if (thread_.joinable()) return;
  stop_ = false;
  const BlockSignals blocked;
  thread_ = std::thread([this] { run(); });
}

void Watch::remove(Watched* g) {
  std::thread last;
  {
    const std::lock_guard lock(mutex_);
    groups_.erase(g);
    if (!groups_.empty()) return;
    stop_ = true;
    last = std::move(thread_);
  }
  changed_.notify_all();
  if (last.joinable()) last.join();
}

void Watch::run() {
  std::unique_lock lock(mutex_);
  for (int i = 1; !changed_.wait_for(lock, turn, [&] { return stop_; }); ++i) {
    const Hurry hurry;
    for (Watched* g : groups_) {
      g->look_after();
      if (i % turns_of_watch == 0) g->watch();
    }
  }
}

Watch& the_watch() {
  static auto& w = *new Watch;  // groups in static variables may outlive it
  return w;
}

}  // namespace luth::dist
