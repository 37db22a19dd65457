// What the files of cli/ share: the list of subcommands, and how luth was called. cli includes lang and core.
//
// A subcommand is one file that registers itself:
//
//   int train(int argc, char** argv);                       // argv[0] is "train"; returns the exit code
//   static const luth::cli::Register entry{{"train", "train a recipe", train}};
//
// It may throw: main prints luth::Error and returns its code. It reads its options through cli/options.h (CLI11), which
// only these files include, so that `luth file.lua` starts without it.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace luth::cli {

struct Subcommand {
  const char* name;
  const char* brief;  // half a line for `luth --help`
  int (*run)(int argc, char** argv);
};

struct Register {
  Register(Subcommand command);
};

/// All subcommands by name.
std::vector<Subcommand> subcommands();
/// nullptr when there is none of that name.
const Subcommand* find_subcommand(const std::string& name);
std::vector<std::string> subcommand_names();

/// `luth [options] [script [args]]`, taken apart but not yet obeyed. Lua's own options keep their order in argv.
struct CommandLine {
  int argc = 0;
  char** argv = nullptr;
  int first = 0;  // index of the script or subcommand; argc when there is none
  bool execute = false, interactive = false, show_version = false, ignore_environment = false;  // -e -i -v -E
  bool lua_options = false;  // any of Lua's options, or `--`, came: then the first word is a script
  bool help = false, version = false;
  int threads = 0;          // --threads; 0: not given
  std::string device = {};  // --device; empty: not given
  bool log_placement = false;
};

/// Throws luth::Error (usage) for an unknown option or a missing value.
CommandLine parse_command_line(int argc, char** argv);

/// Runs scripts, -e, -l, standard input or the prompt as lua does, and returns the exit code.
int run_lua(const CommandLine& line);

/// Reads a number of threads; throws luth::Error (usage), beginning with `what`, for what is none.
int thread_count(const char* what, const char* text);
/// From now on as many threads: for this process, whose core has not used any yet, and for programs that it starts.
void use_threads(int n);

/// Says so, once, where standard output could not be written; false then. What scripts print is buffered until here.
bool finish_output();

/// "luth 0.1.0  (Lua 5.4)"
std::string version_line();
/// The text of `luth --help`.
std::string usage();

}  // namespace luth::cli
