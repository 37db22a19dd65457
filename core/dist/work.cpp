#include "core/dist/work.h"

#include "core/base/block_signals.h"
#include "core/base/interrupt.h"

namespace luth::dist {

void Work::wait() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, Milliseconds(100), [&] { return done_ || (event_ && !on_host_); })) {
    lock.unlock();
    poll_interrupt();
    lock.lock();
  }
  if (error_) std::rethrow_exception(error_);
  if (event_ && !done_) device_->current_stream()->wait(*event_);
}

void Work::set_given(std::shared_ptr<Event> done, Device& device) {
  const std::lock_guard lock(mutex_);
  event_ = std::move(done);
  device_ = &device;
  ended_.notify_all();
}

bool Work::is_completed() const {
  const std::lock_guard lock(mutex_);
  return done_;
}
std::exception_ptr Work::exception() const {
  const std::lock_guard lock(mutex_);
  return error_;
}
void Work::finish(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  done_ = true;
  ended_.notify_all();
}

void Work::run(const std::function<void(Work&)>& call) {
  std::exception_ptr error;
  try {
    call(*this);
  } catch (...) { error = std::current_exception(); }
  finish(error);
}

Lane::~Lane() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Lane::give(WorkRef work, std::function<void(Work&)> call) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(work), std::move(call));
    idle_ = false;
    if (!thread_.joinable()) {
      const BlockSignals blocked;
      thread_ = std::thread([this] { run(); });
    }
  }
  changed_.notify_one();
}

void Lane::drain() noexcept try {
  const auto last = std::make_shared<Work>("the last call");
  give(last, [](Work&) {});
  last->wait();
} catch (const std::exception&) {}  // whoever waits for a call that has failed learns it

bool Lane::is_idle() {
  const std::lock_guard lock(mutex_);
  return idle_;
}

void Lane::run() {
  std::exception_ptr failed;
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto [work, call] = std::move(queue_.front());
    queue_.pop_front();
    if (stop_ && !failed)
      failed = std::make_exception_ptr(Error("the process group was destroyed before this call ran"));
    lock.unlock();
    if (!failed) {
      try {
        call(*work);
      } catch (...) { failed = std::current_exception(); }
    }
    call = nullptr;  // its tensors, before somebody who waits goes on
    work->finish(failed);
    lock.lock();
    idle_ = queue_.empty() && !failed;
  }
}

}  // namespace luth::dist
