#include "cli/outlet.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/block_signals.h"

namespace luth::cli {

struct Outlet::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<int, std::string>> texts;
  size_t bytes = 0;
  bool has_thread = false, ended = false;
};

namespace {

// What cannot be written is dropped. A descriptor that is full, and does not block, is waited for.
void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    text.remove_prefix(size_t(std::max<ssize_t>(n, 0)));
    if (n >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return;
    pollfd full{fd, POLLOUT, 0};
    ::poll(&full, 1, -1);
  }
}

}  // namespace

Outlet::Outlet() : shared_(std::make_shared<Shared>()) {}
Outlet::~Outlet() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ended = true;
  shared_->changed.notify_all();
}

// The thread may wait for a reader for ever, so nobody waits for it.
void Outlet::give(int fd, std::string text) {
  const std::lock_guard lock(shared_->mutex);
  shared_->bytes += text.size();
  shared_->texts.emplace_back(fd, std::move(text));
  shared_->changed.notify_all();
  if (std::exchange(shared_->has_thread, true)) return;
  const BlockSignals blocked;
  std::thread([s = shared_] {
    for (std::unique_lock lock(s->mutex);;) {
      s->changed.wait(lock, [&] { return s->ended || !s->texts.empty(); });
      if (s->texts.empty()) return;
      const auto [to, text] = std::move(s->texts.front());
      s->texts.pop_front();
      lock.unlock();
      write_all(to, text);
      lock.lock();
      s->bytes -= text.size();
    }
  }).detach();
}

size_t Outlet::waiting() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->bytes;
}

}  // namespace luth::cli
