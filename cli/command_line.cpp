// Takes the command line apart by Lua's conventions (lua.c). It reads the same table as CLI11 does for subcommands,
// which a script starts without.
#include <cstring>

#include "cli/cli.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace luth::cli {
namespace {

// An option in full words; true when it took the next argument too.
bool long_option(CommandLine& line, std::string_view option, const char* next) {
  const size_t equals = option.find('=');
  const bool joined = equals != option.npos;
  const std::string name(option.substr(0, equals));
  const Option* row = find_option(program_options(), name);
  if (!row || (joined && row->value.empty())) {
    std::vector<std::string> known;
    for (auto& o : program_options()) known.emplace_back(o.name);
    throw Error(ErrorCode::usage, "unknown option '{}' (`luth --help` lists them){}", name, did_you_mean(name, known));
  }
  const bool takes_next = !joined && !row->value.empty();
  if (takes_next && !next) throw Error(ErrorCode::usage, "{} needs a value", name);
  line.options.give(name, joined ? std::string(option.substr(equals + 1)) : takes_next ? next : "true");
  return takes_next;
}

// -e, -l, -i and so on; true when it took the next argument too.
bool short_option(CommandLine& line, const char* option, const char* next) {
  if (strcmp(option, "-h") == 0) return long_option(line, "--help", next);
  const bool joined = option[2] != 0;  // -e'print(1)'
  const Option* row = find_option(program_options(), std::string_view(option, 2));
  if (!row || (joined && row->value.empty()))
    throw Error(ErrorCode::usage, "unknown option '{}' (`luth --help` lists them)", option);
  line.lua_options = true;
  line.execute |= option[1] == 'e';
  line.interactive |= option[1] == 'i';
  line.show_version |= option[1] == 'i' || option[1] == 'v';
  line.ignore_environment |= option[1] == 'E';
  if (row->value.empty()) return false;
  if (!joined && (!next || next[0] == '-')) throw Error(ErrorCode::usage, "'{}' needs an argument", option);
  return !joined;
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line{.argc = argc, .argv = argv, .first = argc};
  for (int i = 1; i < argc; ++i) {
    const char *a = argv[i], *next = i + 1 < argc ? argv[i + 1] : nullptr;
    if (a[0] != '-' || a[1] == 0) {  // a word, or "-": standard input
      line.first = i;
      break;
    }
    if (strcmp(a, "--") == 0) {
      line.lua_options = true;
      line.first = i + 1;
      break;
    }
    i += a[1] == '-' ? long_option(line, a, next) : short_option(line, a, next);
  }
  return line;
}

}  // namespace luth::cli
