// luth: runs a subcommand, a Lua script, or the prompt.
#include <signal.h>
#include <unistd.h>

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

namespace luth::cli {
namespace {

// `words`: what stands behind the subcommand's name.
int run_subcommand(const Subcommand& command, const std::vector<std::string>& words) {
  Arguments arguments = parse(command.options, words);
  if (!command.extended)
    arguments.rest = positional(command.options, arguments.rest, command.most, "luth " + std::string(command.name));
  // a recipe is asked for its options
  if (arguments.has("--help") && (!command.extended || arguments.rest.empty()))
    return fputs(subcommand_help(command).c_str(), stdout), 0;
  if (int(arguments.rest.size()) < command.least)
    throw Error(ErrorCode::usage, "luth {} needs {}\n{}", command.name, command.arguments, subcommand_help(command));
  obey_common(arguments);
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
  fprintf(stderr, "luth: %s\n", text);
  return int(code);
}

int run(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const Error& e) { return fail(e.code(), e.what()); } catch (const std::bad_alloc&) {
    return fail(ErrorCode::memory, "not enough memory");
  } catch (const std::exception& e) { return fail(ErrorCode::runtime, e.what()); }
}

// Runs when the program ends by exit(), as os.exit does: a failure of the output is reported, and changes the exit
// code.
void at_exit() {
  if (finish_output()) return;
  fflush(nullptr);
  _exit(int(ErrorCode::runtime));
}

// Until there is an interpreter, which has handlers of its own (Interp::handle_signals).
void obey_signals_at_start() {
  for (int signal : {SIGINT, SIGTERM}) {
    struct sigaction now {
    }, before{};
    now.sa_handler = [](int s) { _exit(128 + s); };
    sigaction(signal, &now, &before);
    if (before.sa_handler == SIG_IGN) sigaction(signal, &before, nullptr);
  }
}

}  // namespace

bool finish_output() {
  static bool told = false;
  if (told) return true;
  const bool before = ferror(stdout);
  if (fflush(stdout) == 0 && !before) return true;
  told = true;
  fprintf(stderr, "luth: cannot write standard output%s%s\n", before ? "" : ": ", before ? "" : strerror(errno));
  return false;
}

}  // namespace luth::cli

int main(int argc, char** argv) {
  luth::cli::obey_signals_at_start();
  atexit(luth::cli::at_exit);
  const int code = luth::cli::run(argc, argv);
  return luth::cli::finish_output() || code ? code : int(luth::ErrorCode::runtime);
}
