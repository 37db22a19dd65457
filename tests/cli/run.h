#pragma once
// Runs the luth program from tests: to its end (`run`), beside the test (`Process`), or at a terminal (`Terminal`).
// Header only; needs no library of luth. The program is $LUTH (ctest sets it), else the bin/luth in the nearest folder
// above the test's own executable.
//
//   Result r = run({"-e", "print(1 + 1)"});                         r.code == 0, r.out == "2\n"
//   Result r = run({"-"}, {.in = "error('x')", .env = {{"LUTH_THREADS", "1"}}});
//   TempDir dir;  dir.write("a.lua", "print(...)");                 run({dir / "a.lua", "x"})
//   Process p({"-e", "while true do end"});  p.signal(SIGINT);      p.wait().code == 130
//   Terminal t;  t.expect("> ");  t.send("1 + 1\n");  t.expect("2");  t.send("\x04");  t.wait() == 0

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace luth::testing {

using Env = std::vector<std::pair<std::string, std::string>>;

// What a finished program left. `code` is its exit code, or 128 + n when signal n ended it.
struct Result {
  int code = -1;
  std::string out, err;
  bool timed_out = false;
};

struct RunOptions {
  std::string in = {};   // standard input, whole; empty means an empty input, never the test's own
  Env env = {};          // set beside the test's environment; LUA_INIT and its like are always removed first
  std::string dir = {};  // working folder; empty: the test's own
  double timeout = 120;  // seconds, then SIGKILL and Result::timed_out
  std::function<bool()> prepare = {};  // runs in the program's process before it; false: the exit code is 126
};

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

// For RunOptions::prepare: `ulimit` of a RLIMIT_… Skip tests of RLIMIT_AS where address_sanitizer is set.
inline std::function<bool()> limited(int resource, rlim_t most) {
  return [=] {
    const rlimit limit{most, most};
    return setrlimit(__rlimit_resource_t(resource), &limit) == 0;
  };
}

// A fresh folder that goes with the object.
class TempDir {
 public:
  TempDir() {
    std::string t = (std::filesystem::temp_directory_path() / "luth-test-XXXXXX").string();
    if (!mkdtemp(t.data())) throw std::runtime_error("cannot make a folder like " + t);
    path_ = t;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file (folders on the way are made) and returns its full path.
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << text;
    return *this / name;
  }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(f), {}};
}

// The program under test.
inline std::string program() {
  if (const char* p = std::getenv("LUTH")) return p;
  for (auto d = std::filesystem::read_symlink("/proc/self/exe").parent_path(); d != d.root_path(); d = d.parent_path())
    if (std::filesystem::exists(d / "bin/luth")) return (d / "bin/luth").string();
  throw std::runtime_error("no bin/luth above this test's executable; set LUTH");
}

namespace detail {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Replaces this process (a fresh child) by the program.
[[noreturn]] inline void exec_program(const std::string& file, std::vector<std::string> args, const Env& env,
                                      const std::string& dir, const std::function<bool()>& prepare = {}) {
  for (const char* name : {"LUA_INIT", "LUA_INIT_5_4", "LUA_PATH", "LUA_PATH_5_4", "LUA_CPATH", "LUA_CPATH_5_4"})
    unsetenv(name);
  for (auto& [name, value] : env) setenv(name.c_str(), value.c_str(), 1);
  if (prepare && !prepare()) _exit(126);
  if (!dir.empty() && chdir(dir.c_str()) != 0) _exit(126);
  for (int s : {SIGINT, SIGTERM, SIGPIPE, SIGQUIT}) signal(s, SIG_DFL);
  std::vector<char*> argv{const_cast<char*>(file.c_str())};
  for (auto& a : args) argv.push_back(a.data());
  argv.push_back(nullptr);
  execv(file.c_str(), argv.data());
  _exit(127);
}

inline int exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace detail

// A program that runs beside the test, its three streams connected to it.
class Process {
 public:
  explicit Process(const std::vector<std::string>& args, const RunOptions& how = {})
      : in_(how.in), deadline_(detail::now() + how.timeout) {
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) throw std::runtime_error("no pipe");
    const std::string file = program();
    if ((pid_ = fork()) == 0) {
      dup2(in[0], 0), dup2(out[1], 1), dup2(err[1], 2);
      detail::exec_program(file, args, how.env, how.dir, how.prepare);
    }
    close(in[0]), close(out[1]), close(err[1]);
    fd_[0] = in[1], fd_[1] = out[0], fd_[2] = err[0];
    for (int f : fd_) fcntl(f, F_SETFL, O_NONBLOCK);
    feed();
  }
  ~Process() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
    for (int f : fd_)
      if (f >= 0) close(f);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int s) const { ::kill(pid_, s); }
  // Standard output so far.
  const std::string& out() const { return out_; }

  // Reads until standard output (or error) contains `text`; false when the program ended or time ran out before.
  bool wait_for(const std::string& text, double seconds = 60) {
    for (double end = detail::now() + seconds; detail::now() < end;) {
      if (out_.find(text) != std::string::npos || err_.find(text) != std::string::npos) return true;
      if (!pump(0.1)) break;
    }
    return out_.find(text) != std::string::npos || err_.find(text) != std::string::npos;
  }

  // Reads everything until the program ends, killing it at the deadline.
  Result wait() {
    while (detail::now() < deadline_ && pump(0.2)) {}
    Result r;
    int status = 0;
    if (fd_[1] >= 0 || fd_[2] >= 0) r.timed_out = true, ::kill(pid_, SIGKILL);
    waitpid(pid_, &status, 0);
    pid_ = -1;
    r.code = detail::exit_code(status);
    r.out = std::move(out_), r.err = std::move(err_);
    return r;
  }

 private:
  // Writes what the pipe takes of the input, and closes it after the last byte.
  void feed() {
    if (fd_[0] < 0) return;
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before);
    while (!in_.empty()) {
      ssize_t n = write(fd_[0], in_.data(), in_.size());
      if (n < 0 && errno == EAGAIN) break;
      if (n < 0)
        in_.clear();
      else
        in_.erase(0, size_t(n));
    }
    sigaction(SIGPIPE, &before, nullptr);
    if (in_.empty()) close(std::exchange(fd_[0], -1));
  }

  // Moves bytes for at most `seconds`; false when both outputs have ended.
  bool pump(double seconds) {
    pollfd p[3] = {{fd_[0], POLLOUT, 0}, {fd_[1], POLLIN, 0}, {fd_[2], POLLIN, 0}};
    poll(p, 3, int(seconds * 1000));
    if (p[0].revents) feed();
    for (int i : {1, 2})
      if (fd_[i] >= 0 && p[i].revents) drain(i, i == 1 ? out_ : err_);
    return fd_[1] >= 0 || fd_[2] >= 0;
  }
  void drain(int i, std::string& to) {
    char buffer[65536];
    ssize_t n;
    while ((n = read(fd_[i], buffer, sizeof buffer)) > 0) to.append(buffer, size_t(n));
    if (n == 0) close(std::exchange(fd_[i], -1));
  }

  pid_t pid_ = -1;
  int fd_[3] = {-1, -1, -1};
  std::string in_, out_, err_;
  double deadline_;
};

// Runs `luth args…` to its end.
inline Result run(const std::vector<std::string>& args, const RunOptions& how = {}) {
  return Process(args, how).wait();
}

// luth at a terminal of 100 columns. What it writes comes back as a terminal would get it (\r\n, escape sequences).
// History and state go to a folder of their own unless `env` says otherwise.
class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& args = {}, const Env& env = {}) {
    const std::string file = program();
    winsize size{40, 100, 0, 0};
    Env all{{"TERM", "xterm"}, {"XDG_STATE_HOME", state_.path()}, {"HOME", state_.path()}, {"LC_ALL", "C.UTF-8"}};
    all.insert(all.end(), env.begin(), env.end());
    if ((pid_ = forkpty(&fd_, nullptr, nullptr, &size)) < 0) throw std::runtime_error("no pseudo-terminal here");
    if (pid_ == 0) detail::exec_program(file, args, all, "");
  }
  ~Terminal() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
    if (fd_ >= 0) close(fd_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  pid_t pid() const { return pid_; }
  void resize(int columns, int rows) const {
    const winsize size{static_cast<unsigned short>(rows), static_cast<unsigned short>(columns), 0, 0};
    ioctl(fd_, TIOCSWINSZ, &size);
  }
  void send(const std::string& keys) const {
    for (size_t at = 0; at < keys.size();) {
      ssize_t n = write(fd_, keys.data() + at, keys.size() - at);
      if (n <= 0) return;
      at += size_t(n);
    }
  }
  // Reads until `text` appears after what earlier calls matched; false (and seen() shows why) when it does not.
  bool expect(const std::string& text, double seconds = 60) {
    for (double end = detail::now() + seconds;;) {
      if (size_t at = seen_.find(text, from_); at != std::string::npos) return from_ = at + text.size(), true;
      if (detail::now() >= end || !pump(0.1)) return false;
    }
  }
  // Everything written so far.
  const std::string& seen() const { return seen_; }
  // Reads what comes within `seconds`; false when nothing did, or the program ended.
  bool read_more(double seconds) {
    const size_t before = seen_.size();
    return pump(seconds) && seen_.size() > before;
  }
  // Whether the program computes or would, had it a processor; false while it waits, as for a key.
  bool busy() const {
    const std::string stat = read_file("/proc/" + std::to_string(pid_) + "/stat");
    const size_t name_end = stat.rfind(") ");
    return name_end != std::string::npos && (stat[name_end + 2] == 'R' || stat[name_end + 2] == 'D');
  }
  // Whether Ctrl-C drops what was typed before it, as a terminal does whose settings no prompt has changed.
  bool drops_typed() const {
    termios settings{};
    return tcgetattr(fd_, &settings) == 0 && !(settings.c_lflag & NOFLSH);
  }
  const std::string& state_dir() const { return state_.path(); }

  // Waits for the end (SIGKILL after `seconds`: 137) and returns the exit code.
  int wait(double seconds = 60) {
    int status = 0;
    for (double end = detail::now() + seconds; pump(0.05) && detail::now() < end;) {}
    for (double end = detail::now() + 30; waitpid(pid_, &status, WNOHANG) == 0; usleep(5000))
      if (detail::now() > end) ::kill(pid_, SIGKILL);
    pid_ = -1;
    return detail::exit_code(status);
  }

 private:
  bool pump(double seconds) {
    pollfd p{fd_, POLLIN, 0};
    if (poll(&p, 1, int(seconds * 1000)) <= 0) return true;
    char buffer[65536];
    ssize_t n = read(fd_, buffer, sizeof buffer);
    if (n <= 0) return false;
    seen_.append(buffer, size_t(n));
    return true;
  }

  TempDir state_;
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string seen_;
  size_t from_ = 0;
};

// Tests at a terminal: skipped where the system gives none, as in a container without /dev/pts.
class AtTerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    int fds[2];
    if (openpty(&fds[0], &fds[1], nullptr, nullptr, nullptr) < 0) GTEST_SKIP() << "no pseudo-terminal here";
    for (int fd : fds) close(fd);
  }
};

}  // namespace luth::testing
