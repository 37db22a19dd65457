// Calls that go on while the script does something else.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/device/device.h"
#include "core/dist/socket.h"

namespace luth::dist {

/// A call that was given to a Lane.
class Work {
 public:
  explicit Work(std::string name) : name_(std::move(name)) {}
  /// Waits until the call has ended, and throws what it threw. The calling thread may be interrupted; the call goes on.
  /// For a call of a GPU the thread's current stream there waits instead, unless wait_on_host() was asked for.
  void wait();
  void wait_on_host() { on_host_ = true; }
  /// The call was given to the device, which does it before `done` is done.
  void set_given(std::shared_ptr<Event> done, Device& device);
  /// Whether it has ended, well or not.
  bool is_completed() const;
  /// What it threw, null where it ended well or has not ended.
  std::exception_ptr exception() const;
  const std::string& name() const { return name_; }
  /// The rank whose message a receive got, once it has ended.
  int source_rank() const { return source_; }
  void set_source(int rank) { source_ = rank; }
  void finish(std::exception_ptr error);
  /// Runs the call here, and finishes with what it throws.
  void run(const std::function<void(Work&)>& call);

 private:
  std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false, on_host_ = false;
  std::shared_ptr<Event> event_;  // once it was given to the device
  Device* device_ = nullptr;
  int source_ = -1;
  std::exception_ptr error_;
};
using WorkRef = std::shared_ptr<Work>;

/// A thread that runs calls one after another, in the order in which they were given. It begins with the first. After
/// one has failed, those behind it fail with its error.
class Lane {
 public:
  Lane() = default;
  /// Waits for the call that runs; calls behind it fail.
  ~Lane();
  Lane(const Lane&) = delete;
  void give(WorkRef work, std::function<void(Work&)> call);
  /// Waits until all that was given has ended, well or not. Never throws.
  void drain() noexcept;
  /// Whether all has ended, and well.
  bool is_idle();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<WorkRef, std::function<void(Work&)>>> queue_;
  bool stop_ = false, idle_ = true;
  std::thread thread_;
};

}  // namespace luth::dist
