// luth train and luth eval: hand their words to the Lua library (share/luth/train.lua), which runs the recipe.
#include <signal.h>

#include "cli/library.h"
#include "cli/subcommands.h"
#include "core/base/error.h"

namespace luth::cli {
namespace {

// function(file, {words}): words are luth's own options, and what stood behind the file.
int run(const char* function, const Arguments& arguments) {
  const std::string& file = arguments.rest[0];
  if (file[0] == '-')
    throw Error(ErrorCode::usage, "luth {0}: options of a recipe come after the file, got '{1}' (`luth {0} --help`)",
                function, file);
  std::vector<std::string> words = arguments.words();
  words.insert(words.end(), arguments.rest.begin() + 1, arguments.rest.end());
  return run_library("luth.train", function, [&](lua_State* L) {
    lua_pushstring(L, file.c_str());
    push_words(L, words);
    return 2;
  });
}

// A run goes on when nobody reads its output any more, or its terminal has gone. These are handlers and not SIG_IGN,
// which programs that the recipe starts would inherit.
void outlive_the_console() {
  for (int signal : {SIGPIPE, SIGHUP}) {
    struct sigaction now {
    }, before{};
    now.sa_handler = [](int) {};
    now.sa_flags = SA_RESTART;
    sigaction(signal, &now, &before);
    if (before.sa_handler == SIG_IGN) sigaction(signal, &before, nullptr);  // nohup
  }
}

}  // namespace

int train(const Arguments& arguments) {
  outlive_the_console();
  return run("train", arguments);
}
int eval(const Arguments& arguments) { return run("eval", arguments); }

}  // namespace luth::cli
