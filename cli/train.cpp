// luth train and luth eval: hand their words to the Lua library (share/luth/train.lua), which runs the recipe.
#include <cstdio>
#include <cstring>

#include "cli/cli.h"
#include "cli/device_option.h"
#include "core/base/error.h"
#include "lang/runtime/interp.h"

namespace luth::cli {
namespace {

constexpr char train_usage[] =
    "Usage: luth train RECIPE [--option value ...] [--dir DIR] [--resume [FILE]] [--device auto|cpu|cuda[:i]]\n"
    "                  [--amp bf16|off] [--threads N] [--log-device-placement]\n\n"
    "Trains what the recipe says. `luth train RECIPE --help` lists its options.\n"
    "Writes ckpt/last.h5 and ckpt/best.h5 below DIR (default: runs/<recipe>-<n>).\n"
    "--resume goes on with the run that is there, from ckpt/last.h5 or from FILE.\n"
    "--amp bf16 computes in mixed precision: matrix products and convolutions in bfloat16.\n";
constexpr char eval_usage[] =
    "Usage: luth eval CHECKPOINT [--option value ...] [--device auto|cpu|cuda[:i]] [--amp bf16|off] [--threads N]\n"
    "                            [--log-device-placement]\n"
    "       luth eval DIR, for DIR/ckpt/last.h5\n"
    "       luth eval RECIPE --checkpoint FILE [--option value ...]\n\n"
    "Prints loss and metrics of a checkpoint over the test data, a name and a number in each line.\n";

// The words without --threads N and --log-device-placement, which are obeyed.
std::vector<const char*> take_own(int argc, char** argv) {
  std::vector<const char*> words;
  for (int i = 0; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--threads")) {
      ++i;
      use_threads(thread_count("--threads", i < argc ? argv[i] : nullptr));
    } else if (!std::strncmp(argv[i], "--threads=", 10)) {
      use_threads(thread_count("--threads", argv[i] + 10));
    } else if (!std::strcmp(argv[i], "--log-device-placement")) {
      log_placement();
    } else {
      words.push_back(argv[i]);
    }
  }
  return words;
}

// require('luth.train')[function](words[1], {words[2], …})
int run(const char* function, const char* usage, int argc, char** argv) {
  const std::vector<const char*> words = take_own(argc, argv);
  if (words.size() < 2 || !std::strcmp(words[1], "--help") || !std::strcmp(words[1], "-h")) {
    std::fputs(usage, words.size() < 2 ? stderr : stdout);
    return words.size() < 2 ? int(ErrorCode::usage) : 0;
  }
  if (words[1][0] == '-')
    throw Error(ErrorCode::usage, "luth {0}: options come after the file, got '{1}' (`luth {0} --help`)", words[0],
                words[1]);
  lang::Interp interp;
  interp.handle_signals();
  lua_State* L = interp.state();
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.train");
  if (int status = interp.call(1, 1)) return interp.report(status);
  lua_getfield(L, -1, function);
  lua_pushstring(L, words[1]);
  lua_createtable(L, int(words.size()) - 2, 0);
  for (size_t i = 2; i < words.size(); ++i) {
    lua_pushstring(L, words[i]);
    lua_rawseti(L, -2, lua_Integer(i) - 1);
  }
  int status = interp.call(2, 0);
  return status ? interp.report(status) : 0;
}

int train(int argc, char** argv) { return run("train", train_usage, argc, argv); }
int eval(int argc, char** argv) { return run("eval", eval_usage, argc, argv); }

const Register train_{{"train", "train what a recipe says", train}};
const Register eval_{{"eval", "evaluate a checkpoint", eval}};

}  // namespace
}  // namespace luth::cli
