#include "tests/fakecuda/nccl/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include "core/base/block_signals.h"

namespace fakenccl {
namespace {

bool move_all(int fd, void* bytes, size_t size, bool sends) {
  for (char* p = static_cast<char*>(bytes); size > 0;) {
    const ssize_t n = sends ? ::send(fd, p, size, MSG_NOSIGNAL) : ::recv(fd, p, size, 0);
    if (n <= 0) return false;
    p += n, size -= size_t(n);
  }
  return true;
}

struct Head {
  Call call;
  uint64_t ticket, turn, bytes;
};

}  // namespace

Channel::Channel(int fd, std::function<void(Message)> got, std::function<void()> ended, std::function<void()> pause)
    : fd_(fd), got_(std::move(got)), ended_(std::move(ended)), pause_(std::move(pause)) {
  const luth::BlockSignals blocked;
  reader_ = std::thread([this] { read_all(); });
  writer_ = std::thread([this] { write_all(); });
}

Channel::~Channel() {
  close();
  reader_.join();
  writer_.join();
  ::close(fd_);
}

void Channel::send(Message m) {
  {
    const std::lock_guard lock(mutex_);
    outbox_.push_back(std::move(m));
  }
  changed_.notify_all();
}

void Channel::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  ::shutdown(fd_, SHUT_RDWR);
}

void Channel::read_all() {
  for (Head h; move_all(fd_, &h, sizeof h, false);) {
    Message m{h.call, h.ticket, h.turn, std::vector<char>(h.bytes)};
    if (!move_all(fd_, m.data.data(), m.data.size(), false)) break;
    got_(std::move(m));
  }
  ended_();
}

void Channel::write_all() {
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [&] { return closed_ || !outbox_.empty(); });
    if (closed_) return;
    Message m = std::move(outbox_.front());
    outbox_.pop_front();
    lock.unlock();
    if (pause_) pause_();
    Head h{m.call, m.ticket, m.turn, m.data.size()};
    if (!move_all(fd_, &h, sizeof h, true) || !move_all(fd_, m.data.data(), m.data.size(), true)) return;
    lock.lock();
  }
}

}  // namespace fakenccl
