#include "core/dist/file_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "core/base/interrupt.h"

namespace luth::dist {

FileStore::FileStore(std::string path, Milliseconds timeout)
    : Store(timeout),
      path_(std::move(path)),
      file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (!file_) throw Error(ErrorCode::usage, "cannot open the store '{}': {}", path_, std::strerror(errno));
}

// f under the locks of thread and file, with a table that is up to date.
template <class F>
auto FileStore::locked(F&& f) {
  const std::lock_guard lock(mutex_);
  for (const Deadline end = Clock::now() + patience(); ::flock(file_.fd(), LOCK_EX | LOCK_NB);) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      throw Error(ErrorCode::peer, "cannot lock the store '{}': {}", path_, std::strerror(errno));
    if (Clock::now() >= end)
      throw Error(ErrorCode::peer, "the store '{}' is locked by another process, which seems to have stopped", path_);
    poll_interrupt();
    std::this_thread::sleep_for(Milliseconds(1));
  }
  struct Unlock {
    int fd;
    ~Unlock() { ::flock(fd, LOCK_UN); }
  } const unlock{file_.fd()};
  refresh();
  return f();
}

void FileStore::refresh() {
  for (;;) {
    std::string head(4, '\0');
    if (::pread(file_.fd(), head.data(), head.size(), off_t(read_)) != 4) return;
    std::string body(std::min(length_at(head, 0), most_bytes), '\0');
    if (::pread(file_.fd(), body.data(), body.size(), off_t(read_ + 4)) != ssize_t(body.size())) return;
    const auto request = decode(body);
    if (!request || !table_.obey(*request)) throw Error(ErrorCode::peer, "'{}' is no store of luth", path_);
    read_ += 4 + body.size();
  }
}

void FileStore::append(const std::string& record) {
  const ssize_t n = ::write(file_.fd(), record.data(), record.size());
  if (n != ssize_t(record.size())) {
    const int reason = n < 0 ? errno : ENOSPC;
    if (n > 0 && ::ftruncate(file_.fd(), off_t(read_))) {}  // others would take the rest for a record
    throw Error(ErrorCode::peer, "cannot write the store '{}': {}", path_, std::strerror(reason));
  }
  read_ += record.size();
}

Fields FileStore::ask(const Fields& request) {
  return locked([&] {
    if (request[0] != "find" && request[0] != "count") append(encode(request));
    return table_.obey(request).value_or(Fields{});
  });
}

void FileStore::leave(const std::string& key, int all) {
  if (add(key, 1) == all) ::unlink(path_.c_str());
}

bool FileStore::wait_until(const Fields& keys, Deadline deadline) {
  for (Milliseconds pause{1};; pause = std::min(pause * 2, Milliseconds(50))) {
    poll_interrupt();
    if (locked([&] { return table_.has_all(keys); })) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace luth::dist
