// luth: runs a subcommand, a Lua script, or the prompt.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/help.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "core/base/visible.h"

namespace luth::cli {
namespace {

// `words`: what stands behind the subcommand's name.
int run_subcommand(const Subcommand& command, const std::vector<std::string>& words) {
  Arguments arguments = command.passes_on  ? parse_before(command.options, words)
                        : command.extended ? parse_around(command.options, common_options(), words)
                                           : parse(command.options, words);
  if (!command.extended && !command.passes_on)
    arguments.rest = positional(command.options, arguments.rest, command.most, "luth " + std::string(command.name));
  // a recipe is asked for its options
  if (arguments.has("--help") && (!command.extended || arguments.rest.empty()))
    return fputs(subcommand_help(command).c_str(), stdout), 0;
  if (int(arguments.rest.size()) < command.least)
    throw Error(ErrorCode::usage, "luth {} needs {}\n{}", command.name, command.arguments, subcommand_help(command));
  if (!command.passes_on) obey_common(arguments);
  return command.run(arguments);
}

int dispatch(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  if (line.options.has("--help") || line.options.has("--version")) {
    const std::string text = line.options.has("--help") ? program_help() : version_line() + "\n";
    return fputs(text.c_str(), stdout), 0;
  }
  if (!line.lua_options && line.first < argc)
    if (auto* command = find_subcommand(argv[line.first])) {
      std::vector<std::string> words = line.options.words();
      words.insert(words.end(), argv + line.first + 1, argv + argc);
      return run_subcommand(*command, words);
    }
  obey_common(line.options);
  return run_lua(line);
}

int fail(ErrorCode code, const char* text) {
  fflush(stdout);
  print_error(std::string("luth: ") + text);
  return int(code);
}

int run(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const Error& e) { return fail(e.code(), e.what()); } catch (const std::bad_alloc&) {
    return fail(ErrorCode::memory, "not enough memory");
  } catch (const std::exception& e) { return fail(ErrorCode::runtime, e.what()); }
}

bool console_may_go_ = false;

// Runs when the program ends by exit(), as os.exit does: a failure of the output is reported, and changes the exit
// code.
void at_exit() {
  if (finish_output()) return;
  fflush(nullptr);
  _exit(int(ErrorCode::runtime));
}

// Until there is an interpreter, which has handlers of its own (Interp::handle_signals). Called before the libraries
// that luth links initialise themselves.
void obey_signals_at_start() {
  for (int signal : {SIGINT, SIGTERM})
    handle_signal(
        signal, [](int s) { _exit(128 + s); }, 0);
}

#ifndef __SANITIZE_ADDRESS__  // which is not ready then
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all)() = obey_signals_at_start;
#endif

// A program may be started without some of them (`>&-`). The next file that is opened would then take the number, and
// what is printed would go into it. In their place come descriptors that give errors as none would.
void hold_standard_descriptors() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Limits whose signals end a process become errors of its own. SIGXFSZ comes where a file grows beyond `ulimit -f`:
// with a handler, which programs that are started do not inherit, the write fails. SIGXCPU (`ulimit -t`) comes at the
// soft limit, which the shell sets to the hard one, where SIGKILL comes.
void hear_of_limits() {
  signal(SIGXFSZ, [](int) {});
  signal(SIGXCPU, [](int) { _exit(int(ErrorCode::terminated)); });
  rlimit time{};
  if (getrlimit(RLIMIT_CPU, &time) != 0 || time.rlim_cur != time.rlim_max || time.rlim_max == RLIM_INFINITY) return;
  if (time.rlim_max < 2) return;
  time.rlim_cur -= std::clamp<rlim_t>(time.rlim_max / 10, 1, 30);
  setrlimit(RLIMIT_CPU, &time);
}

// On a stack of its own where `ulimit -s` gives too little for saving a file, or for Lua's recursion.
int run_with_stack(int argc, char** argv) {
  constexpr rlim_t enough = 1 << 20;
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= enough) return run(argc, argv);
  sigset_t all;
  sigfillset(&all);
  int code = 0;
  Threads one;
  const bool started = one.start([&] {
    pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
    code = run(argc, argv);
  });
  if (!started) return run(argc, argv);
  one.join();
  return code;
}

}  // namespace

void handle_signal(int signal, void (*handler)(int), int flags) {
  struct sigaction now {
  }, before{};
  now.sa_handler = handler;
  now.sa_flags = flags;
  sigaction(signal, &now, &before);
  if (before.sa_handler == SIG_IGN) sigaction(signal, &before, nullptr);
}

void outlive_the_console() {
  console_may_go_ = true;
  for (int signal : {SIGPIPE, SIGHUP})
    handle_signal(
        signal, [](int) {}, SA_RESTART);
}

bool finish_output() {
  static bool told = false;
  if (told) return true;
  const bool before = ferror(stdout);
  if (fflush(stdout) == 0 && !before) return true;
  struct stat s;
  if (console_may_go_ && fstat(STDOUT_FILENO, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISBLK(s.st_mode)) return true;
  told = true;
  fprintf(stderr, "luth: cannot write standard output%s%s\n", before ? "" : ": ", before ? "" : strerror(errno));
  return false;
}

}  // namespace luth::cli

int main(int argc, char** argv) {
  luth::cli::obey_signals_at_start();
  luth::cli::hold_standard_descriptors();
  luth::cli::hear_of_limits();
  atexit(luth::cli::at_exit);
  const int code = luth::cli::run_with_stack(argc, argv);
  return luth::cli::finish_output() || code ? code : int(luth::ErrorCode::runtime);
}
