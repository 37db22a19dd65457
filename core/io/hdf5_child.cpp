#include "core/io/hdf5_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "core/base/interrupt.h"
#include "core/base/limits.h"
#include "core/base/paths.h"
#include "core/base/visible.h"
#include "core/io/description.h"
#include "core/io/elements.h"

namespace luth::io {
namespace {

constexpr uint64_t mebibyte = 1 << 20;
constexpr size_t most_error = 2000;  // characters of a sentence of the reader's, which a file may have taken over

// A process that does not outlive this object.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  ~Child() {
    if (pid_) end();
  }
  void end() {
    ::kill(pid_, SIGKILL);
    wait();
  }
  /// How it ended, as waitpid says; nothing where the program that hosts us waits for all children itself. One that has
  /// given its answer and does not end is ended.
  std::optional<int> wait_a_little() {
    for (int i = 0; i < 1000; ++i) {
      siginfo_t info{};
      if (::waitid(P_PID, id_t(pid_), &info, WEXITED | WNOHANG | WNOWAIT)) return pid_ = 0, std::nullopt;
      if (info.si_pid) break;
      poll_interrupt();
      ::usleep(i < 100 ? 100 : 10'000);
    }
    ::kill(pid_, SIGKILL);  // nothing to one that has ended
    return wait();
  }

 private:
  std::optional<int> wait() {
    int status = 0;
    pid_t ended;
    while ((ended = ::waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {}
    pid_ = 0;
    return ended > 0 ? std::optional(status) : std::nullopt;
  }

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
  /// The process has `fd` as `as`. No `fd` given later is `as`.
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
  return library.substr(0, library.rfind('/') + 1) + "../libexec/luth/read-hdf5";
}

// `why`: what the process that should read it does instead. `limited`: a limit of the system may be the reason.
[[noreturn]] void no_child(const std::string& path, const std::string& why, bool limited) {
  throw Error(ErrorCode::checkpoint,
              "cannot use '{}': HDF5 files are read by a process of their own, '{}', which {}; {}", path, program(),
              why,
              limited ? "raise the limit (ulimit -n, -u, -v)"
                      : "torch.load with {trusted = true} reads a file that you trust without it");
}
[[noreturn]] void no_child(const std::string& path, int error) {
  no_child(path, fmt::format("does not start: {}", std::strerror(error)),
           error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOMEM);
}

// Above all descriptors that the process gets, so that none replaces another.
Disk high_copy(int fd) { return Disk(::fcntl(fd, F_DUPFD_CLOEXEC, child_unpacked + 1), 0); }

pid_t spawn(const std::string& path, int file, int answer, int unpacked, const std::vector<std::string>& words) {
  const Disk high[] = {high_copy(file), high_copy(answer), high_copy(unpacked)};
  SpawnActions actions;
  for (int fd = 0; fd < child_file; ++fd) actions.nothing_at(fd);
  for (int i = 0; i < 3; ++i) {
    if (high[i].fd() < 0) no_child(path, errno);
    actions.give(high[i].fd(), child_file + i);
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
  if (error) no_child(path, error);
  return pid;
}

using Clock = std::chrono::steady_clock;

// All that comes until the other end is closed. Throws where it is more than the bounds allow, or does not come: a
// process that waits uses none of its processor time.
std::string read_all(int fd, const ReadBounds& bounds, const std::string& path) {
  const auto last = Clock::now() + std::chrono::seconds(20 + 10 * bounds.seconds);
  std::string all;
  char piece[1 << 16];
  for (;;) {
    if (Clock::now() > last)
      throw Error(ErrorCode::checkpoint, "cannot use '{}': the process that reads it does not answer", path);
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, 100);
    if (ready == 0 || (ready < 0 && errno == EINTR)) {
      poll_interrupt();
      continue;
    }
    const ssize_t n = ::read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw Error(ErrorCode::checkpoint, "cannot use '{}': the answer of the process that reads it does not come: {}",
                  path, std::strerror(errno));
    if (n == 0) return all;
    if (all.size() + size_t(n) > bounds.answer)
      throw Error(
          ErrorCode::checkpoint,
          "cannot use '{}': its names and values take more memory than its size allows; it is made to do harm, or "
          "{{trusted = true}} reads it",
          path);
    all.append(piece, size_t(n));
  }
}

std::string ending(std::optional<int> status) {
  if (status && WIFSIGNALED(*status)) return fmt::format("died of signal {}", WTERMSIG(*status));
  if (status && WEXITSTATUS(*status)) return fmt::format("ended with code {}", WEXITSTATUS(*status));
  return "gave no answer";
}

// Nothing of the file was parsed, so it is not to blame.
[[noreturn]] void not_ready(const std::string& path, std::optional<int> status) {
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == keeps_rights)
    no_child(path, "cannot give up its rights: the system does not let it (seccomp, setrlimit)", false);
  no_child(path, ending(status) + " before it began", address_space_left().has_value());
}

[[noreturn]] void died(const std::string& path, std::optional<int> status, const ReadBounds& bounds) {
  std::string how = ending(status);
  if (status && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGXCPU)
    how = fmt::format("took more than {} seconds", bounds.seconds);
  if (status && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL)
    throw Error(ErrorCode::checkpoint, "cannot use '{}': the process that read it was killed; memory may have ended",
                path);
  if (status && WIFEXITED(*status)) how += " (libhdf5 ends so where memory ends; torch.load has {max_bytes = …})";
  throw Error(ErrorCode::checkpoint,
              "cannot use '{}': the process that read it {}: the file is damaged, or made to do harm; use another copy",
              path, how);
}

// What the process answers, which may be an error.
Item ask_child(Disk& disk, const std::string& path, bool sealed, Disk& unpacked, const ReadBounds& bounds) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC)) no_child(path, errno);
  const Disk from(ends[0], 0);
  Disk to(ends[1], 0);
  Child child(spawn(path, disk.fd(), to.fd(), unpacked.fd(),
                    {"read-hdf5", path, sealed ? "sealed" : "unsealed", std::to_string(bounds.memory),
                     std::to_string(bounds.unpacked), std::to_string(bounds.seconds)}));
  to = Disk();
  const std::string answer = read_all(from.fd(), bounds, path);
  const std::optional<int> status = child.wait_a_little();
  if (answer.empty()) not_ready(path, status);
  if (answer.size() == 1 || (status && *status)) died(path, status, bounds);
  return decode_of(path, std::string_view(answer).substr(1), bounds.memory);
}

}  // namespace

// A file in memory counts for no process, so that the system would end others for it.
ReadBounds read_bounds(uint64_t size, uint64_t max_bytes, int64_t available) {
  const uint64_t unpacked = max_bytes ? max_bytes : 64 * 1024 + most_packing * size;
  return {256 * mebibyte + (max_bytes ? max_bytes : 4 * size),
          available ? std::min(unpacked, uint64_t(available)) : unpacked,
          max_bytes ? mebibyte + max_bytes : 8 * mebibyte + 16 * size,
          std::min(2 + size / (mebibyte / 4), 5 + size / (2 * mebibyte))};
}

Disk memory_file() {
  const int fd = ::memfd_create("luth-unpacked", MFD_CLOEXEC);
  if (fd < 0) throw Error("no file in memory can be made: {}", std::strerror(errno));
  return Disk(fd, 0);
}

Item describe_in_child(Disk& disk, const std::string& path, bool sealed, Disk& unpacked, const ReadBounds& bounds) {
  Item tree = ask_child(disk, path, sealed, unpacked, bounds);
  auto* map = tree.as<Map>();
  if (!map || map->kind != error_kind) return tree;
  const Item* text = map->find("text");
  throw Error(
      ErrorCode::checkpoint, "{}",
      text && text->as<std::string>() ? foreign(*text->as<std::string>(), most_error + path.size()) : "unreadable");
}

std::string reader_trouble() {
  try {
    Disk nothing = memory_file(), unpacked = memory_file();
    ask_child(nothing, "nothing", false, unpacked, read_bounds(0, 0));
    return "";
  } catch (const Error& e) { return e.what(); }
}

}  // namespace luth::io
