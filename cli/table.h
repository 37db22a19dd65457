// The table of the command line: every subcommand and every option, described once. The parsers (cli/arguments.h,
// cli/command_line.cpp), --help, completion and the manual page read it. What recipes declare are more rows
// (cli/recipe_options.h).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/option.h"

namespace luth::cli {

struct Subcommand {
  std::string_view name;
  std::string_view brief;      // half a line for `luth --help`
  std::string_view arguments;  // "FILE...", for help
  int least, most;             // how many arguments it takes
  std::string_view about;      // what help says, in lines
  std::string_view example;    // commands, which a test runs, in lines
  Options options;
  int (*run)(const Arguments& arguments);  // returns the exit code; may throw
  bool extended = false;                   // a recipe declares more options, which are left in Arguments::rest
  std::string_view choices = {};           // the arguments that completion offers; else files
  bool passes_on = false;                  // the first argument and all words behind it are for another program
};

/// The options of `luth [options] [script [args]]`.
Options program_options();
/// Those of all subcommands with a recipe that take effect before the recipe is read.
Options common_options();
/// All subcommands by name.
std::span<const Subcommand> subcommands();
/// nullptr when there is none of that name.
const Subcommand* find_subcommand(std::string_view name);
std::vector<std::string> subcommand_names();

/// nullptr when there is none of that name.
const Option* find_option(Options options, std::string_view name);

/// The value may be missing, or the option be negated: `--wide`, `--wide no`, `--no-wide`.
inline bool value_may_be_missing(const Option& option) { return option.value.starts_with('['); }

}  // namespace luth::cli
