// luth: runs a subcommand, a Lua script, or the prompt.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "cli/cli.h"
#include "core/error.h"

namespace luth::cli {
namespace {

int dispatch(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  // the core reads the variable at its first use of threads, and so do programs that luth starts
  if (line.threads) setenv("LUTH_THREADS", std::to_string(line.threads).c_str(), 1);
  if (line.help || line.version) {
    puts(line.help ? usage().c_str() : version_line().c_str());
    return 0;
  }
  if (!line.lua_options && line.first < argc)
    if (auto* command = find_subcommand(argv[line.first])) return command->run(argc - line.first, argv + line.first);
  return run_lua(line);
}

int fail(ErrorCode code, const char* text) {
  fflush(stdout);
  fprintf(stderr, "luth: %s\n", text);
  return int(code);
}

}  // namespace
}  // namespace luth::cli

int main(int argc, char** argv) {
  using luth::ErrorCode;
  try {
    return luth::cli::dispatch(argc, argv);
  } catch (const luth::Error& e) { return luth::cli::fail(e.code(), e.what()); } catch (const std::bad_alloc&) {
    return luth::cli::fail(ErrorCode::memory, "not enough memory");
  } catch (const std::exception& e) { return luth::cli::fail(ErrorCode::runtime, e.what()); }
}
