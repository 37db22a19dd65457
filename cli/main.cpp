// luth: runs a subcommand, a Lua script, or the prompt.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "cli/cli.h"
#include "core/base/error.h"

namespace luth::cli {
namespace {

int dispatch(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  if (line.help || line.version) {
    puts(line.help ? usage().c_str() : version_line().c_str());
    return 0;
  }
  const char* threads = getenv("LUTH_THREADS");
  if (line.threads)
    use_threads(line.threads);
  else if (threads && *threads)
    thread_count("LUTH_THREADS", threads);
  if (!line.lua_options && line.first < argc)
    if (auto* command = find_subcommand(argv[line.first])) return command->run(argc - line.first, argv + line.first);
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

// For programs that end by exit(), as os.exit does: the exit code can only become that of the failure here.
void at_exit() {
  if (finish_output()) return;
  fflush(nullptr);
  _exit(int(ErrorCode::runtime));
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
  atexit(luth::cli::at_exit);
  const int code = luth::cli::run(argc, argv);
  return luth::cli::finish_output() || code ? code : int(luth::ErrorCode::runtime);
}
