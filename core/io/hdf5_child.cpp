#include "core/io/hdf5_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "core/base/interrupt.h"
#include "core/base/paths.h"
#include "core/io/description.h"

namespace luth::io {
namespace {

constexpr uint64_t mebibyte = 1 << 20;

// Closed at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// A process that does not outlive this object.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  ~Child() {
    if (!pid_) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  /// How it ended, as waitpid says; nothing where the program that hosts us waits for all children itself.
  std::optional<int> wait() {
    int status = 0;
    pid_t ended;
    while ((ended = ::waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {}
    pid_ = 0;
    return ended > 0 ? std::optional(status) : std::nullopt;
  }

 private:
  pid_t pid_;
};

// A failure of one of the functions that return an errno.
void need(int error, const char* what) {
  if (error) throw Error("{}: {}", what, std::strerror(error));
}

class SpawnActions {
 public:
  SpawnActions() { need(posix_spawn_file_actions_init(&actions_), "spawn"); }
  SpawnActions(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  /// The process has `fd` as `as`, which is larger than none of those that come after it.
  void give(int fd, int as) { need(posix_spawn_file_actions_adddup2(&actions_, fd, as), "spawn"); }
  void nothing_at(int fd) { need(posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0), "spawn"); }
  void close_from(int fd) { need(posix_spawn_file_actions_addclosefrom_np(&actions_, fd), "spawn"); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// A group of its own, so that Ctrl-C in the terminal ends luth and luth ends it; no signal is ignored or blocked.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    need(posix_spawnattr_init(&attributes_), "spawn");
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::string program() {
  const std::string& library = core_library();
  const size_t slash = library.rfind('/');
  return (slash == library.npos ? "." : library.substr(0, slash)) + "/../libexec/luth/read-hdf5";
}

[[noreturn]] void no_child(const std::string& path, const std::string& why) {
  throw Error(
      ErrorCode::checkpoint,
      "cannot use '{}': HDF5 files are read by a process of their own, '{}', which does not start: {}; torch.load "
      "with {{trusted = true}} reads a file that you trust without it",
      path, program(), why);
}

// Above all descriptors that the process gets, so that none replaces another.
Descriptor high_copy(int fd) { return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, child_unpacked + 1)); }

pid_t spawn(const std::string& path, int file, int answer, int unpacked, const std::vector<std::string>& words) {
  const Descriptor high[] = {high_copy(file), high_copy(answer), high_copy(unpacked)};
  SpawnActions actions;
  for (int fd = 0; fd < child_file; ++fd) actions.nothing_at(fd);
  for (int i = 0; i < 3; ++i) {
    if (high[i].get() < 0) no_child(path, std::strerror(errno));
    actions.give(high[i].get(), child_file + i);
  }
  actions.close_from(child_unpacked + 1);
  std::vector<char*> arguments;
  for (auto& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  char* environment[] = {nullptr};
  const SpawnAttributes attributes;
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, program().c_str(), actions.get(), attributes.get(), arguments.data(), environment);
  if (error) no_child(path, std::strerror(error));
  return pid;
}

// All that comes until the other end is closed; empty where it is more than `most`.
std::string read_all(int fd, uint64_t most) {
  std::string all;
  char piece[1 << 16];
  for (;;) {
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, 100) <= 0) {
      poll_interrupt();
      continue;
    }
    const ssize_t n = ::read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return all;
    if (all.size() + size_t(n) > most) return "";
    all.append(piece, size_t(n));
  }
}

[[noreturn]] void died(const std::string& path, std::optional<int> status, const ReadBounds& bounds) {
  std::string how = "gave no answer";
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status))
    how = fmt::format("ended with code {}", WEXITSTATUS(*status));
  if (status && WIFSIGNALED(*status)) how = fmt::format("died of signal {}", WTERMSIG(*status));
  if (status && WIFSIGNALED(*status) && (WTERMSIG(*status) == SIGXCPU || WTERMSIG(*status) == SIGKILL))
    how = fmt::format("took more than {} seconds", bounds.seconds);
  throw Error(ErrorCode::checkpoint,
              "cannot use '{}': the process that read it {}: the file is damaged, or made to do harm; use another copy",
              path, how);
}

}  // namespace

ReadBounds read_bounds(uint64_t size, uint64_t max_bytes) {
  return {256 * mebibyte + (max_bytes ? max_bytes : 4 * size), max_bytes ? max_bytes : 64 * 1024 + 1100 * size,
          mebibyte + 16 * size, 5 + size / (8 * mebibyte)};
}

Disk memory_file() {
  const int fd = ::memfd_create("luth-unpacked", MFD_CLOEXEC);
  if (fd < 0) throw Error("no file in memory can be made: {}", std::strerror(errno));
  return Disk(fd, 0);
}

Item describe_in_child(Disk& disk, const std::string& path, bool sealed, Disk& unpacked, const ReadBounds& bounds) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC)) no_child(path, std::strerror(errno));
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  Child child(spawn(path, disk.fd(), to.get(), unpacked.fd(),
                    {"read-hdf5", path, sealed ? "sealed" : "unsealed", std::to_string(bounds.memory),
                     std::to_string(bounds.unpacked), std::to_string(bounds.seconds)}));
  to.close();
  const std::string answer = read_all(from.get(), bounds.answer);
  const std::optional<int> status = child.wait();
  if (answer.empty() || (status && *status)) died(path, status, bounds);
  Item tree = decode(answer);
  auto* map = tree.as<Map>();
  if (!map || map->kind != error_kind) return tree;
  const Item* text = map->find("text");
  throw Error(ErrorCode::checkpoint, "{}", text && text->as<std::string>() ? *text->as<std::string>() : "unreadable");
}

}  // namespace luth::io
