// Shared by the files of cli/: the parsed command line, and the end of the output. cli includes lang and core.
#pragma once
#include <string>

#include "cli/arguments.h"

namespace luth::cli {

/// `luth [options] [script [args]]`, taken apart but not yet obeyed. Lua's own options keep their order in argv.
struct CommandLine {
  int argc = 0;
  char** argv = nullptr;
  int first = 0;  // index of the script or subcommand; argc when there is none
  bool execute = false, interactive = false, show_version = false, ignore_environment = false;  // -e -i -v -E
  bool lua_options = false;  // any of Lua's options, or `--`, came: then the first word is a script
  Arguments options = {};    // luth's own, --threads and the like
};

/// Throws luth::Error (usage) for an unknown option or a missing value.
CommandLine parse_command_line(int argc, char** argv);

/// Runs scripts, -e, -l, standard input or the prompt as lua does, and returns the exit code.
int run_lua(const CommandLine& line);

/// Flushes standard output, which is buffered. If it could not be written: says so once and returns false.
bool finish_output();

/// Handles a signal by a function, unless whoever started luth ignores it, as nohup does. Programs that luth starts do
/// not inherit it. `flags`: of sigaction.
void handle_signal(int signal, void (*handler)(int), int flags);

/// From now on output that nobody reads any more, of a pipe or a terminal that has gone, is no failure.
void outlive_the_console();

/// "luth 0.1.0  (Lua 5.4)"
std::string version_line();

}  // namespace luth::cli
