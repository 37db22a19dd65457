// Takes the command line apart: Lua's conventions (lua.c), and luth's own --threads, --help, --version.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cli/cli.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace luth::cli {
namespace {

std::vector<Subcommand>& registered() {
  static std::vector<Subcommand> list;
  return list;
}

// An option in full words; true when it took the next argument too.
bool long_option(CommandLine& line, const char* option, const char* next) {
  const std::string_view name = std::string_view(option).substr(0, std::string_view(option).find('='));
  const char* value = option[name.size()] == '=' ? option + name.size() + 1 : nullptr;
  if (name == "--threads") {
    line.threads = thread_count("--threads", value ? value : next);
    return !value;
  }
  if (name == "--device") {
    const char* device = value ? value : next;
    if (!device || !*device) throw Error(ErrorCode::usage, "--device takes auto, cpu, cuda or cuda:0, …");
    line.device = device;
    return !value;
  }
  if (name == "--log-device-placement" && !value)
    line.log_placement = true;
  else if (name == "--help" && !value)
    line.help = true;
  else if (name == "--version" && !value)
    line.version = true;
  else {
    const std::vector<std::string> known{"--threads", "--device", "--log-device-placement", "--help", "--version"};
    throw Error(ErrorCode::usage, "unknown option '{}' (`luth --help` lists them){}", name, did_you_mean(name, known));
  }
  return false;
}

// -e, -l, -i and so on; true when it took the next argument too.
bool short_option(CommandLine& line, const char* option, const char* next) {
  const bool joined = option[2] != 0;  // -e'print(1)'
  auto unknown = [&] { return Error(ErrorCode::usage, "unknown option '{}' (`luth --help` lists them)", option); };
  if (joined && !strchr("el", option[1])) throw unknown();
  line.lua_options = true;
  switch (option[1]) {
    case 'e': line.execute = true; [[fallthrough]];
    case 'l':
      if (!joined && (!next || next[0] == '-')) throw Error(ErrorCode::usage, "'{}' needs an argument", option);
      return !joined;
    case 'i': line.interactive = true; [[fallthrough]];
    case 'v': line.show_version = true; return false;
    case 'E': line.ignore_environment = true; return false;
    case 'W': return false;
    case 'h': line.help = true; return false;
    default: throw unknown();
  }
}

}  // namespace

int thread_count(const char* what, const char* text) {
  char* end = nullptr;
  const long n = text ? strtol(text, &end, 10) : 0;
  if (!text || *end || n < 1 || n > 4096)
    throw Error(ErrorCode::usage, "{} expects a count of 1 to 4096, got '{}'", what, text ? text : "");
  return int(n);
}
void use_threads(int n) { setenv("LUTH_THREADS", std::to_string(n).c_str(), 1); }

Register::Register(Subcommand command) { registered().push_back(command); }

std::vector<Subcommand> subcommands() {
  auto list = registered();
  std::sort(list.begin(), list.end(), [](auto& a, auto& b) { return strcmp(a.name, b.name) < 0; });
  return list;
}

const Subcommand* find_subcommand(const std::string& name) {
  for (auto& c : registered())
    if (name == c.name) return &c;
  return nullptr;
}

std::vector<std::string> subcommand_names() {
  std::vector<std::string> names;
  for (auto& c : subcommands()) names.emplace_back(c.name);
  return names;
}

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
