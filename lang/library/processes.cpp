#include "lang/library/processes.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <regex>

#include "core/base/error.h"
#include "core/io/disk.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"

// Both are named in the options of callgrind (share/luth/bench/check.lua): it counts what happens within the first, and
// writes the count before the second.
extern "C" [[gnu::noinline, gnu::visibility("default")]] void luth_counted_call(lua_State* L) { lua_call(L, 1, 0); }
extern "C" [[gnu::noinline, gnu::visibility("default")]] void luth_counted_all() { asm volatile(""); }

namespace luth::lang {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// As a shell says it: 128 + n for signal n.
int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// What exec wants of the words, which it points into.
std::vector<char*> pointers(std::vector<std::string>& words) {
  if (words.empty()) throw Error("expects a program and its arguments");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

// In the new process, where only calls are allowed that a signal handler may make.
[[noreturn]] void become(char** argv, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(int(ErrorCode::terminated));
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int s : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) signal(s, SIG_DFL);
  dup2(output, 1), dup2(output, 2);
  if (const int input = open("/dev/null", O_RDONLY | O_CLOEXEC); input >= 0) dup2(input, 0);
  execv(argv[0], argv);
  _exit(127);
}

}  // namespace

int start_process(lua_State* L) {
  std::vector<std::string> words = read_names(L, 1);
  std::vector<char*> argv = pointers(words);
  const char* path = luaL_checkstring(L, 2);
  const int output = io::open_own(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (output < 0) throw Error("cannot write {}: {}", path, strerror(errno));
  signal(SIGCHLD, SIG_DFL);  // where it is ignored, the ends of processes are lost
  const pid_t self = getpid(), child = fork();
  if (child == 0) become(argv.data(), output, self);
  const int error = errno;
  close(output);
  if (child < 0) throw Error("cannot start {}: {}", words[0], strerror(error));
  return lua_pushinteger(L, child), 1;
}

int wait_process(lua_State* L) {
  std::vector<pid_t> all;
  each_element(L, 1, [&](int at, lua_Integer) { all.push_back(pid_t(luaL_checkinteger(L, at))); });
  const double end = seconds_now() + luaL_checknumber(L, 2);
  do {
    for (pid_t child : all) {
      int status = 0;
      const pid_t ended = waitpid(child, &status, WNOHANG);
      const bool lost = ended < 0 && errno == ECHILD;
      if (ended != child && !lost) continue;
      lua_pushinteger(L, child);
      lua_pushinteger(L, lost ? -1 : exit_code(status));
      return 2;
    }
    usleep(20'000);
  } while (seconds_now() < end && !Interp::of(L).poll_signals());
  return 0;
}

int signal_process(lua_State* L) {
  const pid_t child = pid_t(luaL_checkinteger(L, 1));
  const int number = int(luaL_checkinteger(L, 2));
  if (child > 1 && kill(-child, number)) kill(child, number);  // it has no group of its own yet
  return 0;
}

int run_process(lua_State* L) {
  std::vector<std::string> words = read_names(L, 1);
  std::vector<char*> argv = pointers(words);
  const double began = seconds_now();
  pid_t child = 0;
  if (int error = posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ))
    throw Error("cannot start {}: {}", words[0], strerror(error));
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0) {
    if (errno != EINTR) throw Error("lost sight of {}: {}", words[0], strerror(errno));
    if (const int signal = interrupted()) kill(child, signal);  // a terminal sends it to both, others to luth alone
  }
  lua_pushnumber(L, seconds_now() - began);
  lua_pushinteger(L, used.ru_maxrss * 1024);  // ru_maxrss: KiB
  lua_pushinteger(L, exit_code(status));
  return 3;
}

int program_path(lua_State* L) { return lua_pushstring(L, std::filesystem::read_symlink("/proc/self/exe").c_str()), 1; }

int counted_call(lua_State* L) {
  lua_settop(L, 2);
  luth_counted_call(L);
  return 0;
}

int counted_all(lua_State*) { return luth_counted_all(), 0; }

int compiler_name(lua_State* L) {
#ifdef __clang__
  return lua_pushfstring(L, "Clang %d", __clang_major__), 1;
#else
  return lua_pushfstring(L, "GCC %d", __GNUC__), 1;
#endif
}

int process_number(lua_State* L) { return lua_pushinteger(L, getpid()), 1; }

int matching_names(lua_State* L) {
  const std::string pattern = luaL_checkstring(L, 2);
  std::regex expression;
  try {
    expression = std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& e) {
    throw Error(ErrorCode::usage, "'{}' is no regular expression: {}", pattern, e.what());
  }
  lua_newtable(L);
  lua_Integer count = 0;
  for (auto& name : read_names(L, 1)) {
    if (!std::regex_search(name, expression)) continue;
    lua_pushlstring(L, name.data(), name.size());
    lua_rawseti(L, -2, ++count);
  }
  return 1;
}

}  // namespace luth::lang
