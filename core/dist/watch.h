// One thread for all groups, which looks after their calls.
#pragma once
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace luth::dist {

/// A group, to the watch.
class Watched {
 public:
  virtual ~Watched() = default;
  /// Every second: tells the others where this rank is, and warns of a call that stalls.
  virtual void watch() = 0;
  /// Some times a second: ends what waits for a rank that has died.
  virtual void look_after() = 0;
  /// What an error of the call that is running would say; "" where none is. Other ranks learn of it as this rank's end.
  virtual std::string explain_running(const std::string& reason) = 0;
};

class Watch {
 public:
  void add(Watched* g);
  /// Returns when the group is watched no more.
  void remove(Watched* g);

  template <class F>
  void each(F&& f) {
    const std::lock_guard lock(mutex_);
    for (Watched* g : groups_) f(*g);
  }

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Watched*> groups_;
  bool stop_ = false;
  std::thread thread_;
};

Watch& the_watch();

}  // namespace luth::dist
