#include "core/dist/watch.h"

#include "core/base/block_signals.h"
#include "core/dist/store.h"

namespace luth::dist {
namespace {
constexpr Milliseconds second{1'000};
}

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
  for (std::unique_lock lock(mutex_); !stop_;) {
    if (changed_.wait_for(lock, second, [&] { return stop_; })) return;
    const Hurry hurry;
    for (Watched* g : groups_) g->watch();
  }
}

Watch& the_watch() {
  static auto& w = *new Watch;  // groups in static variables may outlive it
  return w;
}

}  // namespace luth::dist
