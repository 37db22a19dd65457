// `luth file.lua args`, -e, -l, -i, standard input and the prompt, as lua.c runs them.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/subcommands.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/device/device.h"
#include "lang/prompt/complete_commands.h"
#include "lang/prompt/repl.h"
#include "lang/prompt/session.h"
#include "lang/runtime/interp.h"

namespace luth::cli {
namespace {

using lang::Interp;

// -e, -l and -W in their order. Stops at the first error and returns its exit code.
int run_options(Interp& interp, const CommandLine& line) {
  for (int i = 1; i < line.first; ++i) {
    const char* a = line.argv[i];
    if (a[0] != '-' || a[1] == '-') continue;
    if (a[1] == 'W') lua_warning(interp.state(), "@on", 0);
    if (a[1] != 'e' && a[1] != 'l') continue;
    const char* value = a[2] ? a + 2 : line.argv[++i];
    int code;
    if (a[1] == 'e') {
      code = interp.run_string(value, "=(command line)");
    } else {  // -l module, -l name=module
      const char* equals = strchr(value, '=');
      const std::string global(value, equals ? size_t(equals - value) : strlen(value));
      code = interp.require(equals ? equals + 1 : value, global.c_str());
    }
    if (code) return code;
  }
  return 0;
}

// The names in a folder, for suggestions.
std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  DIR* d = opendir(folder.c_str());
  if (!d) return names;
  while (auto* e = readdir(d)) names.emplace_back(e->d_name);
  closedir(d);
  return names;
}

// Throws unless `path` can be read as a script.
void check_script(const std::string& path) {
  struct stat st;
  const bool found = stat(path.c_str(), &st) == 0;
  const int why = errno;
  if (found && S_ISDIR(st.st_mode)) throw Error(ErrorCode::usage, "cannot run '{}': it is a folder", path);
  if (found && access(path.c_str(), R_OK) == 0) return;
  if (found) throw Error(ErrorCode::usage, "cannot read '{}': {}", path, strerror(errno));
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "" : path.substr(0, slash + 1), name = path.substr(folder.size());
  auto names = entries(folder.empty() ? "." : folder);
  if (why == ENOENT && folder.empty() && name.find('.') == name.npos) {
    auto commands = subcommand_names();
    names.insert(names.begin(), commands.begin(), commands.end());
    throw Error(ErrorCode::usage, "'{}' is neither a subcommand (`luth --help` lists them) nor a file{}", path,
                did_you_mean(name, names));
  }
  const std::string near = nearest(name, names);
  throw Error(ErrorCode::usage, "cannot open '{}': {}{}", path, strerror(why),
              near.empty() ? near : "; did you mean '" + folder + near + "'?");
}

// Waits for the work of the GPUs: its errors must be reported although the script has ended.
void finish_devices() {
  for (Device* d : open_devices()) d->synchronize();
}

}  // namespace

int run_lua(const CommandLine& line) {
  const bool script = line.first < line.argc;
  const bool from_stdin =
      script && strcmp(line.argv[line.first], "-") == 0 && strcmp(line.argv[line.first - 1], "--") != 0;
  if (script && !from_stdin) check_script(line.argv[line.first]);
  const bool tty = isatty(0), prompt = line.interactive || (!script && !line.execute && !line.show_version && tty);
  if (line.show_version || prompt) puts(version_line().c_str());
  use_device(line.options);

  Interp interp(Interp::Options{.ignore_environment = line.ignore_environment});
  interp.handle_signals();
  interp.set_arg(line.argc, line.argv, line.first);
  std::optional<lang::Session> session;  // from the start: it knows what the script has added, and keeps its error
  if (prompt) session.emplace(interp);
  int code = interp.run_init();
  if (!code) code = run_options(interp, line);
  if (script && !from_stdin) interp.find_modules_beside(line.argv[line.first]);
  if (!code && script && line.options.has("--debug"))
    code = interp.run_string("require('luth.prompt.debugger').start()", "=debug");
  if (!code && script) code = interp.run_file(from_stdin ? nullptr : line.argv[line.first]);
  if (prompt && (!code || line.interactive) && code != int(ErrorCode::terminated)) {
    lang::offer_words(words_behind);
    return lang::repl(*session);
  }
  if (code) return code;
  if (!script && !line.execute && !line.show_version) code = interp.run_file(nullptr);
  if (!code) finish_devices();
  return code;
}

}  // namespace luth::cli
