// What the thread of the wires hands to the thread of Lua: requests, answers, interrupts.
#pragma once
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "lang/notebook/message.h"
#include "lang/runtime/interp.h"

namespace luth::lang {

// SIGINT stops the cell that runs; between two cells it is dropped.
class Interruptible {
 public:
  // The handler that the interpreter has installed goes into a scope, and outside of scopes the signal is ignored.
  static void begin() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &handler());
  }
  Interruptible() { sigaction(SIGINT, &handler(), nullptr); }
  ~Interruptible() {
    begin();
    if (interrupted() == SIGINT) clear_interrupt();
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  static struct sigaction& handler() {
    static struct sigaction action {};
    return action;
  }
};

// Requests that the thread of the wires has received, until the thread of Lua takes them.
class Requests {
 public:
  using Queue = std::deque<std::pair<notebook::Channel, Message>>;

  void put(notebook::Channel channel, Message message) {
    {
      const std::lock_guard lock(mutex_);
      (channel == notebook::Channel::input ? answers_ : waiting_).emplace_back(channel, std::move(message));
    }
    came_.notify_all();
  }
  // The next request; nothing when the process shall end.
  std::optional<Queue::value_type> take() {
    std::unique_lock lock(mutex_);
    while (!came_.wait_for(lock, std::chrono::milliseconds(100), [&] { return !waiting_.empty(); }))
      if (interrupted() == SIGTERM) return std::nullopt;
    return popped(waiting_);
  }
  // The answer to a question for input. Throws when the cell is interrupted.
  Message take_answer() {
    std::unique_lock lock(mutex_);
    while (!came_.wait_for(lock, std::chrono::milliseconds(20), [&] { return !answers_.empty(); })) check_interrupt();
    return popped(answers_).second;
  }
  void forget_answers() {
    const std::lock_guard lock(mutex_);
    answers_.clear();
  }
  // The requests to execute that have come already.
  Queue take_executions() {
    const std::lock_guard lock(mutex_);
    Queue taken, kept;
    for (auto& item : waiting_) (item.second.type() == "execute_request" ? taken : kept).push_back(std::move(item));
    waiting_.swap(kept);
    return taken;
  }

 private:
  static Queue::value_type popped(Queue& queue) {
    auto first = std::move(queue.front());
    queue.pop_front();
    return first;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  Queue waiting_, answers_;
};

}  // namespace luth::lang
