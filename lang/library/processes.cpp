#include "lang/library/processes.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <regex>

#include "core/base/error.h"
#include "lang/runtime/bridge.h"
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

}  // namespace

int run_process(lua_State* L) {
  std::vector<std::string> words = read_names(L, 1);
  if (words.empty()) throw Error("run: expects a program and its arguments");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const double began = seconds_now();
  pid_t child = 0;
  if (int error = posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ))
    throw Error("cannot start {}: {}", words[0], strerror(error));
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0)
    if (errno != EINTR) throw Error("lost sight of {}: {}", words[0], strerror(errno));
  lua_pushnumber(L, seconds_now() - began);
  lua_pushinteger(L, used.ru_maxrss * 1024);  // ru_maxrss: KiB
  lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
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
