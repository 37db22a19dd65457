// luth train, luth eval, luth predict and luth summary: hand their words to the Lua library (share/luth/train.lua),
// which runs the recipe.
#include "cli/cli.h"
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

}  // namespace

int train(const Arguments& arguments) {
  outlive_the_console();
  return run("train", arguments);
}
int eval(const Arguments& arguments) { return run("eval", arguments); }
int predict(const Arguments& arguments) { return run("predict", arguments); }
int summary(const Arguments& arguments) { return run("summary", arguments); }

}  // namespace luth::cli
