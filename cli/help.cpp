// `luth help`, `luth help NAME`, `luth version`, and the text of --help and --version.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "cli/cli.h"
#include "core/base/error.h"
#include "core/base/version.h"
#include "lang/runtime/interp.h"

namespace luth::cli {
namespace {

constexpr const char* options_text = R"(options:
  -e CODE         run a piece of Lua
  -l MODULE       require a module into a global of its name; -l NAME=MODULE into another
  -i              the prompt, after what else is asked for
  -v, --version   print the version
  -E              ignore LUA_INIT, LUA_PATH and LUA_CPATH
  -W              turn Lua's warnings on
  -               the script comes from standard input
  --              what follows is the script, whatever its name
  --threads N     threads to compute with (else LUTH_THREADS, OMP_NUM_THREADS, or the cores there are)
  --device D      where new tensors lie: cpu, cuda, cuda:1, …, or auto: a GPU where there is one
  --log-device-placement   print where each operator runs
  --help          this text
)";

// Lets Lua's own `help` look the name up.
int help_on(const char* name) {
  lang::Interp interp;
  interp.handle_signals();
  if (lua_getglobal(interp.state(), "help") != LUA_TFUNCTION)
    throw Error(ErrorCode::usage, "there is no help on '{}'", name);
  lua_pushstring(interp.state(), name);
  return interp.report(interp.call(1, 0));
}

int help(int argc, char** argv) {
  if (argc > 2) throw Error(ErrorCode::usage, "`luth help NAME` takes one name");
  if (argc < 2 || strcmp(argv[1], "--help") == 0) {
    fputs(usage().c_str(), stdout);
    if (argc < 2) puts("`luth help NAME` explains a subcommand or a function: luth help torch.softmax");
    return 0;
  }
  auto* command = find_subcommand(argv[1]);
  if (!command || command->run == help) return help_on(argv[1]);
  char flag[] = "--help";
  char* arguments[] = {argv[1], flag, nullptr};
  return command->run(2, arguments);
}

const Register entry{{"help", "explain a subcommand or a function", help}};

}  // namespace

std::string version_line() { return fmt::format("luth {}  {}", version, LUA_RELEASE); }

std::string usage() {
  std::string text =
      "usage: luth [options] [script.lua [args]]   run a script; without one, the prompt\n"
      "       luth SUBCOMMAND [args]\n\nsubcommands (`luth SUBCOMMAND --help` says more):\n";
  for (auto& c : subcommands()) text += fmt::format("  {:<12}  {}\n", c.name, c.brief);
  return text + "\n" + options_text;
}

}  // namespace luth::cli
